import type { Answer } from '../../protocol/question.ts';
import { withUserWords } from './call-answers.ts';
import { clientSilence } from './client-silence.ts';

/** What the model reads when its questions to the user got no answer. */
export function unansweredInput({ kind, note, by }: Answer): string {
  if (kind === 'lapsed') return 'request_user_input was cancelled before receiving a response';
  if (by === 'default') return `No answer was prepared for this run. ${goOn}`;
  if (by === 'client') return `No answer of the user reached Capstan. ${note ?? clientSilence.unreadable} ${goOn}`;
  if (kind === 'stopped') return withUserWords('The user did not answer, and stopped the turn.', note);
  return withUserWords(`The user declined to answer. ${goOn}`, note);
}

const goOn = 'Decide yourself, and say in your answer what you assumed.';
