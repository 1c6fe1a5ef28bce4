import type { Words } from '../../../../core/config/keys/key-kinds.ts';
import { refusalReason } from '../../../../core/fragments/answers/tool-calls.ts';
import { hostAtPort } from '../../../../core/policy/network/host-lists.ts';
import type { Answer, Question } from '../../../../protocol/question.ts';
import type { ThreadEvent } from '../../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import { questionWords } from '../../../views/questions/question-lines.ts';
import { unambiguousText } from '../../../views/terminal/exact-text.ts';
import { visibleLine } from '../../../views/terminal/visible-text.ts';
import { failedCheckpointLine } from '../../../views/wording/checkpoint-words.ts';
import { agentEndText, missingAnswerReason, reviewWords } from '../../../views/wording/turn-lines.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { glyphsOf, replaceGlyphs } from '../../screen/text/look.ts';
import { badStyle, boldStyle, dimStyle, goodStyle, plain, styled } from '../../screen/text/style.ts';
import { requestChangeLine } from '../change-entries.ts';
import { answerCell, reasoningCell, userCell } from './answer-cells.ts';
import { type Cell, cellWithHead } from './cell.ts';
import { type CallState, commandCell, commandLineRows } from './command-cell.ts';
import { foldLimits, outputRows } from './folded-output.ts';
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
  | Words<'item-updated settings code-reviewed question-asked usage checkpoint-stage'>;

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
  retrying: (event) => quietCell(requestChangeLine({ kind: 'retry', events: [event] })),
  'model-switched': (event) => quietCell(requestChangeLine({ kind: 'switch', event })),
  'checkpoint-installed': (event) => quietCell(requestChangeLine({ kind: 'checkpoint', event })),
  'prefix-broken': (prefix) => quietCell(requestChangeLine({ kind: 'prefix', prefix })),
  'checkpoint-failed': (event) => noticeCell('warning', { message: failedCheckpointLine(event) }),
  context(event) {
    const line = agentEndText(event);
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

export function decisionCell(question: Question, answer: Answer): Cell {
  return cellWithHead((look) => {
    const { good, bad } = glyphsOf(look);
    const sign = answer.kind === 'allowed' ? styled(good, goodStyle) : styled(bad, badStyle);
    const mark = look.glyphs === 'words' ? plain('') : sign;
    const review = reviewWords(answer, question.host && hostAtPort(question.host.name, question.host.port));
    const about = questionWords(question);
    const content = contentAsked(question);
    const [acted, answered] = decisionWords(answer);
    const decided =
      content === undefined ? `${acted} ${about}${scopeWords(answer, question)}` : `${answered} ${content}`;
    const note = review !== undefined ? about : answer.by === undefined ? answer.note : undefined;
    const shown = (text: string): string => replaceGlyphs(visibleLine(unambiguousText(text, 'words')), look);
    const lines = note === undefined ? [] : [[styled(shown(note), dimStyle)]];
    return { mark, head: [plain(shown(review ?? decided))], lines };
  });
}

/** Names the request of a question that asks for an answer. Undefined if it asks for a permission. */
function contentAsked({ kind, elicitation, agent }: Question): string | undefined {
  if (kind === 'input') return agent === undefined ? "the model's questions" : `the questions of agent ${agent}`;
  return elicitation === undefined ? undefined : `what the server ${elicitation.server} asked`;
}

function decisionWords({ kind, by }: Answer): readonly [act: string, answer: string] {
  const who = by === 'hook' ? 'A hook' : 'You';
  switch (kind) {
    case 'allowed':
      return [`${who} allowed Capstan to`, `${who} answered`];
    case 'declined':
      if (by === 'default') return ['No answer was prepared; Capstan did not', 'No answer was prepared to'];
      if (by === 'client') return ['The client brought no answer; Capstan did not', 'The client brought no answer to'];
      return [`${who} did not allow Capstan to`, `${who} declined to answer`];
    case 'stopped':
      return [`${who} ended the turn instead of letting Capstan`, `${who} ended the turn instead of answering`];
    case 'lapsed':
      return ['No answer came; Capstan did not', 'No answer came to'];
  }
}

function scopeWords({ kind, scope }: Answer, { kind: asked }: Question): string {
  if (kind !== 'allowed') return '';
  const once = asked === 'permissions' ? ' for this turn' : ' this time';
  return { call: once, session: ' for this session', rule: ' from now on, by a saved rule' }[scope ?? 'call'];
}

function refusedCell({ tool, item, reason }: Extract<ThreadEvent, { kind: 'call-refused' }>): Cell {
  return cellWithHead((look) => {
    const [command = [plain(cleanLine(nameOf(tool, item)))]] =
      item?.kind === 'command' ? commandLineRows(item.argv) : [];
    const output = outputRows(refusalReason(reason), foldLimits.refused, look);
    return { mark: 'bad', head: [styled('Not run: ', boldStyle), ...command], output };
  });
}

function nameOf(tool: string, item: TurnItem | undefined): string {
  if (item?.kind === 'tool-call' && item.server !== undefined) return `${item.server}.${item.tool}`;
  // A script that only applies a patch counts as a patch.
  return item?.kind === 'file-change' && tool === 'exec_command' ? 'apply_patch' : tool;
}
