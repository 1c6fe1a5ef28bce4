import type { ModelFailure } from '../../ports/model-client.ts';
import { errorWords } from '../../protocol/error-words.ts';
import { Fault, sentence } from '../../protocol/outcome.ts';
import { detailOf, modelFailure } from './failure.ts';

/** What the code of a wire format threw. Asking again would run the same code. A Fault of ours is thrown on. */
export function providerFault(error: unknown): ModelFailure {
  if (error instanceof Fault) throw error;
  const message = `The code that speaks with the provider failed: ${sentence(detailOf(errorWords(error)))}`;
  return modelFailure({ code: 'provider-faulty', message, retry: 'never' });
}
