import { entries } from '../history/history.ts';
import type { ThreadState } from './thread-state.ts';

/** The state as plain JSON, for comparing and for people. Rollback marks are left out: they are a means, not a fact. */
export function describeState(state: ThreadState): string {
  const { history, marks: _marks, toolSets, openTurn, ...rest } = state;
  const { before: _before, ...turn } = openTurn ?? { before: undefined };
  return JSON.stringify({
    ...rest,
    openTurn: openTurn === undefined ? null : turn,
    toolSets: [...toolSets].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    history: entries(history),
  });
}
