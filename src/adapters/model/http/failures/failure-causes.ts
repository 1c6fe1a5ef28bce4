import type { ModelFailureCode } from '../../../../ports/model.ts';

/**
 * `retry`: `never`: the same request would fail again; `again`: it is sent again, after growing waits. `waits`: whether
 * a wait that the provider asks for is kept.
 */
export interface FailureCauseRow {
  readonly code: ModelFailureCode;
  readonly retry: 'never' | 'again';
  readonly waits: 'as-asked' | 'no';
  readonly another: 'may-answer' | 'no';
  readonly blank: string;
  readonly next: string;
}

const final = { retry: 'never', waits: 'no', another: 'no' } as const;
const again = { retry: 'again', waits: 'no', another: 'no' } as const;
const busy = { retry: 'again', waits: 'as-asked', another: 'may-answer' } as const;
/** Only money or time helps with this model. */
const spent = { ...final, another: 'may-answer', code: 'usage-limit' } as const;
const incomplete = { ...final, code: 'incomplete' } as const;
const unauthorized = { ...final, code: 'unauthorized' } as const;
const invalid = { ...final, code: 'invalid-request' } as const;
const waitAMoment = 'Wait a moment, then try again.';
const waitForReset = 'Wait until the limit resets, or use another account, plan or provider.';
const checkSettings = 'Check the model name and the settings of the provider, then try again.';
const checkKey = 'Check the key of this provider and its permissions.';
const checkAddress = 'Check the network and the base URL of the provider.';
const checkStatus = 'Try again. If it keeps failing, check the status page of the provider.';

export const failureCauses = {
  overflow: {
    ...final,
    code: 'context-window-exceeded',
    blank: 'The conversation no longer fits the context window of the model.',
    next: 'Compact the thread, or start a new one.',
  },
  quota: {
    ...spent,
    blank: 'This account has used up its quota.',
    next: 'Add credit to the account, or use another account or provider.',
  },
  'usage-limit': { ...spent, blank: 'This account has reached its usage limit.', next: waitForReset },
  plan: { ...spent, blank: 'The plan of this account does not include this.', next: waitForReset },
  'rate-limit': {
    ...busy,
    code: 'rate-limited',
    blank: 'The provider received too many requests or tokens in a short time.',
    next: waitAMoment,
  },
  overload: { ...busy, code: 'overloaded', blank: 'The provider is overloaded.', next: waitAMoment },
  server: { ...busy, code: 'server-error', blank: 'The provider reported an error.', next: checkStatus },
  'content-filter': {
    ...incomplete,
    blank: 'The content filter of the provider stopped the answer.',
    next: 'Rephrase the request: the content filter of the provider stopped the answer.',
  },
  'answer-length': {
    ...incomplete,
    blank: 'The answer was longer than the provider allows.',
    next: 'Ask for the answer in smaller parts: it was longer than the provider allows.',
  },
  'ended-early': {
    ...incomplete,
    blank: 'The provider ended the answer before it was complete.',
    next: 'Ask for a shorter or a different answer.',
  },
  policy: {
    ...final,
    code: 'policy',
    blank: 'The provider refused the request under its policy.',
    next: 'Rephrase the request: the provider will refuse it again unchanged.',
  },
  prompt: { ...invalid, blank: 'The provider does not accept this prompt.', next: checkSettings },
  key: { ...unauthorized, blank: 'The provider does not accept the key.', next: checkKey },
  'no-key': { ...unauthorized, blank: 'There is no key for the provider.', next: checkKey },
  forbidden: { ...unauthorized, blank: 'The provider does not allow this.', next: checkKey },
  'not-found': {
    ...invalid,
    blank: 'The provider does not have this model or address.',
    next: 'Check the base URL of the provider and that it offers this model.',
  },
  request: { ...invalid, blank: 'The provider does not accept this request.', next: checkSettings },
  connection: { ...again, code: 'connection-failed', blank: 'The provider could not be reached.', next: checkAddress },
  refused: { ...final, code: 'connection-failed', blank: 'No connection can be made.', next: checkAddress },
  cut: {
    ...again,
    code: 'stream-cut',
    blank: 'The connection ended before the answer was complete.',
    next: 'Try again. If it keeps failing, check the network and any proxy.',
  },
  idle: {
    ...again,
    code: 'stream-idle',
    blank: 'The provider sent nothing for too long.',
    next: 'Try again. If the model needs longer, raise stream_idle_timeout_ms of the provider.',
  },
  unreadable: {
    ...again,
    code: 'server-error',
    blank: 'The provider sent something that Capstan cannot read.',
    next: checkStatus,
  },
  'too-large': {
    ...final,
    code: 'answer-too-large',
    blank: 'The provider sent too much in one answer.',
    next: 'Check the provider: a model should not answer like this. answer.max_items and answer.max_bytes set the limits.',
  },
  'wire-format': {
    ...final,
    code: 'provider-faulty',
    blank: 'The code for this wire format failed.',
    next: 'Try again. If it keeps failing, report it to the author of the wire format in wire_api.',
  },
  aborted: {
    ...final,
    code: 'aborted',
    blank: 'The request was stopped.',
    next: 'Send the message again to continue.',
  },
} as const satisfies Readonly<Record<string, FailureCauseRow>>;

export type FailureCause = keyof typeof failureCauses;

/** Error codes and types of all formats, except overflows. `blank`: for the user, if the server gives no text. */
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

export function causeOfErrorCode(sign: string): { readonly cause: FailureCause; readonly blank: string } | undefined {
  const found = Object.hasOwn(signs, sign) ? signs[sign] : undefined;
  return found && { cause: found[0], blank: found[1] ?? failureCauses[found[0]].blank };
}

export const causeOfStopReason = (reason: string): FailureCause | undefined =>
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
