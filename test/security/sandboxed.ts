import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import type { ResolvedPolicy } from '../../src/protocol/permissions.ts';
import { viewHostDisk } from '../../src/adapters/sandbox/disk-view.ts';
import { bubblewrapArguments, planMounts } from '../../src/adapters/sandbox/linux/bubblewrap.ts';
import { bubblewrapCandidates } from '../../src/adapters/sandbox/linux/find-bubblewrap.ts';
import { createEmptyMountPoints } from '../../src/adapters/sandbox/linux/mount-points.ts';
import { mountRegistryFolders } from '../../src/adapters/sandbox/linux/mount-registry.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const packaged = join(import.meta.dirname, '../../.local/bubblewrap/usr/bin/bwrap');
const chosen = process.env['CAPSTAN_BWRAP'];
const program = bubblewrapCandidates(
  { path: process.env['PATH'] ?? '', writable: [], packaged, ...(chosen === undefined ? {} : { chosen }) },
  nodeProgramFiles,
).find((candidate) => typeof candidate === 'string');

export const sandboxIsPossible = !noNamespaces && program !== undefined;

/** The users who run commands here: root has more to lose, and most people are plain users. */
const self = process.getuid?.() ?? -1;
export const users: readonly number[] = self === 0 ? [0, 65_534] : [self];

/** Real sandboxes for any user: bubblewrap stands where a plain user can start it. */
export function createSandboxed() {
  const base = sandboxIsPossible ? mkdtempSync('/var/tmp/capstan-security-') : '';
  const bubblewrap = join(base, 'bwrap');
  if (program !== undefined && sandboxIsPossible) {
    copyFileSync(program, bubblewrap);
    for (const path of [base, bubblewrap]) chmodSync(path, 0o755);
  }
  // The sandboxes of other suites mount on the same folders in /tmp, so none is removed that one of them uses.
  const mountPoints = createEmptyMountPoints({
    registries: mountRegistryFolders(),
    processes: processTable,
    temporaryDirectories: ['/tmp'],
    lingerMs: 0,
  });
  return {
    /** Runs a script; returns its output, or the reason why there is no sandbox for it. */
    run(
      { files, network }: ResolvedPolicy,
      script: string,
      { user, cwd, ownProcessTable = true }: { user: number; cwd: string; ownProcessTable?: boolean },
    ): string {
      const disk = viewHostDisk();
      const canCreateIn = user === self ? disk.canCreateIn : (folder: string) => (statSync(folder).mode & 0o002) !== 0;
      const plan = planMounts({ files, deniedMatches: [], ownProcessTable }, { ...disk, canCreateIn });
      if (plan.kind === 'refused') return plan.message;
      const [file = '', ...argv] = bubblewrapArguments({
        bubblewrap: { kind: 'bubblewrap', path: bubblewrap, closesUserNamespaces: false, ownProcessTable },
        mounts: plan.options,
        network,
        cwd,
        argv: ['/bin/sh', '-c', script],
      });
      const hold = mountPoints.hold(plan.mountPoints);
      // Another user's bubblewrap would make them as that user's, whose folders are not ours to remove.
      for (const point of plan.mountPoints) mkdirSync(point, { recursive: true });
      const ended = spawnSync(file, argv, { cwd: '/', uid: user, gid: user, encoding: 'utf8' });
      hold.release();
      return ended.stdout + ended.stderr;
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}
