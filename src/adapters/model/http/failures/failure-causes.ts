import type { ModelFailureCode } from '../../../../ports/model.ts';

export interface CauseRow {
  readonly code: ModelFailureCode;
  /** `never`: the same request would fail again. `again`: it is retried with growing waits. */
  readonly retry: 'never' | 'again';
  readonly waits: 'as-asked' | 'no';
  readonly another: 'may-answer' | 'no';
  /** How servers and networks show it, for documentation readers. */
  readonly seen: string;
  readonly blank: string;
  readonly next: string;
}

const final = { retry: 'never', waits: 'no', another: 'no' } as const;
const again = { retry: 'again', waits: 'no', another: 'no' } as const;
const busy = { retry: 'again', waits: 'as-asked', another: 'may-answer' } as const;
/** Only money or time helps with this model. */
const spent = { ...final, another: 'may-answer' } as const;
const waitAMoment = 'Wait a moment, then try again.';
const checkSettings = 'Check the model name and the settings of the provider, then try again.';

export const failureCauses = {
  overflow: {
    ...final,
    code: 'context-window-exceeded',
    seen: 'a code or words for a request that is too long, in any format; 413',
    blank: 'The conversation no longer fits the context window of the model.',
    next: 'Compact the thread, or start a new one.',
  },
  quota: {
    ...spent,
    code: 'usage-limit',
    seen: '`insufficient_quota`, `billing_error`, 402, "credit balance is too low"',
    blank: 'This account has used up its quota.',
    next: 'Add credit to the account, or use another account or provider.',
  },
  'usage-limit': {
    ...spent,
    code: 'usage-limit',
    seen: '`usage_limit_reached`',
    blank: 'This account has reached its usage limit.',
    next: 'Wait until the limit resets, or use another account, plan or provider.',
  },
  plan: {
    ...spent,
    code: 'usage-limit',
    seen: '`usage_not_included`',
    blank: 'The plan of this account does not include this.',
    next: 'Wait until the limit resets, or use another account, plan or provider.',
  },
  'rate-limit': {
    ...busy,
    code: 'rate-limited',
    seen: '429, `rate_limit_exceeded`, `rate_limit_error`',
    blank: 'The provider received too many requests or tokens in a short time.',
    next: waitAMoment,
  },
  overload: {
    ...busy,
    code: 'overloaded',
    seen: '`server_is_overloaded`, `slow_down`, `overloaded_error`, 529; also inside a stream',
    blank: 'The provider is overloaded.',
    next: waitAMoment,
  },
  server: {
    ...busy,
    code: 'server-error',
    seen: 'other 5xx, 408, unknown error events, `api_error`, `timeout_error`',
    blank: 'The provider reported an error.',
    next: 'Try again. If it keeps failing, check the status page of the provider.',
  },
  'content-filter': {
    ...final,
    code: 'incomplete',
    seen: '`content_filter`, `sensitive` as the reason for the end of an answer',
    blank: 'The content filter of the provider stopped the answer.',
    next: 'Rephrase the request: the content filter of the provider stopped the answer.',
  },
  'answer-length': {
    ...final,
    code: 'incomplete',
    seen: '`max_output_tokens`, `length`, `max_tokens` as the reason for the end of an answer',
    blank: 'The answer was longer than the provider allows.',
    next: 'Ask for the answer in smaller parts: it was longer than the provider allows.',
  },
  'ended-early': {
    ...final,
    code: 'incomplete',
    seen: 'another reason for an incomplete answer',
    blank: 'The provider ended the answer before it was complete.',
    next: 'Ask for a shorter or a different answer.',
  },
  policy: {
    ...final,
    code: 'policy',
    seen: '`cyber_policy`, `misalignment_policy_violation`, the stop reason `refusal`',
    blank: 'The provider refused the request under its policy.',
    next: 'Rephrase the request: the provider will refuse it again unchanged.',
  },
  prompt: {
    ...final,
    code: 'invalid-request',
    seen: '`invalid_prompt`, `bio_policy`',
    blank: 'The provider does not accept this prompt.',
    next: checkSettings,
  },
  key: {
    ...final,
    code: 'unauthorized',
    seen: '401, `authentication_error`, after a login was renewed',
    blank: 'The provider does not accept the key.',
    next: 'Check the key of this provider and its permissions.',
  },
  'no-key': {
    ...final,
    code: 'unauthorized',
    seen: 'no key, a key that cannot be sent, a login that cannot be used: nothing is sent',
    blank: 'There is no key for the provider.',
    next: 'Check the key of this provider and its permissions.',
  },
  forbidden: {
    ...final,
    code: 'unauthorized',
    seen: '403, `permission_error`',
    blank: 'The provider does not allow this.',
    next: 'Check the key of this provider and its permissions.',
  },
  'not-found': {
    ...final,
    code: 'invalid-request',
    seen: '404, `not_found_error`',
    blank: 'The provider does not have this model or address.',
    next: 'Check the base URL of the provider and that it offers this model.',
  },
  request: {
    ...final,
    code: 'invalid-request',
    seen: 'other 4xx, `invalid_request_error`, a redirect, a web page, an address that is none',
    blank: 'The provider does not accept this request.',
    next: checkSettings,
  },
  connection: {
    ...again,
    code: 'connection-failed',
    seen: 'no connection, no such host, a proxy that could not connect',
    blank: 'The provider could not be reached.',
    next: 'Check the network and the base URL of the provider.',
  },
  refused: {
    ...final,
    code: 'connection-failed',
    seen: 'a certificate that is not trusted, no TLS, no HTTP, a proxy that refuses or wants a password',
    blank: 'No connection can be made.',
    next: 'Check the network and the base URL of the provider.',
  },
  cut: {
    ...again,
    code: 'stream-cut',
    seen: 'the stream ends without the end of the answer',
    blank: 'The connection ended before the answer was complete.',
    next: 'Try again. If it keeps failing, check the network and any proxy.',
  },
  idle: {
    ...again,
    code: 'stream-idle',
    seen: 'nothing for `stream_idle_timeout_ms`',
    blank: 'The provider sent nothing for too long.',
    next: 'Try again. If the model needs longer, raise stream_idle_timeout_ms of the provider.',
  },
  unreadable: {
    ...again,
    code: 'server-error',
    seen: 'an answer without events, an event or item that is not what the format says',
    blank: 'The provider sent something that Capstan cannot read.',
    next: 'Try again. If it keeps failing, check the status page of the provider.',
  },
  'too-large': {
    ...final,
    code: 'answer-too-large',
    seen: 'more than `answer.max_items` or `answer.max_bytes`',
    blank: 'The provider sent too much in one answer.',
    next: 'Check the provider: a model should not answer like this. answer.max_items and answer.max_bytes set the limits.',
  },
  'wire-format': {
    ...final,
    code: 'provider-faulty',
    seen: 'the code of a wire format throws',
    blank: 'The code for this wire format failed.',
    next: 'Try again. If it keeps failing, report it to the author of the wire format in wire_api.',
  },
  aborted: {
    ...final,
    code: 'aborted',
    seen: 'the user or a program stops the turn',
    blank: 'The request was stopped.',
    next: 'Send the message again to continue.',
  },
} as const satisfies Readonly<Record<string, CauseRow>>;

