import type { ModelFailure } from '../../ports/model-client.ts';
import { modelFailure } from './failure.ts';

/** Asking again would bring the same. */
export function answerTooLarge(limit: string): ModelFailure {
  const message = `The provider sent more than ${limit} in one answer, so Capstan stopped reading it.`;
  return modelFailure({ code: 'answer-too-large', message, retry: 'never' });
}

/** A size for a sentence. */
export function megabytes(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return Number.isInteger(mebibytes) ? `${mebibytes} MB` : `${bytes} bytes`;
}
