import type { ModelFailure } from '../../../../ports/model.ts';
import { numberAt, objectAt, parseJsonObject, stringAt } from '../../../../protocol/json.ts';
import { endWithFullStop } from '../../../../protocol/outcome.ts';
import { rateLimitsIn } from '../answer-headers.ts';
import type { Proxy } from '../network/destination.ts';
import type { HttpHeaders } from '../network/http-head.ts';
import { describeProxy } from './answer-failure.ts';
import { causeOfStatus, failureCauses } from './failure-causes.ts';
import {
  shortenProviderText,
  failureByCode,
  type FailureDraft,
  modelFailure,
  saysOverflow,
  waitFromHeaders,
  waitFromMessage,
} from './model-failure.ts';

export type ErrorAnswer = { readonly status: number; readonly headers: HttpHeaders; readonly body: string };

/** Arrival time of an answer, in milliseconds since the epoch, and the API that it was expected from. */
export interface AnswerContext {
  readonly now: number;
  readonly api: string;
  readonly origin?: string;
  readonly keyAdvice?: string;
  /** The proxy that passed the answer on, and may have produced it. */
  readonly proxy?: Proxy | undefined;
}

export function httpFailure(answer: ErrorAnswer, given: AnswerContext): ModelFailure {
  const error = errorIn(answer.body);
  // A proxy does not answer in the form of the API. A page, a text or nothing may come from either.
  const isOfApi = [error.code, error.type, error.message].some((text) => text !== '');
  const place = isOfApi ? { ...given, proxy: undefined } : given;
  const { now, proxy } = place;
  const waitMs = waitFromHeaders(answer.headers, now);
  const byCode = [error.code, error.type]
    .map((code) => failureByCode({ code, message: error.message, status: answer.status, waitMs }))
    .find((failure) => failure !== undefined && isTrusted(failure, answer.status));
  if (byCode?.code === 'usage-limit') {
    const reset = error.resetsAt ?? resetOfHeaders(answer.headers, now);
    const message = messageOf(answer, { ...error, resetsAt: reset }, place);
    return { ...byCode, message, ...(reset !== undefined && { resetsAt: Date.parse(reset) }) };
  }
  if (byCode !== undefined) return byCode;
  const message = messageOf(answer, error, place);
  const words = error.message === '' ? answer.body : error.message;
  const draft = byStatus(answer, error, { ...place, waitMs });
  const { status } = answer;
  const isInvalid = failureCauses[draft.cause].code === 'invalid-request';
  const unexplained = (isInvalid && isUnexplained({ ...error, status, words })) || undefined;
  // Omits other words: a server in front may state its own limit, in bytes.
  const windowWords = saysOverflow(words) ? words : undefined;
  const failure = modelFailure({ ...draft, unexplained, message, words: windowWords, status });
  return proxy === undefined ? failure : { ...failure, next: `${failure.next} ${checkProxy}` };
}

const checkProxy =
  'If the proxy gave this answer, check what it allows. If the host needs no proxy, add it to NO_PROXY.';

/** The time at which all exhausted limits have reset, from the headers: used if the body does not say. */
function resetOfHeaders(headers: HttpHeaders, now: number): string | undefined {
  const full = rateLimitsIn(headers, now)?.limits.filter(({ usedPercent }) => usedPercent >= 99) ?? [];
  const resets = full.flatMap(({ resetsAt }) => (resetsAt === undefined ? [] : [resetsAt]));
  return resets.length === 0 ? undefined : timeOf(Math.max(...resets));
}

/** A 5xx may quote any code, so Capstan trusts only overload and overflow: retrying an overflow would never succeed. */
const isTrusted = (failure: ModelFailure, status: number): boolean =>
  status < 500 || failure.code === 'overloaded' || failure.code === 'context-window-exceeded';

