import type { HttpHeaders } from './network/await-head.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import { numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { sentence } from '../../protocol/outcome.ts';
import { detailOf, type FailureDraft, modelFailure } from './failure.ts';
import { causeOfStatus, failureCauses } from './failure-causes.ts';
import { saysOverflow } from './overflow.ts';
import { rateLimitsIn } from './rate-limit-headers.ts';
import { isUnexplained } from './unexplained.ts';
import { waitFromHeaders, waitFromMessage } from './retry-hint.ts';
import { failureByCode } from './stream-failure.ts';

/** An answer that is not a stream of events. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The beginning of the body. */
  readonly body: string;
}

/** When an answer came, in milliseconds since the epoch, and from which API it was expected. */
export interface AnswerPlace {
  readonly now: number;
  readonly api: string;
}

/** The failure that a status stands for. */
export function httpFailure(answer: ErrorAnswer, { now, api }: AnswerPlace): ModelFailure {
  const error = errorIn(answer.body);
  const waitMs = waitFromHeaders(answer.headers, now);
  const byCode = [error.code, error.type]
    .map((code) => failureByCode({ code, message: error.message, status: answer.status, waitMs }))
    .find((failure) => failure !== undefined && isTrusted(failure, answer.status));
  if (byCode?.code === 'usage-limit') {
    const reset = error.resetsAt ?? resetOfHeaders(answer.headers, now);
    const message = messageOf(answer, { ...error, resetsAt: reset });
    return { ...byCode, message, ...(reset === undefined ? {} : { resetsAt: Date.parse(reset) }) };
  }
  if (byCode !== undefined) return byCode;
  const message = messageOf(answer, error);
  const words = error.message === '' ? answer.body : error.message;
  const draft = byStatus(answer, error, { waitMs, api });
  const hasNoCause =
    failureCauses[draft.cause].code === 'invalid-request' && isUnexplained({ ...error, status: answer.status, words });
  return modelFailure({
    ...draft,
    ...(hasNoCause ? { unexplained: true } : {}),
    message,
    // A server in front names its limit in bytes.
    ...(saysOverflow(words) ? { words } : {}),
    status: answer.status,
  });
}

/** When the limits that are used up open again, where only the headers say so. All of them have to. */
function resetOfHeaders(headers: HttpHeaders, now: number): string | undefined {
  const full = rateLimitsIn(headers, now)?.limits.filter(({ usedPercent }) => usedPercent >= 99) ?? [];
  const resets = full.flatMap(({ resetsAt }) => (resetsAt === undefined ? [] : [resetsAt]));
  return resets.length === 0 ? undefined : timeOf(Math.max(...resets));
}

/** A 5xx may quote any code. An overload is believed, and an overflow: a passing fault would be tried forever. */
function isTrusted(failure: ModelFailure, status: number): boolean {
  return status < 500 || failure.code === 'overloaded' || failure.code === 'context-window-exceeded';
}

function byStatus(
  answer: ErrorAnswer,
  error: ErrorWords,
  { waitMs, api }: { readonly waitMs: number | undefined; readonly api: string },
): Omit<FailureDraft, 'message'> {
  const { status, body } = answer;
  if (isOverflow(answer, error)) return { cause: 'overflow' };
  // Anthropic has no code for it.
  if (status === 400 && /\bcredit balance is too low\b/i.test(error.message)) return { cause: 'quota' };
  const cause = causeOfStatus(status);
  const wait = waitMs ?? (cause === 'rate-limit' ? waitFromMessage(error.message) : undefined);
  return { cause, waitMs: wait, next: status === 403 ? blockedAdvice(body) : refusalAdvice(status, body, api) };
}

function refusalAdvice(status: number, body: string, api: string): string | undefined {
  if (status === 400 && saysInOrder(body, ['image data ', 'not ', 'valid image'])) {
    return 'Remove the image from the conversation, then try again.';
  }
  if (status >= 400) return undefined;
  return `Check the base URL of the provider: it must be that of the ${api}, without a redirect.`;
}

/** These have a meaning of their own, whatever the words are: a key, an address, a limit per minute. */
const otherStatuses: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 429]);

/** Compatible servers have no code for it, only words; a server in front that refuses the size has not even these. */
function isOverflow({ status, body }: ErrorAnswer, error: ErrorWords): boolean {
  if (status === 413) return true;
  return !otherStatuses.has(status) && saysOverflow(error.message === '' ? body : error.message);
}

/** Whether the words stand in the text one after the other. Searched once: a pattern would try them in every order. */
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

/** A list of one error, as Gemini sends it. */
const listed = /^\s*\[([^]*)\]\s*$/;

/** The error object of a body in any of the shapes that servers use. */
function errorIn(body: string) {
  const whole = parseJsonObject(body) ?? parseJsonObject(listed.exec(body)?.[1] ?? '') ?? {};
  const error = objectAt(whole, 'error') ?? whole;
  const message =
    stringAt(error, 'message') ?? stringAt(whole, 'error') ?? stringAt(whole, 'detail') ?? stringAt(error, 'detail');
  // A gateway says only that the server behind it refused, and has the words of that server beside it.
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

/** What a page that was made for browsers says above everything else. Undefined when the body is no page. */
function pageTitle(body: string): string | undefined {
  if (!/^\s*(<!doctype html|<html|<head|<body)/i.test(body)) return undefined;
  const [, title] = /<(?:title|h1)[^<>]{0,200}>([^<]{0,1000})</i.exec(body) ?? [];
  const text = (title ?? '').replace(/\s+/g, ' ').trim();
  return text === '' ? 'a web page' : `a web page, "${text}"`;
}

function messageOf(answer: ErrorAnswer, error: ErrorWords): string {
  const words = detailOf(error.message === '' ? (pageTitle(answer.body) ?? answer.body) : error.message);
  const { headers } = answer;
  const requestId =
    headers['x-request-id'] ?? headers['x-oai-request-id'] ?? headers['request-id'] ?? headers['cf-ray'];
  return [
    `The provider answered with status ${answer.status}${words === '' ? '.' : `: ${error.resetsAt === undefined ? words : sentence(words)}`}`,
    ...(error.resetsAt === undefined ? [] : [`It resets at ${error.resetsAt}.`]),
    ...(typeof requestId === 'string' ? [`(request ${detailOf(requestId)})`] : []),
  ].join(' ');
}
