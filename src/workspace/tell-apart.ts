import type { FileTime } from '../exec/file-time.ts';
import { isRunning, readCallTimes } from '../exec/call-times.ts';
import { isWithin } from '../policy/paths.ts';
import type { Touched } from '../ports/change-watch.ts';
import type { WorkspaceContents } from '../ports/snapshot-contents.ts';
import { attribution, type ChangedEntry, type TimeSpan } from './attribute.ts';
import { compareTrees } from './compare-trees.ts';
import type { EntrySight } from './disk.ts';
import { knownAt, type KnownWorkspace } from './known-workspace.ts';
import type { NewContents } from './new-contents.ts';
import { othersTree } from './others-tree.ts';
import type { Hash } from './tree.ts';

/** A snapshot as its maker remembers it. */
export interface Moment {
  readonly tree: Hash;
  /** When it was begun. */
  readonly at: FileTime;
  readonly known: KnownWorkspace;
}

export interface TellApartInput {
  readonly home: string;
  readonly root: string;
  readonly contents: WorkspaceContents;
  readonly before: Moment;
  /** With how its folders looked, and what else was not recognised. */
  readonly after: Moment & { readonly sights: ReadonlyMap<string, EntrySight> };
  readonly touched: readonly Touched[];
  /** For trees that neither snapshot has. */
  readonly added: NewContents;
}

/** The tree that others alone would have left between two snapshots. Rejects when a content is gone. */
export async function tellApart(input: TellApartInput): Promise<Hash> {
  const { home, root, contents, before, after, touched, added } = input;
  if (before.tree === after.tree) return after.tree;
  const changes = await compareTrees(contents, before.tree, after.tree);
  const isTheirs = attribution({
    root,
    since: before.at,
    touched,
    others: spansOfOthers(home, root, touched, before.at),
    before: before.known,
    after: (path) => sightOf(path, after),
  });
  const isOwn = (change: ChangedEntry): boolean => {
    const ignored = changes.get(change.path)?.ignored;
    // What only began to be ignored is still there; what was ignored before was not recorded.
    return ignored === undefined ? isTheirs(change) : ignored === 'after';
  };
  return othersTree(before.tree, after.tree, isOwn, { contents, added });
}

/** As the walk saw it. What was recognised is known with all its times. */
function sightOf(path: string, { sights, known }: TellApartInput['after']): EntrySight | undefined {
  const seen = sights.get(path);
  if (seen !== undefined) return seen;
  const entry = knownAt(known, path);
  if (entry === undefined) return undefined;
  const [size, modifiedAt, changedAt, number, mode, kind] = entry;
  return { kind: kind === 'link' ? 'link' : 'file', size, modifiedAt, changedAt, number, mode };
}

/** Calls of other threads in this folder, above it or below it, as far as they recorded them. */
function spansOfOthers(home: string, root: string, touched: readonly Touched[], since: FileTime): readonly TimeSpan[] {
  const ours = new Set(touched.map((one) => (one.kind === 'time' ? one.time.id : one.timeId)));
  return (
    readCallTimes(home)
      .filter((call) => !ours.has(call.id) && (isWithin(call.root, root) || isWithin(root, call.root)))
      // A call whose program died before the turn began can have changed nothing in it.
      .filter((call) => call.to !== undefined || call.from >= since.earliest || isRunning(call))
      .map(({ from, to = Infinity }) => ({ from, to }))
  );
}
