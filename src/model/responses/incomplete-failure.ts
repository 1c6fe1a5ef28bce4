import type { ModelFailure } from '../../ports/model-client.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { objectAt, stringAt } from '../../protocol/json.ts';
import { detailOf, modelFailure } from '../http/failure.ts';
import { isOverflowCode, saysOverflow } from '../http/overflow.ts';
import { overflowFailure } from '../http/stream-failure.ts';

const incompleteAdvice: Readonly<Record<string, string>> = {
  content_filter: 'Rephrase the request: the filter of the provider stopped the answer.',
  max_output_tokens: 'Ask for the answer in smaller parts: it was longer than the provider allows.',
};

/** A response that the server ended early on purpose. Sending the same again would end the same way. */
export function incompleteFailure(response: JsonObject | undefined): ModelFailure {
  const details = response && objectAt(response, 'incomplete_details');
  const error = response && objectAt(response, 'error');
  const reason = (details && stringAt(details, 'reason')) ?? 'unknown';
  const message = (error && stringAt(error, 'message')) ?? '';
  const code = (error && stringAt(error, 'code')) ?? '';
  if (isOverflowCode(reason) || isOverflowCode(code) || saysOverflow(message)) {
    return overflowFailure(message);
  }
  return modelFailure({
    code: 'incomplete',
    message: `The provider ended the answer before it was complete. Reason: ${detailOf(reason)}.`,
    next: Object.hasOwn(incompleteAdvice, reason) ? incompleteAdvice[reason] : undefined,
    retry: 'never',
  });
}
