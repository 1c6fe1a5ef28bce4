import { hostAtPort } from '../../../policy/network/host-pattern.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { exactText } from '../../terminal/exact-text.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import { questionWords } from '../../wording/question-words.ts';
import { reviewWords } from '../../wording/review-words.ts';
import { glyphsOf, ownWords } from '../text/glyphs.ts';
import { badStyle, dimStyle, goodStyle, plain, type Row, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, headRows, underRows } from './frame.ts';

/** What became of a question about a call: who decided, what, and for how long. */
export function decisionCell(question: Question, answer: Answer): Cell {
  return cellOfRows((look) => {
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
    const shown = (text: string): string => ownWords(visibleLine(exactText(text, 'words')), look);
    const under: readonly Row[] = note === undefined ? [] : [[styled(shown(note), dimStyle)]];
    return [...headRows(look, mark, [plain(shown(line))]), ...underRows(look, under)];
  });
}

/** What asks for an answer and not for a permission, in words. */
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
