import { access } from '../../policy/access.ts';
import type { PlainCommand, RunnableCommand, SandboxRefused } from '../../ports/sandbox.ts';
import { defined } from '../../protocol/defined.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { expandGlobs } from '../common/expand-globs.ts';
import { followLinks, viewHostDisk } from '../common/host-disk.ts';
import { movedWorkspace, unenforceable } from '../common/unenforceable.ts';
import { type LandlockHelperInput, planLandlock } from './landlock-plan.ts';
import { isSeccompArchitecture } from './seccomp.ts';

export interface LandlockHelper {
  readonly node: string;
  readonly script: string;
  /** Where the package begins that reaches the kernel. */
  readonly library: string;
  /** By which engines know the commands. Absent: any of them may be meant. */
  readonly mark?: number;
}

export interface LandlockSandbox {
  readonly architecture: string;
  /** What becomes the command. */
  readonly helper: LandlockHelper;
}

/** The command behind a helper that the kernel holds before it becomes the command. */
export async function planWithLandlock(
  command: PlainCommand,
  policy: ResolvedPolicy,
  { architecture, helper }: LandlockSandbox,
): Promise<RunnableCommand | SandboxRefused> {
  const { files } = policy;
  if (!isSeccompArchitecture(architecture)) {
    return unenforceable({ message: `There is no system-call filter for ${architecture}.`, next: 'Use bubblewrap.' });
  }
  const expansion = await (files.kind === 'restricted'
    ? expandGlobs(files.denyGlobs, files.globDepth)
    : expandGlobs([]));
  if (expansion.kind === 'impossible') return unenforceable(expansion);
  const disk = viewHostDisk();
  const moved = movedWorkspace(files, command.cwd, disk);
  if (moved !== undefined) return moved;
  const cwd = followLinks(disk, command.cwd).path;
  if (access(policy, command.cwd) === 'deny' && access(policy, cwd) === 'deny') {
    return unenforceable({
      message: `The policy denies reading the working folder ${JSON.stringify(command.cwd)}.`,
      next: 'Work in a folder that the profile makes readable, or add an entry for this one.',
    });
  }
  const user = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  const plan = planLandlock({ policy, deniedMatches: expansion.paths, architecture, user }, disk);
  if (plan.kind === 'impossible') return unenforceable(plan);
  const { argv, env, terminal } = command;
  const input: LandlockHelperInput = { plan, argv, env, ...defined({ terminal, mark: helper.mark }) };
  return {
    kind: 'runnable',
    argv: [helper.node, '--no-warnings', helper.script, helper.library],
    cwd: command.cwd,
    env: {},
    files: [Buffer.from(JSON.stringify(input))],
    cleanup: async () => {},
  };
}
