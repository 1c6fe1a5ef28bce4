import type { ModelFailure, ModelFailureCode } from '../../ports/model-client.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import { creditAdvice, detailOf, modelFailure } from '../http/failure.ts';
import { saysOverflow } from '../http/overflow.ts';
import { overflowFailure } from '../http/stream-failure.ts';

/** What the types of errors mean, and whether the same request may be answered later. */
const meanings: Readonly<Record<string, readonly [code: ModelFailureCode, passes: boolean]>> = {
  overloaded_error: ['overloaded', true],
  rate_limit_error: ['rate-limited', true],
  api_error: ['server-error', true],
  timeout_error: ['server-error', true],
  invalid_request_error: ['invalid-request', false],
  not_found_error: ['invalid-request', false],
  authentication_error: ['unauthorized', false],
  permission_error: ['unauthorized', false],
  billing_error: ['usage-limit', false],
};

/** Why an answer that had begun failed, by the error of its last event. */
export function eventFailure(error: JsonObject | undefined): ModelFailure {
  const [type, message] = [stringAt(error, 'type') ?? '', stringAt(error, 'message') ?? ''];
  if (type === 'request_too_large' || saysOverflow(message)) return overflowFailure(message);
  const [code, passes] = Object.hasOwn(meanings, type) ? meanings[type]! : (['server-error', true] as const);
  const words = detailOf(message);
  const name = type === '' ? 'an error' : `the error ${detailOf(type)}`;
  const reported = `The provider reported ${name}${words === '' ? '.' : `: ${words}`}`;
  const next = code === 'usage-limit' ? creditAdvice : undefined;
  return modelFailure({ code, message: reported, next, retry: passes ? {} : 'never' });
}

/** Why an answer is not what was asked for, by the reason with which it stopped; undefined for one that is complete. */
export function stopFailure(reason: string): ModelFailure | undefined {
  switch (reason) {
    case 'max_tokens':
      return modelFailure({
        code: 'incomplete',
        message: 'The provider ended the answer before it was complete. Reason: max_tokens.',
        next: 'Ask for the answer in smaller parts, or raise max_output_tokens of the model in model_catalog_json.',
        retry: 'never',
      });
    case 'model_context_window_exceeded':
      return overflowFailure('The answer filled the context window of the model.');
    case 'refusal':
      return modelFailure({ code: 'policy', message: 'The model refused to answer this request.', retry: 'never' });
    default:
      return undefined;
  }
}
