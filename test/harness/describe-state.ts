import { historyEntries } from '../../src/core/history/history.ts';
import type { ThreadState } from '../../src/core/state/thread-state.ts';

/** The state as plain JSON, for comparing and for people. Rollback marks, and what stands behind a checkpoint, are left out: a fold from there has not read it. */
export function describeState(state: ThreadState): string {
  const { history, behind: _behind, marks: _marks, toolSets, openTurn, sent, posted, ...rest } = state;
  const { before: _before, ...turn } = openTurn ?? { before: undefined };
  const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
  const described = {
    ...rest,
    openTurn: openTurn === undefined ? null : turn,
    toolSets: [...toolSets].toSorted(byName),
    sent: sent?.kind === 'request' ? { ...sent, history: sent.history.length } : (sent ?? null),
    posted: posted === undefined ? null : { ...posted, history: posted.history.length },
    history: historyEntries(history),
  };
  return JSON.stringify(Object.fromEntries(Object.entries(described).toSorted(byName)));
}
