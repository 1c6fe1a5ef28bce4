import type { Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { questionLines } from '../../exec/approvals/question-lines.ts';
import { paint } from '../../terminal/look.ts';
import { count } from '../../wording/number-words.ts';

/** Hosts show the message in a window of their own; what is longer is cut in the middle. */
const longest = 64 * 1024;
const columns = 100;

export interface QuestionMessage {
  readonly text: string;
  /** False: the user does not see everything, so only an explicit decision is an approval. */
  readonly isWhole: boolean;
}

/** A question in the words of `exec`: all that a yes would allow, with hidden characters as signs. */
export function questionMessage(question: Question, item: TurnItem | undefined): QuestionMessage {
  const shown = paint(questionLines(question, item, { width: columns }), false).trimEnd();
  const lines = question.argv?.at(-1)?.split('\n').length ?? 1;
  // A host may show the message without its line breaks.
  const text = lines > 1 ? `${shown}\n  The command has ${count(lines)} lines.` : shown;
  if (text.length <= longest) return { text, isWhole: true };
  const half = longest / 2;
  const missing = `[${count(text.length - longest)} characters are not shown here. Do not approve what you cannot see.]`;
  return { text: `${text.slice(0, half)}\n${missing}\n${text.slice(-half)}`, isWhole: false };
}
