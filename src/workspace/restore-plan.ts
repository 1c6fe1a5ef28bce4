import type { Change, Changes } from './compare-trees.ts';
import { type Entry, sameEntry } from './tree.ts';

/** What happened to a workspace between two moments, and who did it. */
export interface Transition {
  /** `unknown`: a turn was cut off, so that its changes and later ones of the user cannot be told apart. */
  readonly by: 'thread' | 'user' | 'unknown';
  readonly changes: Changes;
}

/** One path that a restore brings back. Without `to` it is deleted, without `now` it does not exist. */
export interface RestoreAction {
  readonly path: string;
  readonly now?: Entry;
  readonly to?: Entry;
}

export interface KeptPath {
  readonly path: string;
  readonly why: KeptReason;
}

/**
 * `changed-since`: somebody else changed it after the thread did. `unknown`: perhaps somebody did. `left-out`: its
 * content is not kept, by a limit or because it could not be read. `in-the-way`: something else stands there or in it.
 */
export type KeptReason = 'changed-since' | 'unknown' | 'left-out' | 'in-the-way';

export interface RestorePlan {
  readonly actions: readonly RestoreAction[];
  readonly kept: readonly KeptPath[];
}

/**
 * What to do so that everything the thread changed is as it was, and everything else stays. The transitions follow each
 * other without a gap up to now. A path goes back to what it was before the thread first touched it; what the user did
 * after that is not lost unless `force` is given.
 */
export function planRestore(transitions: readonly Transition[], { force }: { readonly force: boolean }): RestorePlan {
  const actions: RestoreAction[] = [];
  const kept: KeptPath[] = [];
  for (const [path, story] of storiesOf(transitions)) {
    // What was ignored until then may have been there: only what is done to it later can be taken back.
    const first = story.findIndex(({ by, change }) => by !== 'user' && change.ignored !== 'before');
    const begun = story[first];
    if (begun === undefined) continue;
    const to = begun.change.from;
    const now = story.at(-1)?.change.to;
    if (sameEntry(now, to)) continue;
    const since = story.slice(first);
    if (now?.kind === 'left-out' || to?.kind === 'left-out') kept.push({ path, why: 'left-out' });
    else if (!force && since.some(({ by }) => by === 'user')) kept.push({ path, why: 'changed-since' });
    else if (!force && since.some(({ by }) => by === 'unknown')) kept.push({ path, why: 'unknown' });
    else actions.push({ path, ...(now && { now }), ...(to && { to }) });
  }
  return { actions, kept };
}

interface Chapter {
  readonly by: Transition['by'];
  readonly change: Change;
}

/** What happened to each path, in order. */
function storiesOf(transitions: readonly Transition[]): readonly (readonly [string, readonly Chapter[]])[] {
  const stories = new Map<string, Chapter[]>();
  for (const { by, changes } of transitions) {
    for (const [path, change] of changes) {
      const story = stories.get(path);
      if (story === undefined) stories.set(path, [{ by, change }]);
      else story.push({ by, change });
    }
  }
  return [...stories].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
