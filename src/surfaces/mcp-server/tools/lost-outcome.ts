import { errorWords } from '../../../protocol/error-words.ts';
import { Fault, type Outcome, sentence } from '../../../protocol/outcome.ts';

/** What was thrown while the server worked on a call, as an outcome: the server lives on. */
export function lostOutcome(error: unknown): Outcome {
  if (error instanceof Fault) return { code: error.code, message: error.message, next: error.next };
  return {
    code: 'internal-error',
    message: `Internal error: ${sentence(errorWords(error))}`,
    next: 'Call again. If it fails again, report the bug and include this message.',
  };
}
