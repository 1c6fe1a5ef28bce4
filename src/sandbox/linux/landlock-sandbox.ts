import type { PlainCommand, RunnableCommand, SandboxRefused } from '../../ports/sandbox.ts';
import { defined } from '../../protocol/defined.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { followLinks, viewHostDisk } from '../common/host-disk.ts';
import { movedWorkspace, unenforceable } from '../common/unenforceable.ts';
import type { LandlockHelperInput } from './landlock-helper-input.ts';
import { planLandlock } from './landlock-plan.ts';
import type { LegacyModel } from './legacy-projection.ts';
import { isSeccompArchitecture } from './seccomp.ts';

export interface LandlockHelper {
  readonly node: string;
  readonly script: string;
  /** Where the package begins that reaches the kernel. */
  readonly library: string;
}

export interface LandlockSandbox {
  readonly architecture: string;
  /** What becomes the command. */
  readonly helper: LandlockHelper;
}

/** The command behind a helper that the kernel holds before it becomes the command. */
export function planWithLandlock(
  command: PlainCommand,
  { model, policy }: { readonly model: LegacyModel; readonly policy: ResolvedPolicy },
  { architecture, helper }: LandlockSandbox,
): RunnableCommand | SandboxRefused {
  const disk = viewHostDisk();
  const moved = movedWorkspace(policy.files, command.cwd, disk);
  if (moved !== undefined) return moved;
  if (!isSeccompArchitecture(architecture)) {
    return unenforceable({ message: `There is no system-call filter for ${architecture}.`, next: 'Use bubblewrap.' });
  }
  const places = model.writable.map((path) => followLinks(disk, path));
  const kindAt = (path: string) => {
    const { kind } = followLinks(disk, path);
    return kind === 'folder' || kind === 'file' ? kind : 'missing';
  };
  const request = { model: { ...model, writable: places.map(({ path }) => path) }, policy, architecture };
  const plan = planLandlock({ ...request, disk: { kindAt, list: disk.list } });
  const { argv, env, terminal } = command;
  const input: LandlockHelperInput = { plan, argv, env, ...defined({ terminal }) };
  return {
    kind: 'runnable',
    argv: [helper.node, '--no-warnings', helper.script, helper.library],
    cwd: command.cwd,
    env: {},
    files: [Buffer.from(JSON.stringify(input))],
    cleanup: async () => {},
  };
}
