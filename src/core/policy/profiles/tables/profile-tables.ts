import type { Json, JsonObject } from '../../../../protocol/json.ts';
import type { SandboxMode } from '../../../../protocol/permissions.ts';

/** Inherited by profiles that extend a built-in one. The protected names need no entries. */
export const builtInProfileTables: Readonly<Record<string, JsonObject>> = {
  ':read-only': { filesystem: { ':root': 'read' } },
  ':workspace': {
    filesystem: { ':root': 'read', ':workspace_roots': { '.': 'write' }, ':slash_tmp': 'write', ':tmpdir': 'write' },
  },
};

export const builtInModes: Readonly<Record<string, SandboxMode>> = {
  ':read-only': 'read-only',
  ':workspace': 'workspace-write',
  ':danger-full-access': 'danger-full-access',
};

export const isBuiltInId = (id: string): boolean => id.startsWith(':');

export interface ProfileTableProblem {
  readonly kind: 'unknown-key' | 'wrong-type' | 'wrong-value' | 'reserved-name' | 'warning';
  /** From the root of the file. */
  readonly path: readonly string[];
  /** Worded to follow the key. */
  readonly what: string;
  readonly next: string;
}

export function wrongProfileType(path: readonly string[], expected: string, given: Json): ProfileTableProblem {
  const kind = Array.isArray(given) ? 'a list' : typeof given === 'object' ? 'a table' : JSON.stringify(given);
  return { kind: 'wrong-type', path, what: `must be ${expected}, not ${kind}`, next: `Write ${expected}.` };
}

export const wrongValueInProfile = (path: readonly string[], what: string, next: string): ProfileTableProblem => ({
  kind: 'wrong-value',
  path,
  what,
  next,
});

export const profileTableWarning = (path: readonly string[], what: string, next: string): ProfileTableProblem => ({
  kind: 'warning',
  path,
  what,
  next,
});

/** No unknown key is ignored: it may be a restriction with a typo. */
export const unknownTableKey = (path: readonly string[], known: readonly string[]): ProfileTableProblem => ({
  kind: 'unknown-key',
  path,
  what: 'is not a known key',
  next: `Use ${known.join(', ')}, or remove it.`,
});

export type ProfileTables = Readonly<Record<string, JsonObject>>;
