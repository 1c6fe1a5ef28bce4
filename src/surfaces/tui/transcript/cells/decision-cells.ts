import { refusalReason } from '../../../../core/fragments/answers/tool-calls.ts';
import { hostAtPort } from '../../../../core/policy/network/host-lists.ts';
import type { Answer, Question } from '../../../../protocol/question.ts';
import type { ThreadEvent } from '../../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import { questionWords } from '../../../views/questions/question-lines.ts';
import { exactText } from '../../../views/terminal/exact-text.ts';
import { visibleLine } from '../../../views/terminal/text.ts';
import { reviewWords } from '../../../views/wording/turn-lines.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { glyphsOf, wordsWithGlyphs } from '../../screen/text/look.ts';
import { badStyle, boldStyle, dimStyle, goodStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { type Cell, cellFromRows, headRows, indentWrappedRows, stateMark, underRows } from './cell.ts';
import { commandLineRows } from './command-cell.ts';
import { foldLimits, outputRows } from './folded-output.ts';

export function decisionCell(question: Question, answer: Answer): Cell {
  return cellFromRows((look) => {
    const { good, bad } = glyphsOf(look);
    const isYes = answer.kind === 'allowed';
    const sign = isYes ? styled(good, goodStyle) : styled(bad, badStyle);
    const mark = look.glyphs === 'words' ? plain('') : sign;
    const review = reviewWords(answer, question.host && hostAtPort(question.host.name, question.host.port));
    const about = questionWords(question);
    const content = contentAsked(question);
    const decided =
      content === undefined
        ? `${deciderWords(answer)} ${about}${scopeWords(answer, question)}`
        : answeredWords(answer, content);
    const line = review ?? decided;
    const note = review !== undefined ? about : answer.by === undefined ? answer.note : undefined;
    const shown = (text: string): string => wordsWithGlyphs(visibleLine(exactText(text, 'words')), look);
    const under: readonly Row[] = note === undefined ? [] : [[styled(shown(note), dimStyle)]];
    return [...headRows(look, mark, [plain(shown(line))]), ...underRows(look, under)];
  });
}

/** Names a request for an answer rather than a permission. */
function contentAsked({ kind, elicitation, agent }: Question): string | undefined {
  if (kind === 'input') return agent === undefined ? "the model's questions" : `the questions of agent ${agent}`;
  return elicitation === undefined ? undefined : `what the server ${elicitation.server} asked`;
}

function answeredWords({ kind, by }: Answer, asked: string): string {
  const who = by === 'hook' ? 'A hook' : 'You';
  switch (kind) {
    case 'allowed':
      return `${who} answered ${asked}`;
    case 'declined':
      if (by === 'default') return `No answer was prepared to ${asked}`;
      return by === 'client' ? `The client brought no answer to ${asked}` : `${who} declined to answer ${asked}`;
    case 'stopped':
      return `${who} ended the turn instead of answering ${asked}`;
    case 'lapsed':
      return `No answer came to ${asked}`;
  }
}

function deciderWords({ kind, by }: Answer): string {
  const who = by === 'hook' ? 'A hook' : 'You';
  switch (kind) {
    case 'allowed':
      return `${who} allowed Capstan to`;
    case 'declined':
      if (by === 'default') return 'No answer was prepared; Capstan did not';
      return by === 'client' ? 'The client brought no answer; Capstan did not' : `${who} did not allow Capstan to`;
    case 'stopped':
      return `${who} ended the turn instead of letting Capstan`;
    case 'lapsed':
      return 'No answer came; Capstan did not';
  }
}

function scopeWords({ kind, scope }: Answer, { kind: asked }: Question): string {
  if (kind !== 'allowed') return '';
  const once = asked === 'permissions' ? ' for this turn' : ' this time';
  return { call: once, session: ' for this session', rule: ' from now on, by a saved rule' }[scope ?? 'call'];
}

export function refusedCell({ tool, item, reason }: Extract<ThreadEvent, { kind: 'call-refused' }>): Cell {
  return cellFromRows((look) => {
    const [command] = item?.kind === 'command' ? commandLineRows(item.argv) : [];
    const head: Row = [styled('Not run: ', boldStyle), ...(command ?? [plain(cleanLine(nameOf(tool, item)))])];
    return [
      ...headRows(look, stateMark('bad', look), head),
      ...indentWrappedRows(look, outputRows(refusalReason(reason), foldLimits.refused, look)),
    ];
  });
}

function nameOf(tool: string, item: TurnItem | undefined): string {
  if (item?.kind === 'tool-call' && item.server !== undefined) return `${item.server}.${item.tool}`;
  // A script that only applies a patch counts as a patch.
  return item?.kind === 'file-change' && tool === 'exec_command' ? 'apply_patch' : tool;
}