export type FailureCause = keyof typeof failureCauses;

/** Codes, types and reasons of all formats, except overflows. `blank`: user text where the server gives none. */
const signs: Readonly<Record<string, readonly [cause: FailureCause, blank?: string]>> = {
  // Responses and Chat Completions
  insufficient_quota: ['quota'],
  usage_limit_reached: ['usage-limit'],
  usage_not_included: ['plan'],
  cyber_policy: ['policy', 'The provider refused the request under its policy on cyber security.'],
  misalignment_policy_violation: [
    'policy',
    'The provider refused the request under its policy on misaligned behaviour.',
  ],
  invalid_prompt: ['prompt'],
  bio_policy: ['prompt', 'The provider refused the request under its policy on biology.'],
  server_is_overloaded: ['overload'],
  slow_down: ['overload', 'The provider asks for fewer requests.'],
  rate_limit_exceeded: ['rate-limit'],
  // Messages API
  overloaded_error: ['overload'],
  rate_limit_error: ['rate-limit'],
  billing_error: ['quota'],
};

const endings: Readonly<Record<string, FailureCause>> = {
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  max_output_tokens: 'answer-length',
  length: 'answer-length',
  max_tokens: 'answer-length',
  refusal: 'policy',
};

export function causeOfSign(sign: string): { readonly cause: FailureCause; readonly blank: string } | undefined {
  const found = Object.hasOwn(signs, sign) ? signs[sign] : undefined;
  return found && { cause: found[0], blank: found[1] ?? failureCauses[found[0]].blank };
}

export const causeOfEnding = (reason: string): FailureCause | undefined =>
  Object.hasOwn(endings, reason) ? endings[reason] : undefined;

export function causeOfStatus(status: number): FailureCause {
  if (status === 529) return 'overload';
  return status >= 500 || status === 408 ? 'server' : (ofStatus.get(status) ?? 'request');
}

const ofStatus: ReadonlyMap<number, FailureCause> = new Map([
  [401, 'key'],
  [402, 'quota'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [413, 'overflow'],
  [429, 'rate-limit'],
]);

/** Decides whether the turn may continue with another model. An unknown cause does not allow it. */
export function mayFallBack(cause: string | undefined): boolean {
  const row = Object.hasOwn(failureCauses, cause ?? '') ? failureCauses[cause as FailureCause] : undefined;
  return row?.another === 'may-answer';
}