function byStatus(
  answer: ErrorAnswer,
  error: ErrorWords,
  { waitMs, api, keyAdvice }: AnswerContext & { readonly waitMs: number | undefined },
): Omit<FailureDraft, 'message'> {
  const { status, body } = answer;
  if (isOverflow(answer, error)) return { cause: 'overflow' };
  // Anthropic has no code for it.
  if (status === 400 && /\bcredit balance is too low\b/i.test(error.message)) return { cause: 'quota' };
  const cause = causeOfStatus(status);
  const wait = waitMs ?? (cause === 'rate-limit' ? waitFromMessage(error.message) : undefined);
  if (status === 401) return { cause, next: keyAdvice };
  if (status === 403) return { cause, next: blockedAdvice(body) ?? keyAdvice };
  return { cause, waitMs: wait, next: refusalAdvice(answer, error, api) };
}

function refusalAdvice({ status, body }: ErrorAnswer, error: ErrorWords, api: string): string | undefined {
  if (status === 400 && saysInOrder(body, ['image data ', 'not ', 'valid image']))
    return 'Remove the image from the conversation, then try again.';
  if (status >= 400 || (status < 300 && error.message !== '')) return undefined;
  const address = `Check the base URL of the provider: it must be that of the ${api}`;
  if (status >= 300) return `${address}, without a redirect.`;
  const isJson = status >= 200 && /^\s*\{/.test(body);
  return isJson ? `The answer was not streamed: check that the server can stream. ${address}.` : `${address}.`;
}

/** These statuses have their own meaning, whatever the text says: a key, an address, a limit per minute. */
const otherStatuses: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 429]);
/** Compatible servers state an overflow only in words. A server in front may answer just with status 413. */
const isOverflow = ({ status, body }: ErrorAnswer, error: ErrorWords): boolean =>
  status === 413 || (!otherStatuses.has(status) && saysOverflow(error.message === '' ? body : error.message));

/** Finds the words in order with one search: a pattern would try every combination. */
function saysInOrder(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  let at = 0;
  return words.every((word) => {
    const found = lower.indexOf(word, at);
    at = found + word.length;
    return found !== -1;
  });
}

function blockedAdvice(body: string): string | undefined {
  if (!/cloudflare/i.test(body) || !/blocked/i.test(body)) return undefined;
  return 'A firewall in front of the provider blocked this network: try another one, or switch off the VPN or proxy.';
}

type ErrorWords = ReturnType<typeof errorIn>;
/** Gemini sends a list of one error. */
const listed = /^\s*\[([^]*)\]\s*$/;

function errorIn(body: string) {
  const whole = parseJsonObject(body) ?? parseJsonObject(listed.exec(body)?.[1] ?? '') ?? {};
  const error = objectAt(whole, 'error') ?? whole;
  const detail = stringAt(whole, 'detail') ?? stringAt(error, 'detail');
  const message = stringAt(error, 'message') ?? stringAt(whole, 'error') ?? detail;
  // A gateway's own message only says that the server behind it refused. Its `raw` quotes that server.
  const raw = stringAt(objectAt(error, 'metadata'), 'raw');
  return {
    code: stringAt(error, 'code') ?? '',
    type: stringAt(error, 'type') ?? '',
    parameter: stringAt(error, 'param') ?? '',
    message: [message, raw].filter((text) => text !== undefined).join(': '),
    resetsAt: timeOf(numberAt(error, 'resets_at')),
  };
}

