import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { failureWords } from '../../engine/failure-words.ts';
import { elapsedWords } from '../text/elapsed.ts';
import type { Cell } from './cell.ts';
import { noticeCell } from './notice-cell.ts';
import { quietCell } from './quiet-cell.ts';
import { timeOfDay } from './turn-end-cell.ts';

/** Why a turn failed: what happened, what the provider says of it, and what to do. One that another model continues is no error. */
export function failedTurnCell(
  { outcome, continuedBy }: Extract<ThreadEvent, { kind: 'turn-failed' }>,
  at: number | undefined,
): Cell {
  const { what, said, next, opensAt } = failureWords(outcome, at ?? 0);
  const left = at === undefined || opensAt === undefined ? 0 : opensAt - at;
  const opens =
    opensAt === undefined || left < 1000 ? [] : [`It may work at ${timeOfDay(opensAt)}, in ${elapsedWords(left)}.`];
  if (continuedBy !== undefined) {
    return quietCell({ line: `${continuedBy} continues: ${what}`, details: [said ?? '', next].join('\n').trim() });
  }
  return noticeCell('error', {
    message: what,
    next: [...(said === undefined ? [] : [`The provider says: ${said}`]), [...opens, next].join(' ')].join('\n'),
  });
}
