import type { ModelFailure, ModelFailureCode } from '../../ports/model-client.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { stringAt } from '../../protocol/json.ts';
import { detailOf, modelFailure, retryAfter } from './failure.ts';
import { isOverflowCode, saysOverflow } from './overflow.ts';
import { waitFromMessage } from './retry-hint.ts';

interface Class {
  readonly code: ModelFailureCode;
  readonly retry: 'yes' | 'never';
  /** Said when the provider says nothing. */
  readonly blank: string;
}

const overflow: Class = {
  code: 'context-window-exceeded',
  retry: 'never',
  blank: 'The conversation no longer fits into the context window of the model.',
};

/** The other error codes of the API that mean something to us. All others are server errors. */
const classes: Readonly<Record<string, Class>> = {
  insufficient_quota: { code: 'usage-limit', retry: 'never', blank: 'The quota of this account is used up.' },
  usage_limit_reached: { code: 'usage-limit', retry: 'never', blank: 'The usage limit of this account is reached.' },
  usage_not_included: { code: 'usage-limit', retry: 'never', blank: 'The plan of this account does not include this.' },
  cyber_policy: {
    code: 'policy',
    retry: 'never',
    blank: 'The provider refused the request under its policy on cyber security.',
  },
  misalignment_policy_violation: {
    code: 'policy',
    retry: 'never',
    blank: 'The provider refused the request under its policy on misaligned behaviour.',
  },
  invalid_prompt: { code: 'invalid-request', retry: 'never', blank: 'The provider does not accept this prompt.' },
  bio_policy: {
    code: 'invalid-request',
    retry: 'never',
    blank: 'The provider refused the request under its policy on biology.',
  },
  server_is_overloaded: { code: 'overloaded', retry: 'yes', blank: 'The provider is overloaded.' },
  slow_down: { code: 'overloaded', retry: 'yes', blank: 'The provider asks for fewer requests.' },
  rate_limit_exceeded: { code: 'rate-limited', retry: 'yes', blank: 'Too many requests or tokens in a short time.' },
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
  const found = isOverflowCode(error.code)
    ? overflow
    : Object.hasOwn(classes, error.code)
      ? classes[error.code]
      : undefined;
  return found === undefined ? undefined : failureOf(found, error);
}

function failureOf(found: Class, error: ApiError): ModelFailure {
  const wait = error.waitMs ?? (found.code === 'rate-limited' ? waitFromMessage(error.message) : undefined);
  return modelFailure({
    code: found.code,
    message: detailOf(error.message) || found.blank,
    retry: found.retry === 'never' ? 'never' : retryAfter(wait),
    status: error.status,
    words: error.message,
  });
}

/** A request that does not fit, in the provider's words if it has any. */
export function overflowFailure(message: string): ModelFailure {
  return failureOf(overflow, { code: '', message });
}

/** Why an answer failed, by the `error` object of the event that says so. */
export function streamFailure(error: JsonObject | undefined): ModelFailure {
  const [code = '', type = '', message = ''] = ['code', 'type', 'message'].map((key) => error && stringAt(error, key));
  const known = failureByCode({ code, message }) ?? failureByCode({ code: type, message });
  if (known !== undefined) return known;
  if (saysOverflow(message)) return overflowFailure(message);
  const name = code === '' ? 'an error' : `the error ${detailOf(code)}`;
  const words = detailOf(message);
  return modelFailure({
    code: 'server-error',
    message: words === '' ? `The provider reported ${name}.` : `The provider reported ${name}: ${words}`,
    retry: {},
  });
}
