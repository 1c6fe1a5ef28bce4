import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../ports/clock.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import { delay } from './backoff.ts';
import { abortedFailure, connectionFailure, idleFailure } from './connection-failure.ts';
import type { Opened, Outgoing, Send } from './exchange.ts';
import { httpFailure } from './http-failure.ts';
import { keyAdvice, type ProviderOptions } from './provider.ts';
import type { ResponseBody } from './response-body.ts';

const mostRetries = 100;
const errorBodyBytes = 64 * 1024;
const errorBodyIdleMs = 10_000;

export interface Opening {
  readonly send: Send;
  readonly provider: ProviderOptions;
  /** Where the request goes, as it may be shown. */
  readonly origin: string;
  readonly clock: Clock;
  readonly random: () => number;
}

/** An answer that may be a stream of events. */
export interface OpenStream {
  readonly kind: 'open';
  readonly body: ResponseBody;
  readonly contentType: string | undefined;
}

export type OpenedStream = OpenStream | { readonly kind: 'failed'; readonly failure: ModelFailure };

interface Refused {
  readonly kind: 'failed';
  readonly failure: ModelFailure;
  /** Whether this layer tries again, and how: a stale connection says nothing about the server. */
  readonly again: 'no' | 'after-delay' | 'at-once';
}

/**
 * Sends a request until a stream of events answers it. Server errors and lost connections are tried again with the
 * same bytes; every other failure is for the caller to judge.
 */
export async function openStream(
  opening: Opening,
  request: Pick<Outgoing, 'headers' | 'body' | 'signal' | 'after' | 'onSent'>,
): Promise<OpenedStream> {
  const { provider, clock, random, send } = opening;
  const { signal } = request;
  let retriesLeft = Math.min(provider.requestMaxRetries, mostRetries);
  let attempt = 0;
  let freshConnection = false;
  for (;;) {
    const result = await judge(await send({ ...request, idleMs: provider.streamIdleTimeoutMs }), opening);
    if (result.kind === 'open') return result;
    if (result.again === 'at-once' && !freshConnection) {
      freshConnection = true;
      continue;
    }
    if (result.again === 'no' || result.failure.retry === 'never' || retriesLeft <= 0) return result;
    retriesLeft -= 1;
    attempt += 1;
    await clock.sleep(Math.max(delay(attempt, random), result.failure.retry.afterMs ?? 0), signal);
    if (signal.aborted) return { kind: 'failed', failure: abortedFailure() };
  }
}

async function judge(opened: Opened, opening: Opening): Promise<OpenStream | Refused> {
  switch (opened.kind) {
    case 'aborted':
      return { kind: 'failed', failure: abortedFailure(), again: 'no' };
    case 'idle':
      // It may have waited for minutes: the caller tells the person before it waits once more.
      return { kind: 'failed', failure: idleFailure(opening.provider.streamIdleTimeoutMs), again: 'no' };
    case 'lost': {
      const failure = connectionFailure(opening.origin, opened.code);
      return { kind: 'failed', failure, again: opened.stale ? 'at-once' : 'after-delay' };
    }
    case 'answer':
      return isEventStream(opened.message)
        ? { kind: 'open', body: opened.body, contentType: opened.message.headers['content-type'] }
        : refusal(opened, opening);
  }
}

/** Servers that forget the content type of a stream are believed; pages and plain JSON are not streams. */
function isEventStream(message: IncomingMessage): boolean {
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 299) return false;
  return !/^(text\/html|application\/json)\b/i.test(message.headers['content-type'] ?? '');
}

async function refusal(answer: Extract<Opened, { kind: 'answer' }>, { clock, provider }: Opening): Promise<Refused> {
  const body = await readError(answer.body);
  if (body.kind === 'aborted') return { kind: 'failed', failure: abortedFailure(), again: 'no' };
  const status = answer.message.statusCode ?? 0;
  const { headers } = answer.message;
  const failure = httpFailure({ status, headers, body: body.text }, clock.now());
  return {
    kind: 'failed',
    failure: status === 401 ? { ...failure, next: keyAdvice(provider) } : failure,
    again: status >= 500 ? 'after-delay' : 'no',
  };
}

type ErrorBody = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'aborted' };

/** The beginning of an error's body, as much of it as comes. */
async function readError(body: ResponseBody): Promise<ErrorBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < errorBodyBytes) {
    const read = await body.read(errorBodyIdleMs);
    if (read.kind === 'aborted') return read;
    if (read.kind !== 'chunk') break;
    chunks.push(read.bytes);
    size += read.bytes.length;
  }
  // What was read to its end has given its connection back already.
  body.close();
  return { kind: 'text', text: Buffer.concat(chunks).toString('utf8', 0, Math.min(size, errorBodyBytes)) };
}
