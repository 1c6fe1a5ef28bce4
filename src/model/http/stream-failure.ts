import type { ModelFailure, ModelFailureCode } from '../../ports/model-client.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import { creditAdvice, detailOf, modelFailure, retryAfter } from './failure.ts';
import { isOverflowCode, saysOverflow } from './overflow.ts';
import { waitFromMessage } from './retry-hint.ts';

/** What an error code means to us, and what is said when the provider says nothing. */
type Meaning = readonly [code: ModelFailureCode, blank: string, next?: string];

const overflow: Meaning = [
  'context-window-exceeded',
  'The conversation no longer fits the context window of the model.',
];

/** The other error codes of the API that mean something to us. All others are server errors. */
const meanings: Readonly<Record<string, Meaning>> = {
  insufficient_quota: ['usage-limit', 'This account has used up its quota.', creditAdvice],
  usage_limit_reached: ['usage-limit', 'This account has reached its usage limit.'],
  usage_not_included: ['usage-limit', 'The plan of this account does not include this.'],
  cyber_policy: ['policy', 'The provider refused the request under its policy on cyber security.'],
  misalignment_policy_violation: [
    'policy',
    'The provider refused the request under its policy on misaligned behaviour.',
  ],
  invalid_prompt: ['invalid-request', 'The provider does not accept this prompt.'],
  bio_policy: ['invalid-request', 'The provider refused the request under its policy on biology.'],
  server_is_overloaded: ['overloaded', 'The provider is overloaded.'],
  slow_down: ['overloaded', 'The provider asks for fewer requests.'],
  rate_limit_exceeded: ['rate-limited', 'The provider received too many requests or tokens in a short time.'],
};

export interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  /** The wait that the server asked for outside the message. */
  readonly waitMs?: number | undefined;
}

/** The failure that an error code of the API stands for, or undefined when the code says nothing to us. */
export function failureByCode(error: ApiError): ModelFailure | undefined {
  if (isOverflowCode(error.code)) return failureOf(overflow, error);
  const meaning = Object.hasOwn(meanings, error.code) ? meanings[error.code] : undefined;
  return meaning && failureOf(meaning, error);
}

function failureOf([code, blank, next]: Meaning, { message, status, waitMs }: Omit<ApiError, 'code'>): ModelFailure {
  const wait = waitMs ?? (code === 'rate-limited' ? waitFromMessage(message) : undefined);
  return modelFailure({
    code,
    message: detailOf(message) || blank,
    retry: code === 'rate-limited' || code === 'overloaded' ? retryAfter(wait) : 'never',
    status,
    words: message,
    next,
  });
}

/** A request that does not fit, in the provider's words if it has any. */
export function overflowFailure(message: string): ModelFailure {
  return failureOf(overflow, { message });
}

/** Why an answer failed, by the `error` object of the event that says so. */
export function streamFailure(error: JsonObject | undefined): ModelFailure {
  const [code = '', type = '', message = ''] = ['code', 'type', 'message'].map((key) => error && stringAt(error, key));
  const known = failureByCode({ code, message }) ?? failureByCode({ code: type, message });
  if (known !== undefined) return known;
  if (saysOverflow(message)) return overflowFailure(message);
  const name = code === '' ? 'an error' : `the error ${detailOf(code)}`;
  const words = detailOf(message);
  const reported = `The provider reported ${name}${words === '' ? '.' : `: ${words}`}`;
  return modelFailure({ code: 'server-error', message: reported, retry: {} });
}
