import { needsSandbox, writableRoots } from '../policy/access.ts';
import { networkReach } from '../policy/network/network-reach.ts';
import type { ProcessTable } from '../ports/processes.ts';
import type { ProgramFiles } from '../ports/program-files.ts';
import type { Sandbox, SandboxRefused } from '../ports/sandbox.ts';
import type { Spawn } from '../ports/spawn.ts';
import { defined } from '../protocol/defined.ts';
import { type BubblewrapParts, findBubblewrap } from './linux/find-bubblewrap.ts';
import { type LinuxSandbox, planLinux } from './linux/linux-sandbox.ts';
import { createMountPoints, type MountPoints } from './linux/mount-points.ts';
import { planMacos } from './macos/macos-sandbox.ts';
import { protectGit } from './common/protect-git.ts';
import { unenforceable } from './common/unenforceable.ts';

export interface SandboxOptions {
  /** As Node names them. */
  readonly platform: string;
  readonly architecture: string;
  /** The process's variables: `PATH`, and `CAPSTAN_BWRAP` for a bubblewrap that is not on it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Where commands may write besides temporary folders, whatever the mode of a turn is: what one run may put there, the
   * next run must not start. No program from there is trusted to build sandboxes.
   */
  readonly writable: () => readonly string[];
  /** A bubblewrap that came with the package; it need not exist. */
  readonly packagedBubblewrap?: string;
  /** Where engines of this user may record which mount points are in use, best first: the same for all of them. */
  readonly mountRegistries: () => readonly string[];
  /** How long folders that a sandbox needed stay after its end, for the next one. Default: not at all. */
  readonly lingerMs?: number;
  /** Runs the one probe that shows what this machine can do. */
  readonly spawn: Spawn;
  readonly programFiles: ProgramFiles;
  readonly processes: ProcessTable;
}

export interface PreparedSandbox extends Sandbox {
  /** Starts finding out what this machine can do, so that the first command need not wait for it. Never needed. */
  prepare(): void;
}

/** Commands isolated as the policy says, by the means of the platform, or refused (I10). */
export function createSandbox(options: SandboxOptions): PreparedSandbox {
  const findLinux = linuxSandboxes(options);
  return {
    prepare() {
      if (options.platform === 'linux') void findLinux([]);
    },
    async plan(command, asked, gitFolders) {
      if (!needsSandbox(asked)) return { kind: 'runnable', ...command, files: [], cleanup: async () => {} };
      const policy = protectGit(asked, gitFolders);
      if ('kind' in policy) return policy;
      const isListed = networkReach(policy) === 'listed';
      if (isListed && options.platform !== 'linux') return noProxyOn(options.platform);
      if (options.platform === 'darwin') return planMacos(command, policy);
      if (options.platform !== 'linux') return noSandboxOn(options.platform);
      const found = await findLinux(writableRoots(policy).map(({ path }) => path));
      return 'bubblewrap' in found ? planLinux(command, policy, found) : found;
    },
  };
}

/**
 * Finds what builds sandboxes here, once for each set of folders that commands may write. To try a program is to run it
 * outside of every sandbox, so the folders are known before the first one is tried.
 */
function linuxSandboxes(options: SandboxOptions): (roots: readonly string[]) => Promise<LinuxSandbox | SandboxRefused> {
  const { packagedBubblewrap, architecture, spawn, programFiles, processes, mountRegistries, lingerMs = 0 } = options;
  const { CAPSTAN_BWRAP: chosen, PATH: path = '', TMPDIR: temporary = '' } = options.env;
  const probed: NonNullable<BubblewrapParts['probed']> = new Map();
  let mountPoints: MountPoints | undefined;
  async function search(writable: readonly string[]): Promise<LinuxSandbox | SandboxRefused> {
    const wanted = { path, writable, ...defined({ chosen, packaged: packagedBubblewrap }) };
    const bubblewrap = await findBubblewrap(wanted, { spawn, files: programFiles, probed });
    if (bubblewrap.kind === 'refused') return bubblewrap;
    const temporaryDirectories = [...new Set([temporary, '/tmp'])].filter((folder) => folder.startsWith('/'));
    mountPoints ??= createMountPoints({ registries: mountRegistries(), processes, temporaryDirectories, lingerMs });
    return { bubblewrap, architecture, mountPoints };
  }
  const found = new Map<string, Promise<LinuxSandbox | SandboxRefused>>();
  return (roots) => {
    const writable = [...new Set(['/tmp', temporary, ...options.writable(), ...roots])].toSorted();
    const key = writable.join('\0');
    const known = found.get(key) ?? search(writable);
    found.set(key, known);
    return known;
  };
}

/** Without the proxy the lists would be mere text (I10). */
function noProxyOn(platform: string): SandboxRefused {
  return unenforceable({
    message: `The permission profile lists hosts, and there is no proxy that enforces the lists on ${platform} yet.`,
    next: 'Remove the lists from the profile to allow every host, or disable the network.',
  });
}

function noSandboxOn(platform: string): SandboxRefused {
  const message = `There is no sandbox for ${platform} yet, and the policy requires one for commands.`;
  const isolated = 'choose the mode danger-full-access if this machine is itself isolated';
  const next = `Run inside WSL2, a Linux machine or a container, or ${isolated}.`;
  return { kind: 'refused', code: 'sandbox-missing', message, next };
}
