import type { Question } from '../../../../protocol/question.ts';
import type { ThreadEvent } from '../../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import { failedCheckpointLine } from '../../../views/wording/checkpoint-words.ts';
import { agentEnd, missingAnswerReason } from '../../../views/wording/turn-lines.ts';
import { changeLine } from '../change-entries.ts';
import { answerCell, reasoningCell } from './answer-cells.ts';
import type { Cell } from './cell.ts';
import { type CallState, commandCell } from './command-cell.ts';
import { decisionCell, refusedCell } from './decision-cells.ts';
import { hookCell } from './hook-cells.ts';
import { type EndedTurn, failedTurnCell, noticeCell, quietCell, turnEndCell } from './notice-cells.ts';
import { calledPatchCell, patchCell } from './patch-cells.ts';
import {
  agentCell,
  backgroundCell,
  callCell,
  genericCell,
  imageCell,
  planCell,
  questionsCell,
  webSearchCell,
} from './tool-call-cells.ts';
import { userCell } from './user-cell.ts';

export interface EventContext {
  /** The question of a `question-answered` event. */
  readonly question?: Question;
  readonly end?: EndedTurn;
  /** The beginning of an answer is shown above the end of its turn. */
  readonly isUnfinished?: boolean;
}

export function eventCell(
  event: ThreadEvent,
  { question, end, isUnfinished = false }: EventContext = {},
): Cell | undefined {
  switch (event.kind) {
    case 'item-completed':
      return itemCell(event.item);
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
      if (event.lastMessage === undefined) return noticeCell('info', { message: missingAnswerReason(event) });
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

/** The cell of an item. Exploring calls share one: `exploringCell`. */
export function itemCell(item: TurnItem, context: CallState = {}): Cell {
  switch (item.kind) {
    case 'user-message':
      return userCell(item);
    case 'agent-message':
      return answerCell(item);
    case 'reasoning':
      return reasoningCell(item);
    case 'web-search':
      return webSearchCell(item);
    case 'image-generation':
    case 'image-view':
      return imageCell(item);
    case 'plan':
      return planCell(item);
    case 'command':
      return commandCell(item, context);
    case 'file-change':
      return patchCell(item);
    case 'tool-call':
      return agentCell(item) ?? backgroundCell(item) ?? questionsCell(item) ?? calledPatchCell(item) ?? callCell(item);
    default:
      // A newer engine may have more kinds.
      return genericCell(item satisfies never);
  }
}
