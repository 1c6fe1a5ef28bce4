import { arrayAt, objectAt, parseJsonObject } from '../../../protocol/json.ts';
import type { ToolCallItem } from '../../../protocol/turn-item.ts';
import { readUserQuestions, type UserQuestion } from '../../../protocol/user-question.ts';
import { cleanLine } from '../text/clean.ts';
import { accentStyle, boldStyle, dimStyle, type Row, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, headRows, stateMark, underRows } from './frame.ts';

/** What the model asked the user, with the answers. Undefined: it is another tool, or its questions cannot be read. */
export function questionsCell({ server, tool, arguments: given, output, status }: ToolCallItem): Cell | undefined {
  const questions = server === undefined && tool === 'request_user_input' ? readUserQuestions(given) : '';
  if (typeof questions === 'string' || status === 'failed') return undefined;
  const answers = objectAt(parseJsonObject(output ?? ''), 'answers');
  const answersTo = ({ id }: UserQuestion): readonly string[] =>
    (arrayAt(objectAt(answers, id), 'answers') ?? []).filter((each) => typeof each === 'string');
  return cellOfRows((look) => {
    const answered = questions.filter((question) => answersTo(question).length > 0).length;
    const head: Row = [styled('Questions', boldStyle), styled(` ${answered}/${questions.length} answered`, dimStyle)];
    const lines = questions.flatMap((question): readonly Row[] => {
      const answer = answersTo(question).map(cleanLine).join(', ');
      const said = answer === '' ? styled('  no answer', dimStyle) : styled(`  ${answer}`, accentStyle);
      return [[{ text: cleanLine(question.question) }], ...(status === 'in-progress' ? [] : [[said]])];
    });
    const mark = stateMark(status === 'in-progress' ? 'running' : 'plain', look);
    return [...headRows(look, mark, head), ...underRows(look, lines)];
  });
}