function timeOf(unixSeconds = Number.NaN): string | undefined {
  const date = new Date(unixSeconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The title of a page made for browsers. Undefined when the body is no page. */
function pageTitle(body: string): string | undefined {
  if (!/^\s*(<!doctype html|<html|<head|<body)/i.test(body)) return undefined;
  const [, title] = /<(?:title|h1)[^<>]{0,200}>([^<]{0,1000})</i.exec(body) ?? [];
  const text = (title ?? '').replace(/\s+/g, ' ').trim();
  return text === '' ? 'a web page' : `a web page, "${text}"`;
}

/** Names only the server that a redirect leads to: the rest of its address may be secret. */
function redirectIn({ status, headers }: ErrorAnswer, origin: string | undefined): string | undefined {
  const { location } = headers;
  const to = status < 300 || status > 399 || location === undefined ? undefined : URL.parse(location, origin);
  return to?.protocol === 'http:' || to?.protocol === 'https:' ? `it redirects to ${to.origin}` : undefined;
}

function messageOf(answer: ErrorAnswer, error: ErrorWords, { origin, proxy }: AnswerContext): string {
  const said = error.message === '' ? (pageTitle(answer.body) ?? answer.body) : error.message;
  const words = shortenProviderText(redirectIn(answer, origin) ?? said);
  const { headers, status } = answer;
  const opening =
    proxy === undefined
      ? `The provider answered with status ${status}`
      : `An answer with status ${status} came through ${describeProxy(proxy)}, which may have given it`;
  const requestId =
    headers['x-request-id'] ?? headers['x-oai-request-id'] ?? headers['request-id'] ?? headers['cf-ray'];
  return [
    `${opening}${words === '' ? '.' : `: ${error.resetsAt === undefined ? words : endWithFullStop(words)}`}`,
    ...(error.resetsAt === undefined ? [] : [`It resets at ${error.resetsAt}.`]),
    ...(typeof requestId === 'string' ? [`(request ${shortenProviderText(requestId)})`] : []),
  ].join(' ');
}

/** A refusal in the server's words. `parameter`: the faulty part of the request; empty if none is named. */
type RefusalWords = Readonly<Record<'code' | 'type' | 'parameter' | 'words', string>> & { readonly status: number };

/** Statuses with a known meaning: a key, an address, a method, a limit per minute. */
const knownStatuses: ReadonlySet<number> = new Set([
  401, 402, 403, 404, 405, 407, 408, 409, 410, 411, 413, 414, 415, 417, 421, 423, 424, 425, 426, 428, 429, 431, 451,
]);

/** Names for the whole conversation: a server may blame them when it refuses for length. */
const wholeConversation: ReadonlySet<string> = new Set(['', 'input', 'inputs', 'messages', 'prompt', 'contents']);
/** Codes and types that name another cause: a parameter, a key, money, a policy, a model, a part of the request. */
const knownCodes =
  /param|argument|unsupported|missing|required|not_?found|auth|api_?key|permission|forbidden|billing|quota|credit|payment|balance|policy|filter|safety|moderation|model|rate_?limit|region|country|schema|json|image|file|audio|tool|encrypt|signature|previous_response/i;

const knownWords: readonly RegExp[] = [
  /\b(?:unknown|unsupported|unrecogni[sz]ed|unexpected|missing|invalid|required|extra)\b[^.]{0,40}\b(?:parameter|argument|field|property|key|value|role|type|header|enum)/i,
  /\b(?:is|are) not (?:supported|allowed|permitted|available)\b/i,
  /\bdoes not (?:exist|support)\b/i,
  /\b(?:api[ _-]?key|token) (?:is )?(?:invalid|expired|missing)\b|\bunauthori[sz]ed\b/i,
  /\b(?:billing|quota|credits?|payment|balance)\b/i,
  /\bcontent[ _-](?:policy|filter|management)|\bmoderation\b|\bsafety\b|\busage polic/i,
  /\b(?:schema|tool_choice|tool_call|call_id|function call|image|base64|json)\b/i,
];

const longestWords = 4000;

/** True if the refusal names no known cause. It may be a refusal for length in unknown wording. */
function isUnexplained({ status, parameter, ...named }: RefusalWords): boolean {
  if (status < 400 || status > 499 || knownStatuses.has(status) || !wholeConversation.has(parameter)) return false;
  const [code, type, words] = [named.code, named.type, named.words].map((text) => text.slice(0, longestWords));
  return !knownCodes.test(code!) && !knownCodes.test(type!) && !knownWords.some((pattern) => pattern.test(words!));
}
