import type { ModelFailure } from '../../ports/model-client.ts';
import { errorWords } from '../../protocol/error-words.ts';
import { Fault, sentence } from '../../protocol/outcome.ts';
import { detailOf, modelFailure } from './failure.ts';
import type { Read } from './network/response-body.ts';

/** Why an answer is not complete, by how its body ended. */
export function endFailure(
  end: Exclude<Read, { kind: 'chunk' }>,
  { idleMs, sawOther = false }: { readonly idleMs: number; readonly sawOther?: boolean },
): ModelFailure {
  if (end.kind === 'aborted') return abortedFailure();
  if (end.kind === 'idle') return idleFailure(idleMs, { sawOther });
  return cutFailure(end.kind === 'cut' ? end.code : 'end of stream');
}

export function cutFailure(code: string): ModelFailure {
  const message = `The connection ended before the answer was complete (${code}).`;
  return modelFailure({ cause: 'cut', message });
}

/** The answer began and ended like a stream, without one event of the format in it. */
export function emptyFailure(contentType: string | undefined, api: string): ModelFailure {
  const type = contentType === undefined ? 'without a content type' : `of type ${contentType}`;
  return modelFailure({
    cause: 'unreadable',
    message: `The provider sent an answer ${type} without any event that Capstan can read.`,
    next: `Check that the base URL of the provider is that of the ${api}. If it is, try again.`,
  });
}

/** `sawOther`: it sent something all the same, such as comments, or events that the format does not have. */
export function idleFailure(idleMs: number, { sawOther = false }: { readonly sawOther?: boolean } = {}): ModelFailure {
  const what = sawOther ? 'no event that belongs to an answer' : 'nothing';
  const message = `The provider sent ${what} for ${idleMs / 1000} seconds.`;
  return modelFailure({ cause: 'idle', message });
}

export function abortedFailure(): ModelFailure {
  return modelFailure({ cause: 'aborted' });
}

/** Asking again would bring the same. */
export function answerTooLarge(limit: string, where: 'answer' | 'event' = 'answer'): ModelFailure {
  const message = `The provider sent more than ${limit} in one ${where}, so Capstan stopped reading it.`;
  return modelFailure({ cause: 'too-large', message });
}

/** A size for a sentence. */
export function megabytes(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return Number.isInteger(mebibytes) ? `${mebibytes} MB` : `${bytes} bytes`;
}

const unreadable = {
  event: 'The provider sent an event that Capstan cannot read.',
  item: 'The provider sent an item that Capstan cannot read.',
  end: 'The provider ended its answer with an event that Capstan cannot read.',
} as const;

export function unreadableAnswer(what: keyof typeof unreadable): ModelFailure {
  return modelFailure({ cause: 'unreadable', message: unreadable[what] });
}

/** What the code of a wire format threw. Asking again would run the same code. A Fault of ours is thrown on. */
export function providerFault(error: unknown): ModelFailure {
  if (error instanceof Fault) throw error;
  const message = `The code for this wire format failed: ${sentence(detailOf(errorWords(error)))}`;
  return modelFailure({ cause: 'wire-format', message });
}
