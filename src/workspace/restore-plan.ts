import type { Change, Changes } from './compare-trees.ts';
import { type TreeNode, sameEntry } from './tree.ts';

/** What happened to a workspace between two moments, and who did it. */
export interface Transition {
  /**
   * `others`: it happened while a turn ran, and the turn did not do it. `unrecorded`: the same, from a record that does
   * not say who did. `unknown`: a turn was cut off, so that its changes and later ones of the user cannot be separated.
   */
  readonly by: 'thread' | 'user' | 'others' | 'unrecorded' | 'unknown';
  readonly changes: Changes;
}

/** One path that a restore brings back. Without `to` it is deleted, without `now` it does not exist. */
export interface RestoreAction {
  readonly path: string;
  readonly now?: TreeNode;
  readonly to?: TreeNode;
}

export interface KeptPath {
  readonly path: string;
  readonly why: KeptReason;
}

/**
 * `changed-since`: another program or the user changed it after the thread did. `unknown`: perhaps one of them did.
 * `left-out`: its content is not kept, by a limit or because it could not be read. `in-the-way`: something else stands
 * there or in it. `meanwhile`: it changed while a turn ran, and not by the turn. `not-recorded`: it was made while a
 * turn ran, and the record does not say by whom.
 */
export type KeptReason = 'changed-since' | 'unknown' | 'left-out' | 'in-the-way' | 'meanwhile' | 'not-recorded';

export interface RestorePlan {
  readonly actions: readonly RestoreAction[];
  readonly kept: readonly KeptPath[];
}

export interface PlanOptions {
  /** Also takes back what the user did to a path after the thread. */
  readonly force: boolean;
  /** Also takes back what others did while a turn ran. */
  readonly meanwhile: boolean;
}

/**
 * What to do so that everything the thread changed is as it was, and everything else stays. The transitions follow each
 * other without a gap up to now. A path goes back to what it was before the thread first touched it; what others did
 * to it is not lost unless an option says so.
 */
export function planRestore(transitions: readonly Transition[], { force, meanwhile }: PlanOptions): RestorePlan {
  const actions: RestoreAction[] = [];
  const kept: KeptPath[] = [];
  for (const [path, story] of storiesOf(transitions)) {
    // What was ignored until then may have been there: only what is done to it later can be taken back.
    const goesBack = ({ by, change }: Chapter): boolean =>
      by !== 'user' && (by !== 'others' || meanwhile) && change.ignored !== 'before';
    const now = story.at(-1)?.change.to;
    const first = story.findIndex(goesBack);
    const begun = story[first];
    if (begun === undefined) {
      if (isWorthTelling(story, now)) kept.push({ path, why: 'meanwhile' });
      continue;
    }
    const to = begun.change.from;
    if (sameEntry(now, to)) continue;
    const since = story.slice(first);
    if (begun.by === 'unrecorded' && to === undefined && !meanwhile) {
      if (now?.kind !== 'folder') kept.push({ path, why: 'not-recorded' });
      continue;
    }
    if (now?.kind === 'left-out' || to?.kind === 'left-out') kept.push({ path, why: 'left-out' });
    else if (!force && since.some(({ by }) => by === 'user' || (by === 'others' && !meanwhile)))
      kept.push({ path, why: 'changed-since' });
    else if (!force && since.some(({ by }) => by === 'unknown')) kept.push({ path, why: 'unknown' });
    else actions.push({ path, ...(now && { now }), ...(to && { to }) });
  }
  return { actions, kept };
}

/** What others did while a turn ran, and what can still be seen of it. Folders follow from what is in them. */
function isWorthTelling(story: readonly Chapter[], now: TreeNode | undefined): boolean {
  const from = story.find(({ by, change }) => by === 'others' && change.ignored === undefined)?.change;
  if (from === undefined || sameEntry(from.from, now)) return false;
  return [from.from, now].some((entry) => entry !== undefined && entry.kind !== 'folder');
}

interface Chapter {
  readonly by: Transition['by'];
  readonly change: Change;
}

/** What happened to each path, in order. */
function storiesOf(transitions: readonly Transition[]): readonly (readonly [string, readonly Chapter[]])[] {
  const chapters = transitions.flatMap(({ by, changes }) =>
    [...changes].map(([path, change]) => ({ path, by, change })),
  );
  return [...Map.groupBy(chapters, ({ path }) => path)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
