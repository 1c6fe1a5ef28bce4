import type { Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { agentEnd } from '../../exec/agent-lines.ts';
import { withoutAnswer } from '../../exec/hook-lines.ts';
import { failedCheckpointLine } from '../../wording/checkpoint-words.ts';
import { cellOf } from './cell-of.ts';
import { changeLine } from './change-line.ts';
import type { Cell } from './cell.ts';
import { decisionCell } from './decision-cell.ts';
import { failedTurnCell } from './failed-turn-cell.ts';
import { hookCell } from './hook-cell.ts';
import { noticeCell } from './notice-cell.ts';
import { quietCell } from './quiet-cell.ts';
import { refusedCell } from './refused-cell.ts';
import { turnEndCell, type EndedTurn } from './turn-end-cell.ts';

/** What is known of an event beyond itself. */
export interface EventContext {
  /** That a `question-answered` is about. */
  readonly question?: Question;
  /** Of the turn that ended. */
  readonly end?: EndedTurn;
  /** The beginning of an answer stands above the end of its turn. */
  readonly isUnfinished?: boolean;
}

/** The cell of something that happened. Undefined: it has none, or is part of another. */
export function cellOfEvent(
  event: ThreadEvent,
  { question, end, isUnfinished = false }: EventContext = {},
): Cell | undefined {
  switch (event.kind) {
    case 'item-completed':
      return cellOf(event.item);
    case 'call-refused':
      return refusedCell(event);
    case 'question-answered':
      // The cell of the questions has the answers.
      if (question === undefined || (question.kind === 'input' && event.answer.kind === 'allowed')) return undefined;
      return decisionCell(question, event.answer);
    case 'hook-completed':
      return hookCell(event.run);
    case 'warning':
      return noticeCell('warning', event.outcome);
    case 'retrying':
      return quietCell(changeLine({ kind: 'retry', events: [event] }));
    case 'model-switched':
      return quietCell(changeLine({ kind: 'switch', event }));
    case 'checkpoint-installed':
      return quietCell(changeLine({ kind: 'checkpoint', event }));
    case 'prefix-broken':
      return quietCell(changeLine({ kind: 'prefix', prefix: event }));
    case 'checkpoint-failed':
      return noticeCell('warning', { message: failedCheckpointLine(event) });
    case 'context': {
      const line = agentEnd(event);
      return line === undefined ? undefined : quietCell({ line, details: event.text });
    }
    case 'turn-failed':
      return failedTurnCell(event, end?.endedAt);
    case 'turn-aborted':
      return noticeCell('warning', {
        message: `The turn was interrupted.${isUnfinished ? ' The answer above is not finished.' : ''}`,
        next: 'Say what to do differently.',
      });
    case 'turn-suspended':
      return noticeCell('warning', { message: 'The turn waits for your answer.' });
    case 'turn-completed':
      if (event.lastMessage === undefined) return noticeCell('info', { message: withoutAnswer(event) });
      return end === undefined ? undefined : turnEndCell(end);
    case 'code-reviewed':
    case 'thread-started':
    case 'settings':
    case 'turn-started':
    case 'item-started':
    case 'item-updated':
    case 'question-asked':
    case 'hook-started':
    case 'usage':
    case 'checkpoint-started':
    case 'checkpoint-stage':
      return undefined;
  }
}
