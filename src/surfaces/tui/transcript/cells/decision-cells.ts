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
import { badStyle, boldStyle, dimStyle, goodStyle, plain, styled } from '../../screen/text/style.ts';
import { type Cell, cellWithHead } from './cell.ts';
import { commandLineRows } from './command-cell.ts';
import { foldLimits, outputRows } from './folded-output.ts';

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
    const shown = (text: string): string => wordsWithGlyphs(visibleLine(exactText(text, 'words')), look);
    const lines = note === undefined ? [] : [[styled(shown(note), dimStyle)]];
    return { mark, head: [plain(shown(review ?? decided))], lines };
  });
}

/** Names a request for an answer rather than a permission. */
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

export function refusedCell({ tool, item, reason }: Extract<ThreadEvent, { kind: 'call-refused' }>): Cell {
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
