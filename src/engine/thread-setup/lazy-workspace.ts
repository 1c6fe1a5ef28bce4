import type { Config } from '../../core/config/config.ts';
import type { Clock } from '../../ports/system.ts';
import type { GitGuard, RepositorySearch, Snapshots } from '../../ports/workspace.ts';
import type { ThreadParts } from '../thread/thread-parts.ts';
import type { EngineParts } from '../engine-parts.ts';

// The code behind these is loaded on use: by then the first request is on its way.

/** Covers most workspaces together with the files in snapshots; beyond it the user is warned. */
const mostEntries = 100_000;
const mostMs = 1000;

/** Starts with the first turn that may write. */
export function lazyGitGuard(clock: Clock): GitGuard {
  let known: Pick<GitGuard, 'current' | 'missing'> = { current: [], missing: [] };
  const find = async (request: RepositorySearch, signal: AbortSignal) => {
    const [{ findGitFolders: findGit }, { TimeSlicer }] = await Promise.all([
      import('../workspace/find-git-folders.ts'),
      import('../workspace/yield-to-event-loop.ts'),
    ]);
    const until = clock.now() + mostMs;
    const limits = { pace: new TimeSlicer(clock, signal), mostEntries, isLate: () => clock.now() > until };
    return findGit(request, limits).catch(() => undefined);
  };
  return {
    get current() {
      return known.current;
    },
    get missing() {
      return known.missing;
    },
    async look(request, signal) {
      const found = await find(request, signal);
      if (found !== undefined) known = { current: found.paths, missing: found.missing };
      return found ?? nothingSeen(request);
    },
    find: async (request, signal) => (await find(request, signal)) ?? nothingSeen(request),
  };
}

const nothingSeen = ({ roots: unseen }: RepositorySearch) => ({ repositories: [], settings: [], unseen });

export function lazySnapshots(engine: EngineParts, undo: Config['undo']): Snapshots {
  const { options, base, threadStore, clock, ownPlaces } = engine;
  const make = async () => {
    const [{ WorkspaceSnapshots }, { nodeWorkspaceDisk: disk }] = await Promise.all([
      import('../undo/workspace-snapshots.ts'),
      import('../workspace/workspace-disk.ts'),
    ]);
    const places = { env: options.env, osHome: options.osHome, home: base.home, own: ownPlaces };
    return new WorkspaceSnapshots(places, { clock, disk, contents: threadStore.contents }, undo);
  };
  let made: ReturnType<typeof make> | undefined;
  return { take: async (request, signal) => (await (made ??= make())).take(request, signal) };
}

export function lazyImageSaver(home: string): NonNullable<ThreadParts['saveImage']> {
  return async (image) => (await import('../workspace/save-generated-image.ts')).saveGeneratedImage(home, image);
}
