import type { JsonObject } from '../../protocol/json.ts';
import type { SandboxMode } from '../../protocol/permission-profile.ts';

/** What a profile gets that extends a built-in one. The protected names need no entries. */
export const builtInTables: Readonly<Record<string, JsonObject>> = {
  ':read-only': { filesystem: { ':root': 'read' } },
  ':workspace': {
    filesystem: { ':root': 'read', ':workspace_roots': { '.': 'write' }, ':slash_tmp': 'write', ':tmpdir': 'write' },
  },
};

/** The sandbox mode that a built-in profile is. */
export const builtInModes: Readonly<Record<string, SandboxMode>> = {
  ':read-only': 'read-only',
  ':workspace': 'workspace-write',
  ':danger-full-access': 'danger-full-access',
};

/** Names of users do not begin so. */
export function isBuiltInId(id: string): boolean {
  return id.startsWith(':');
}
