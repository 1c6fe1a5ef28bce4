// @module-tag attack
import { afterAll, describe, expect, test } from 'vitest';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import type { PermissionProfile } from '../../src/protocol/permissions.ts';
import { createSandboxed, sandboxIsPossible, users } from './sandboxed.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';

const sandboxed = createSandboxed();
afterAll(() => sandboxed.remove());

const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
const wholeDisk = { path: { type: 'special', value: { kind: 'root' } }, access: 'write' } as const;
const someDenied = { path: { type: 'path', path: '/var/tmp/not-there' }, access: 'deny' } as const;

const profiles: Readonly<Record<string, PermissionProfile>> = {
  'read-only': builtInProfile('read-only', options),
  'workspace-write': builtInProfile('workspace-write', options),
  'the whole disk with a limit': {
    type: 'managed',
    file_system: { type: 'restricted', entries: [wholeDisk, someDenied] },
    network: 'restricted',
  },
  'unrestricted files without a network': {
    type: 'managed',
    file_system: { type: 'unrestricted' },
    network: 'restricted',
  },
};

/** Files of the kernel that a command of the user could open to write. Nothing is written. */
function writableKernelFiles(profile: PermissionProfile, user: number, ownProcessTable: boolean): string {
  const policy = resolvePolicy(profile, {
    cwd: '/tmp',
    workspaceRoots: ['/tmp'],
    slashTmp: true,
    gitDirectories: [],
    own: noOwnPlaces,
  });
  const script = `find /proc /sys -type f -writable 2>/dev/null | sort | head -n 20
for file in /proc/sys/kernel/hostname /proc/sysrq-trigger; do test -w $file && echo $file; done
echo looked`;
  return sandboxed.run(policy, script, { user, cwd: '/', ownProcessTable });
}

describe.skipIf(!sandboxIsPossible)('a command cannot write settings of the kernel (on Linux with bubblewrap)', () => {
  describe.each(users)('as user %d', (user) => {
    test.each(Object.keys(profiles))('%s', { tags: 'representative' }, (name) => {
      expect(writableKernelFiles(profiles[name]!, user, true)).toBe('looked\n');
    });

    test.each(Object.keys(profiles))('%s, where the system gives no process table of its own', (name) => {
      expect(writableKernelFiles(profiles[name]!, user, false)).toBe('looked\n');
    });
  });
});
