import { peerClosedCodes, connectFailureCodes } from '../../../protocol/http.ts';
import type { Clock } from '../../../ports/system.ts';
import type { ModelFailure, RequestRetry } from '../../../ports/model.ts';
import { modelFailure, retryDelay } from './failures/model-failure.ts';
import { abortedFailure, noAnswerFailure } from './failures/answer-failure.ts';
import type { HttpHead, HttpHeaders } from './network/http-head.ts';
import type { OpenedExchange, OutgoingRequest, SendHttpRequest, Unanswered } from './network/exchange.ts';
import { bareHost, isLoopback } from './network/destination.ts';
import { httpFailure } from './failures/http-failure.ts';
import { BoundedBuffer } from '../../../base/bounded-buffer.ts';
import type { RateLimits } from '../../../protocol/rate-limits.ts';
import { rateLimitsIn } from './answer-headers.ts';
import type { ProviderOptions } from './credentials-and-headers.ts';
import type { ResponseBody } from './network/response-body.ts';

const mostRetries = 100;
const usualConnectRetries = 2;
const longestConnectingMs = 10_000;
const errorBodyBytes = 64 * 1024;
const errorBodyMs = 10_000;

export interface OpeningContext {
  readonly send: SendHttpRequest;
  readonly provider: ProviderOptions;
  readonly origin: string;
  readonly api: string;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface AwaitedRequest extends OutgoingRequest {
  readonly wants: 'events' | 'json';
  readonly keyAdvice: string;
  onRetry(retry: RequestRetry): void;
}

export interface OpenAnswer {
  readonly kind: 'open';
  readonly body: ResponseBody;
  readonly status: number;
  readonly headers: HttpHeaders;
}

export type FailedAnswer = { readonly kind: 'failed'; readonly failure: ModelFailure; readonly limits?: RateLimits };
interface Refused extends FailedAnswer {
  /** Retry by this layer. `at-once`: a stale connection says nothing about the server. */
  readonly again: 'no' | 'after-delay' | 'at-once';
  /** How often to retry a connection that could not be made. Absent: a connection was made. */
  readonly connectRetries?: number;
}

/** Retries server errors and lost connections with the same bytes. Other failures are for the caller to judge. */
export async function openAnswer(opening: OpeningContext, asking: AwaitedRequest): Promise<OpenAnswer | FailedAnswer> {
  const { provider, clock, random, send } = opening;
  const { signal } = asking;
  const usual = Math.min(provider.requestMaxRetries, mostRetries);
  const began = clock.now();
  let attempt = 0;
  let freshConnection = false;
  for (;;) {
    const triedAt = performance.now();
    const opened = await send(asking);
    const result = await judge(opened, opening, asking, performance.now() - triedAt);
    if (result.kind === 'open') return result;
    if (result.again === 'at-once' && !freshConnection) {
      freshConnection = true;
      continue;
    }
    if (result.again === 'no' || result.failure.retry === 'never') return result;
    const { connectRetries } = result;
    const retries = connectRetries ?? usual;
    const isLate = connectRetries !== undefined && clock.now() - began > longestConnectingMs;
    if (attempt >= retries || (isLate && provider.connectMaxRetries === undefined)) {
      // All retries of a connection are counted here: the caller must not add its own.
      const failure = connectRetries === undefined ? result.failure : { ...result.failure, retry: 'never' as const };
      return { ...result, failure };
    }
    attempt += 1;
    const waitMs = Math.max(retryDelay(attempt, random), result.failure.retry.afterMs ?? 0);
    const isFinal = connectRetries === undefined ? undefined : true;
    asking.onRetry({ failure: result.failure, waitMs, attempt, of: retries, isFinal });
    await clock.sleep(waitMs, signal);
    if (signal.aborted) return { kind: 'failed', failure: abortedFailure() };
  }
}

async function judge(
  opened: OpenedExchange,
  opening: OpeningContext,
  asking: AwaitedRequest,
  tookMs: number,
): Promise<OpenAnswer | Refused> {
  if (opened.kind !== 'answer') {
    const failure = noAnswerFailure(opened, { origin: opening.origin, idleMs: asking.idleMs });
    const connectRetries = connectRetriesAfter(opened, opening, tookMs);
    return { kind: 'failed', failure, again: againAfter(opened), connectRetries };
  }
  const { status, headers } = opened.head;
  if (isPacked(opened.head) && isGood(status)) {
    opened.body.close();
    return { kind: 'failed', failure: packedFailure(opening.origin), again: 'no' };
  }
  return isWanted(opened.head, asking.wants)
    ? { kind: 'open', body: opened.body, status, headers }
    : refusal(opened, opening, asking);
}

function againAfter(opened: Unanswered): Refused['again'] {
  if (opened.kind === 'lost') return opened.stale ? 'at-once' : 'after-delay';
  // An idle request is not retried here: it may have waited for minutes, so the caller first warns the user.
  return opened.kind === 'refused' ? 'after-delay' : 'no';
}

/** If no local program listens, none will a moment later. */
function connectRetriesAfter(opened: Unanswered, { provider, origin }: OpeningContext, tookMs: number) {
  const host = ('proxy' in opened ? opened.proxy?.host : undefined) ?? bareHost(new URL(origin));
  if (!isUnreached(opened, host, tookMs)) return undefined;
  const isLocal = opened.kind === 'lost' && opened.code === 'ECONNREFUSED' && isLoopback(host);
  return provider.connectMaxRetries ?? (isLocal ? 0 : usualConnectRetries);
}

/**
 * True if no connection was made, or if a proxy that opens no tunnel or a program on this machine closed it at once. A
 * remote server may close one because it restarts, and a server that closes one late was working.
 */
function isUnreached(opened: Unanswered, host: string, tookMs: number): boolean {
  if (opened.kind !== 'lost') return opened.kind === 'refused';
  if (connectFailureCodes.has(opened.code)) return true;
  const { code, before } = opened;
  if (tookMs > longestConnectingMs || !peerClosedCodes.has(code)) return false;
  return before === 'tunnel' || (before === 'answer' && isLoopback(host));
}

/** True if the answer is compressed, though nothing asked for that. Some servers name an encoding that is none. */
const isPacked = ({ headers }: HttpHead): boolean =>
  /\b(?:x-)?(?:gzip|compress|deflate|br|zstd)\b/i.test(headers['content-encoding'] ?? '');
const isGood = (status: number): boolean => status >= 200 && status <= 299;

function packedFailure(origin: string): ModelFailure {
  const message = `The server at ${origin} sent a compressed answer, which was not asked for.`;
  const next = 'Check what stands between Capstan and the server, and the base URL of the provider.';
  return modelFailure({ cause: 'refused', message, next });
}

/** A missing content type is accepted; HTML pages are not answers, and plain JSON is not a stream. */
function isWanted({ status, headers }: HttpHead, wants: AwaitedRequest['wants']): boolean {
  if (!isGood(status)) return false;
  const type = headers['content-type'] ?? '';
  return !/^text\/html\b/i.test(type) && (wants === 'json' || !/^application\/json\b/i.test(type));
}

async function refusal(
  answer: Extract<OpenedExchange, { kind: 'answer' }>,
  { clock, api, origin }: OpeningContext,
  { keyAdvice }: AwaitedRequest,
): Promise<Refused> {
  const body = await readError(answer.body, isPacked(answer.head));
  if (body === undefined) return { kind: 'failed', failure: abortedFailure(), again: 'no' };
  const { status, headers } = answer.head;
  const place = { now: clock.now(), api, origin, keyAdvice, proxy: answer.proxy };
  const failure = httpFailure({ status, headers, body }, place);
  const limits = rateLimitsIn(headers, clock.now());
  return { kind: 'failed', failure, limits, again: status >= 500 ? 'after-delay' : 'no' };
}

/** Reads as much of the beginning of an error body as comes; undefined when reading was aborted. */
async function readError(body: ResponseBody, isUnreadable: boolean): Promise<string | undefined> {
  const held = new BoundedBuffer(errorBodyBytes);
  const until = performance.now() + errorBodyMs;
  for (let leftMs = errorBodyMs; leftMs > 0 && held.length < errorBodyBytes; leftMs = until - performance.now()) {
    const read = await body.read(leftMs);
    if (read.kind === 'aborted') return undefined;
    if (read.kind !== 'chunk') break;
    held.add(read.bytes.subarray(0, errorBodyBytes - held.length));
  }
  // A body read to its end has already given its connection back.
  body.close();
  return isUnreadable ? '' : held.take().toString('utf8');
}
