import type { PlainCommand, RunnableCommand, Sandbox, SandboxRefused } from '../ports/sandbox.ts';
import type { Spawn } from '../ports/spawn.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { findBubblewrap } from './linux/find-bubblewrap.ts';
import { type LinuxSandbox, planLinux } from './linux/linux-sandbox.ts';
import { createMountPoints } from './linux/mount-points.ts';
import { planMacos } from './macos/macos-sandbox.ts';
import { protectGit } from './protect-git.ts';

export interface SandboxOptions {
  /** As Node names them. */
  readonly platform: string;
  readonly architecture: string;
  /** The process's variables: `PATH`, and `CAPSTAN_BWRAP` for a bubblewrap that is not on it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the engine works: programs from there are not trusted to build sandboxes. */
  readonly cwd: string;
  /** A bubblewrap that came with the package; it need not exist. */
  readonly packagedBubblewrap?: string;
  /** Where engines of this user tell each other which mount points are in use: the same for all of them. */
  readonly temporaryDirectory: string;
  /** How long folders that a sandbox needed stay after its end, for the next one. Default: not at all. */
  readonly lingerMs?: number;
  /** Runs the one probe that tells what this machine can do. */
  readonly spawn: Spawn;
}

export interface PreparedSandbox extends Sandbox {
  /** Starts finding out what this machine can do, so that the first command need not wait for it. Never needed. */
  prepare(): void;
}

/** Commands isolated as the policy says, by the means of the platform, or refused (I10). */
export function createSandbox(options: SandboxOptions): PreparedSandbox {
  let linux: Promise<LinuxSandbox | SandboxRefused> | undefined;
  const findLinux = () => (linux ??= findLinuxSandbox(options));
  return {
    prepare() {
      if (options.platform === 'linux') void findLinux();
    },
    async plan(command, asked, gitFolders = []) {
      if (!needsSandbox(asked)) return unchanged(command);
      const policy = protectGit(asked, gitFolders);
      if ('kind' in policy) return policy;
      switch (options.platform) {
        case 'linux': {
          const found = await findLinux();
          return 'bubblewrap' in found ? planLinux(command, policy, found) : found;
        }
        case 'darwin':
          return planMacos(command, policy);
        default:
          return noSandboxOn(options.platform);
      }
    },
  };
}

function needsSandbox({ enforcement, files, network }: ResolvedPolicy): boolean {
  return enforcement === 'managed' && !(files.kind === 'unrestricted' && network === 'enabled');
}

function unchanged({ argv, cwd, env }: PlainCommand): RunnableCommand {
  return { kind: 'runnable', argv, cwd, env, files: [], cleanup: async () => {} };
}

async function findLinuxSandbox({
  env,
  cwd,
  packagedBubblewrap,
  architecture,
  temporaryDirectory,
  lingerMs = 0,
  spawn,
}: SandboxOptions): Promise<LinuxSandbox | SandboxRefused> {
  const chosen = env['CAPSTAN_BWRAP'];
  const bubblewrap = await findBubblewrap(
    {
      path: env['PATH'] ?? '',
      cwd,
      ...(chosen === undefined ? {} : { chosen }),
      ...(packagedBubblewrap === undefined ? {} : { packaged: packagedBubblewrap }),
    },
    spawn,
  );
  if (bubblewrap.kind === 'refused') return bubblewrap;
  return { bubblewrap, architecture, mountPoints: createMountPoints({ temporaryDirectory, lingerMs }) };
}

function noSandboxOn(platform: string): SandboxRefused {
  return {
    kind: 'refused',
    code: 'sandbox-missing',
    message: `There is no sandbox for ${platform} yet, and the policy does not let commands run without one.`,
    next: 'Run inside WSL2, a Linux machine or a container, or choose the mode danger-full-access if this machine is itself isolated.',
  };
}
