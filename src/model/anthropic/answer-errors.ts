import type { ModelFailure } from '../../ports/model-client.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import { detailOf, modelFailure } from '../http/failure.ts';
import { causeOfEnding, causeOfSign, type FailureCause } from '../http/failure-causes.ts';
import { saysOverflow } from '../http/overflow.ts';
import { overflowFailure } from '../http/stream-failure.ts';

/** Types that say no more than a status does. What is not here may pass by itself. */
const plain: Readonly<Record<string, FailureCause>> = {
  invalid_request_error: 'request',
  not_found_error: 'not-found',
  authentication_error: 'key',
  permission_error: 'forbidden',
};

/** Why an answer that had begun failed, by the error of its last event. */
export function eventFailure(error: JsonObject | undefined): ModelFailure {
  const [type, message] = [stringAt(error, 'type') ?? '', stringAt(error, 'message') ?? ''];
  if (type === 'request_too_large' || saysOverflow(message)) return overflowFailure(message);
  const cause = causeOfSign(type)?.cause ?? (Object.hasOwn(plain, type) ? plain[type]! : 'server');
  const words = detailOf(message);
  const name = type === '' ? 'an error' : `the error ${detailOf(type)}`;
  const reported = `The provider reported ${name}${words === '' ? '.' : `: ${words}`}`;
  return modelFailure({ cause, message: reported });
}

/** Why an answer is not what was asked for, by the reason with which it stopped; undefined for one that is complete. */
export function stopFailure(reason: string): ModelFailure | undefined {
  if (reason === 'model_context_window_exceeded')
    return overflowFailure('The answer filled the context window of the model.');
  const cause = causeOfEnding(reason);
  if (cause === 'policy') return modelFailure({ cause, message: 'The model refused to answer this request.' });
  if (cause !== 'answer-length') return undefined;
  return modelFailure({
    cause,
    message: 'The provider ended the answer before it was complete. Reason: max_tokens.',
    next: 'Ask for the answer in smaller parts, or raise max_output_tokens of the model in model_catalog_json.',
  });
}
