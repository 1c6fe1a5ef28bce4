import type { Outcome } from '../../protocol/outcome.ts';
import { oneLine } from '../../state/one-line.ts';
import { messageDropped } from '../../state/waiting.ts';
import type { Turn } from '../parts/parts.ts';
import { promptProblem } from './prompt-size.ts';

/**
 * Words that another process left waiting may be too long for any request, as a prompt may be. They are dropped, and the
 * user is warned: otherwise they would end every turn from here on.
 */
export async function dropTooLong(turn: Turn): Promise<void> {
  for (const mail of turn.inbox.waiting) {
    if (mail.kind !== 'words' || mail.id === undefined) continue;
    const problem = await promptProblem(turn, mail.input);
    if (problem === undefined) continue;
    turn.log.record(messageDropped(mail.id, problem.code));
    turn.log.tell({ kind: 'warning', outcome: dropped(mail.input.text, problem) });
  }
}

function dropped(text: string, { next }: Outcome): Outcome<'waiting-message-dropped'> {
  return {
    code: 'waiting-message-dropped',
    message: `A message that waited for this turn is too long for the window of the model and was left out: “${oneLine(text, 60)}”.`,
    next,
  };
}
