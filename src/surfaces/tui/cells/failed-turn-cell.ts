import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { failureWords } from '../../engine/failure-words.ts';
import type { Cell } from './cell.ts';
import { noticeCell } from './notice-cell.ts';
import { quietCell } from './quiet-cell.ts';

/** Why a turn failed: what happened, what the provider says of it, and what to do. One that another model continues is no error. */
export function failedTurnCell(
  { outcome, continuedBy }: Extract<ThreadEvent, { kind: 'turn-failed' }>,
  at: number | undefined,
): Cell {
  const { what, said, next } = failureWords(outcome, at ?? 0);
  if (continuedBy !== undefined) {
    return quietCell({ line: `${continuedBy} continues: ${what}`, details: [said ?? '', next].join('\n').trim() });
  }
  return noticeCell('error', {
    message: what,
    next: [...(said === undefined ? [] : [`It says: ${said}`]), next].join('\n'),
  });
}
