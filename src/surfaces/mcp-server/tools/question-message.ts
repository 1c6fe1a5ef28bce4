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

/**
 * A question in the words of `exec`: all that a yes would allow, with hidden characters as signs. After a restart only the
 * beginning of a long command is known.
 */
export function questionMessage(question: Question, item: TurnItem | undefined): QuestionMessage {
  const shown = paint(questionLines(question, item, { width: columns }), false).trimEnd();
  const { argv = [] } = question;
  const lines = argv.at(-1)?.split('\n').length ?? 1;
  const isCut = argv.some((word) => word.length > 1000 && word.endsWith(' …'));
  const notes = [
    // A host may show the message without its line breaks.
    ...(lines > 1 ? [`  The command has ${count(lines)} lines.`] : []),
    ...(isCut ? ['  The rest of the command is not shown. Do not approve what you cannot see.'] : []),
  ];
  const text = [shown, ...notes].join('\n');
  if (text.length <= longest) return { text, isWhole: !isCut };
  const half = longest / 2;
  const missing = `[${count(text.length - longest)} characters are not shown here. Do not approve what you cannot see.]`;
  return { text: `${text.slice(0, half)}\n${missing}\n${text.slice(-half)}`, isWhole: false };
}
