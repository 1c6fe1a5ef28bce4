import type { Question } from '../../../protocol/question.ts';
import type { ModelSwitchedEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import { agentEnd } from '../../exec/agent-lines.ts';
import { withoutAnswer } from '../../exec/hook-lines.ts';
import { checkpointLine, checkpointText, failedCheckpointLine } from '../../wording/checkpoint-words.ts';
import { elapsedWords } from '../text/elapsed.ts';
import { cellOf } from './cell-of.ts';
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
}

/** The cell of something that happened. Undefined: it has none, or is part of another. */
export function cellOfEvent(event: ThreadEvent, { question, end }: EventContext = {}): Cell | undefined {
  switch (event.kind) {
    case 'item-completed':
      return cellOf(event.item);
    case 'call-refused':
      return refusedCell(event);
    case 'question-answered':
      return question === undefined ? undefined : decisionCell(question, event.answer);
    case 'hook-completed':
      return hookCell(event.run);
    case 'warning':
      return noticeCell('warning', event.outcome);
    case 'retrying':
      return quietCell({ kind: 'warning', ...retryWords(event) });
    case 'model-switched':
      return quietCell(switchWords(event));
    case 'checkpoint-installed':
      return quietCell({
        line: checkpointLine(event.report),
        details: checkpointText(event.report).replace(/^.*\n/, ''),
      });
    case 'checkpoint-failed':
      return noticeCell('warning', { message: failedCheckpointLine(event) });
    case 'context': {
      const line = agentEnd(event);
      return line === undefined ? undefined : quietCell({ line, details: event.text });
    }
    case 'turn-failed':
      return failedTurnCell(event, end?.endedAt);
    case 'turn-aborted':
      return noticeCell('warning', { message: 'The turn was interrupted.', next: 'Say what to do differently.' });
    case 'turn-suspended':
      return noticeCell('warning', { message: 'The turn waits for your answer.' });
    case 'turn-completed':
      if (event.lastMessage === undefined) return noticeCell('info', { message: withoutAnswer(event) });
      return end === undefined ? undefined : turnEndCell(end);
    case 'thread-started':
    case 'settings':
    case 'turn-started':
    case 'item-started':
    case 'item-updated':
    case 'question-asked':
    case 'hook-started':
    case 'usage':
    case 'prefix-broken':
    case 'checkpoint-started':
    case 'checkpoint-stage':
      return undefined;
  }
}

function retryWords({ outcome, waitMs }: Extract<ThreadEvent, { kind: 'retrying' }>) {
  const line = waitMs < 1000 ? outcome.message : `In ${elapsedWords(waitMs)} again: ${outcome.message}`;
  return { line, details: outcome.next };
}

function switchWords({ from, to, changes }: ModelSwitchedEvent) {
  const moved = changes.map(
    ({ field, from: before, to: after }) =>
      `${field}: ${JSON.stringify(before) ?? 'none'} -> ${JSON.stringify(after) ?? 'none'}`,
  );
  return { line: `Model changed from ${from} to ${to}`, details: moved.join('\n') };
}
