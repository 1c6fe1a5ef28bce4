import { errorWords } from '../../protocol/error-words.ts';
import { Fault, type Outcome, sentence } from '../../protocol/outcome.ts';

/** What was thrown where nothing should be, as an outcome. A Fault stays what it is: it is thrown on. */
export function internalError(error: unknown): Outcome {
  if (error instanceof Fault) throw error;
  return {
    code: 'internal-error',
    message: `A part of the program failed: ${sentence(errorWords(error))}`,
    next: 'Send the message again. If it fails again, report this with the words of the message.',
  };
}
