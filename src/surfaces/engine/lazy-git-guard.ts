import type { Clock } from '../../ports/clock.ts';
import type { GitGuard } from '../../ports/git-guard.ts';

/** Together with what snapshots see anyway this covers most workspaces; beyond it the user is warned. */
const mostEntries = 100_000;
const mostMs = 1000;

/** Looks for git folders with code that is loaded when the first turn may write. */
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
