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

type EventOf<Kind extends ThreadEvent['kind']> = Extract<ThreadEvent, { kind: Kind }>;

/** Events without a cell: what they report is seen elsewhere on the screen. */
type WithoutCell =
  | `${'thread' | 'turn' | 'item' | 'hook' | 'checkpoint'}-started`
  | `item-updated`
  | 'settings'
  | 'code-reviewed'
  | 'question-asked'
  | 'usage'
  | 'checkpoint-stage';

const eventCells: {
  readonly [Kind in Exclude<ThreadEvent['kind'], WithoutCell>]: (
    event: EventOf<Kind>,
    by: EventContext,
  ) => Cell | undefined;
} = {
  'item-completed': ({ item }) => itemCell(item),
  'call-refused': refusedCell,
  'question-answered': ({ answer }, { question }) =>
    // The cell of the questions has the answers.
    question === undefined || (question.kind === 'input' && answer.kind === 'allowed')
      ? undefined
      : decisionCell(question, answer),
  'hook-completed': ({ run }) => hookCell(run),
  warning: ({ outcome }) => noticeCell('warning', outcome),
  retrying: (event) => quietCell(changeLine({ kind: 'retry', events: [event] })),
  'model-switched': (event) => quietCell(changeLine({ kind: 'switch', event })),
  'checkpoint-installed': (event) => quietCell(changeLine({ kind: 'checkpoint', event })),
  'prefix-broken': (prefix) => quietCell(changeLine({ kind: 'prefix', prefix })),
  'checkpoint-failed': (event) => noticeCell('warning', { message: failedCheckpointLine(event) }),
  context(event) {
    const line = agentEnd(event);
    return line === undefined ? undefined : quietCell({ line, details: event.text });
  },
  'turn-failed': (event, { end }) => failedTurnCell(event, end?.endedAt),
  'turn-aborted': (_, { isUnfinished }) =>
    noticeCell('warning', {
      message: `The turn was interrupted.${isUnfinished === true ? ' The answer above is not finished.' : ''}`,
      next: 'Say what to do differently.',
    }),
  'turn-suspended': () => noticeCell('warning', { message: 'The turn waits for your answer.' }),
  'turn-completed'(event, { end }) {
    if (event.lastMessage === undefined) return noticeCell('info', { message: missingAnswerReason(event) });
    return end && turnEndCell(end);
  },
};

export function eventCell(event: ThreadEvent, by: EventContext = {}): Cell | undefined {
  const makers: Readonly<Partial<Record<string, (event: never, by: EventContext) => Cell | undefined>>> = eventCells;
  return makers[event.kind]?.(event as never, by);
}

const itemCells: {
  readonly [Kind in TurnItem['kind']]: (item: Extract<TurnItem, { kind: Kind }>, context: CallState) => Cell;
} = {
  'user-message': userCell,
  'agent-message': answerCell,
  reasoning: reasoningCell,
  'web-search': webSearchCell,
  'image-generation': imageCell,
  'image-view': imageCell,
  plan: planCell,
  command: commandCell,
  'file-change': patchCell,
  'tool-call': (item) =>
    agentCell(item) ?? backgroundCell(item) ?? questionsCell(item) ?? calledPatchCell(item) ?? callCell(item),
};

/** The cell of an item. Exploring calls share one: `exploringCell`. A newer engine may have more kinds. */
export function itemCell(item: TurnItem, context: CallState = {}): Cell {
  const make = Object.hasOwn(itemCells, item.kind) ? itemCells[item.kind] : genericCell;
  return (make as (item: TurnItem, context: CallState) => Cell)(item, context);
}
