import type { Config } from '../../config/config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GitGuard } from '../../ports/git-guard.ts';
import type { Snapshots } from '../../ports/snapshots.ts';
import type { EngineParts } from './engine-parts.ts';

// What threads have of the workspace room. Its code is loaded on use: by then the first request is on its way.

/** Together with what snapshots see anyway this covers most workspaces; beyond it the user is warned. */
const mostEntries = 100_000;
const mostMs = 1000;

/** Looks for git folders, from the first turn on that may write. */
export function lazyGitGuard(clock: Clock): GitGuard {
  let current: readonly string[] = [];
  return {
    get current() {
      return current;
    },
    async look(request, signal) {
      const [{ findGit }, { Pace }] = await Promise.all([
        import('../../workspace/find-git.ts'),
        import('../../workspace/pace.ts'),
      ]);
      const until = clock.now() + mostMs;
      const limits = { pace: new Pace(clock, signal), mostEntries, isLate: () => clock.now() > until };
      try {
        const { paths, repositories, unseen } = await findGit(request, limits);
        current = paths;
        return { repositories, unseen };
      } catch {
        return { repositories: [], unseen: request.roots };
      }
    },
  };
}

export function lazySnapshots(
  { options, base, threadStore, clock }: Pick<EngineParts, 'options' | 'base' | 'threadStore' | 'clock'>,
  undo: Config['undo'],
): Snapshots {
  const make = async () => {
    const [{ WorkspaceSnapshots }, { nodeWorkspaceDisk: disk }] = await Promise.all([
      import('../../workspace/workspace-snapshots.ts'),
      import('../../workspace/node-workspace-disk.ts'),
    ]);
    const places = { env: options.env, osHome: options.osHome, home: base.home };
    return new WorkspaceSnapshots(places, { clock, disk, contents: threadStore.contents }, undo);
  };
  let made: ReturnType<typeof make> | undefined;
  return { take: async (request, signal) => (await (made ??= make())).take(request, signal) };
}
