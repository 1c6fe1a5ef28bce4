import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { profileFor } from '../../src/policy/profiles.ts';
import { resolvePolicy } from '../../src/policy/resolve-policy.ts';
import type { PermissionProfile } from '../../src/protocol/permission-profile.ts';
import { viewHostDisk } from '../../src/sandbox/host-disk.ts';
import { bubblewrapArguments } from '../../src/sandbox/linux/bubblewrap-arguments.ts';
import { bubblewrapCandidates } from '../../src/sandbox/linux/find-bubblewrap.ts';
import { planMounts } from '../../src/sandbox/linux/mount-plan.ts';

const packaged = join(import.meta.dirname, '../../.local/bubblewrap/usr/bin/bwrap');
const [program] = bubblewrapCandidates({ path: process.env['PATH'] ?? '', cwd: '/nowhere', packaged });
const isPossible = process.platform === 'linux' && program !== undefined;
const base = isPossible ? mkdtempSync('/var/tmp/capstan-proc-') : '';
const workspace = join(base, 'work');
const bubblewrap = join(base, 'bwrap');
if (isPossible) {
  copyFileSync(program, bubblewrap);
  mkdirSync(workspace);
  for (const path of [base, bubblewrap]) chmodSync(path, 0o755);
  chmodSync(workspace, 0o777);
}
afterAll(() => rmSync(base, { recursive: true, force: true }));

const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
const wholeDisk = { path: { type: 'special', value: { kind: 'root' } }, access: 'write' } as const;
const someDenied = { path: { type: 'path', path: '/var/tmp/not-there' }, access: 'deny' } as const;

const profiles: Readonly<Record<string, PermissionProfile>> = {
  'read-only': profileFor('read-only', options),
  'workspace-write': profileFor('workspace-write', options),
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
  const places = { cwd: workspace, workspaceRoots: [workspace], slashTmp: true, gitDirectories: [] };
  const { files } = resolvePolicy(profile, places);
  const plan = planMounts({ files, deniedMatches: [], ownProcessTable }, viewHostDisk());
  if (plan.kind === 'impossible') return plan.message;
  const script =
    'find /proc /sys -type f -writable 2>/dev/null | sort | head -n 20; test -w /proc/sys/kernel/hostname && echo hostname; echo looked';
  const [file = '', ...argv] = bubblewrapArguments({
    bubblewrap: { kind: 'bubblewrap', path: bubblewrap, closesUserNamespaces: false, ownProcessTable },
    mounts: plan.options,
    network: 'restricted',
    cwd: '/',
    argv: ['/bin/sh', '-c', script],
  });
  const run = spawnSync(file, argv, { cwd: '/', uid: user, gid: user, encoding: 'utf8' });
  return run.stdout + run.stderr;
}

const own = process.getuid?.() ?? -1;
const users = own === 0 ? [0, 65_534] : [own];

describe.skipIf(!isPossible)('a command cannot write the settings of the kernel (needs Linux and bubblewrap)', () => {
  describe.each(users)('as user %d', (user) => {
    test.each(Object.keys(profiles))('%s', (name) => {
      expect(writableKernelFiles(profiles[name]!, user, true)).toBe('looked\n');
    });

    test.each(Object.keys(profiles))('%s, where the system gives no process table of its own', (name) => {
      expect(writableKernelFiles(profiles[name]!, user, false)).toBe('looked\n');
    });
  });
});
