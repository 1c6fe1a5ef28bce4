import type { Clock } from '../../ports/clock.ts';
import type { ModelClient, ModelEvent, ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import { abortedFailure, cutFailure, emptyFailure, idleFailure } from './connection-failure.ts';
import { responsesDecoder } from './decode.ts';
import { sender } from './exchange.ts';
import { modelFailure, withoutSecrets } from './failure.ts';
import { openStream } from './open-stream.ts';
import type { Opening, OpenStream } from './open-stream.ts';
import type { Credentials, Environment, ProviderOptions } from './provider.ts';
import { isHeaderValue, requestHeaders, secretsOf } from './request-headers.ts';
import type { Read } from './response-body.ts';
import { targetOf } from './target.ts';

export interface ResponsesClientOptions {
  readonly provider: ProviderOptions;
  /** Asked before every request. When it rejects, no request is sent and the reason is not shown: it may hold a secret. */
  readonly credentials: () => Promise<Credentials>;
  /** Where the variables of `envHttpHeaders` are looked up. */
  readonly environment: Environment;
  readonly clock: Clock;
  /** A number from 0 up to but not including 1: spreads the retries. */
  readonly random: () => number;
}

/** A client of `POST {base}/responses` that streams over server-sent events. Its connections are kept for reuse. */
export function responsesClient(options: ResponsesClientOptions): ModelClient {
  const target = targetOf(options.provider, 'responses');
  if (target === undefined) return { stream: () => only(badAddress(options.provider)) };
  let opening: Opening | undefined;
  return {
    stream(request, signal) {
      // With the first request, so that a client that is never used loads nothing.
      opening ??= { ...options, send: sender(target), origin: target.origin };
      return answer(request, signal, { options, opening });
    },
  };
}

interface Connection {
  readonly options: ResponsesClientOptions;
  readonly opening: Opening;
}

async function* answer(
  request: ModelRequest,
  signal: AbortSignal,
  { options, opening }: Connection,
): AsyncGenerator<ModelEvent, void, undefined> {
  const credentials = await usableCredentials(options, signal);
  if (credentials.kind === 'failed') return yield credentials;
  const sources = { ...options, request: request.headers, credentials };
  const opened = await openStream(opening, {
    headers: requestHeaders(sources),
    body: request.body,
    after: request.after,
    onSent: request.onSent,
    signal,
  });
  const events = opened.kind === 'failed' ? only(opened.failure) : read(opened, options.provider, signal);
  const secrets = secretsOf(sources);
  for await (const event of events) {
    yield event.kind === 'failed' ? { kind: 'failed', failure: withoutSecrets(event.failure, secrets) } : event;
  }
}

/** The events of an open stream. When the last one is handed out the connection is closed or on its way to the pool. */
async function* read(
  { body, contentType }: OpenStream,
  { streamIdleTimeoutMs }: ProviderOptions,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const decoder = responsesDecoder();
  let released: Promise<void> | undefined;
  try {
    for (;;) {
      const part = await body.read(streamIdleTimeoutMs);
      const events =
        part.kind === 'chunk'
          ? decoder.push(part.bytes)
          : decoder.end((sawEvent) => causeOf(part, { idleMs: streamIdleTimeoutMs, contentType, sawEvent }));
      for (const event of events) {
        // Also between events that came together: abort means now.
        if (signal.aborted) return yield failed(abortedFailure());
        if (event.kind === 'completed') released = body.release();
        if (event.kind === 'failed') body.close();
        yield event;
        if (event.kind === 'completed' || event.kind === 'failed') return;
      }
    }
  } finally {
    if (released === undefined) body.close();
    else await released;
  }
}

interface StreamSoFar {
  readonly idleMs: number;
  readonly contentType: string | undefined;
  readonly sawEvent: boolean;
}

function causeOf(end: Exclude<Read, { kind: 'chunk' }>, { idleMs, contentType, sawEvent }: StreamSoFar): ModelFailure {
  switch (end.kind) {
    case 'end':
      return sawEvent ? cutFailure('end of stream') : emptyFailure(contentType);
    case 'cut':
      return cutFailure(end.code);
    case 'idle':
      return idleFailure(idleMs);
    case 'aborted':
      return abortedFailure();
  }
}

type Usable = Exclude<Credentials, { kind: 'missing' }>;
type Failed = Extract<ModelEvent, { kind: 'failed' }>;

async function usableCredentials(options: ResponsesClientOptions, signal: AbortSignal): Promise<Usable | Failed> {
  const credentials = await beforeAbort(askCredentials(options), signal);
  if (credentials === undefined) return failed(abortedFailure());
  if (credentials.kind === 'missing') {
    return failed(modelFailure({ ...credentials, code: 'unauthorized', retry: 'never' }));
  }
  if (credentials.kind === 'bearer' && !isHeaderValue(credentials.token)) {
    const message = `The key for ${options.provider.name} holds characters that no key can have.`;
    return failed(modelFailure({ code: 'unauthorized', message, retry: 'never' }));
  }
  return credentials;
}

async function askCredentials({ provider, credentials }: ResponsesClientOptions): Promise<Credentials> {
  try {
    return await credentials();
  } catch {
    return {
      kind: 'missing',
      message: `The credentials for ${provider.name} could not be read.`,
      next: 'Check how the key of this provider is stored, or sign in again.',
    };
  }
}

/** The value, or undefined as soon as the signal aborts. */
async function beforeAbort<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  const stop = Promise.withResolvers<undefined>();
  const onAbort = (): void => stop.resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([value, stop.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function badAddress(provider: ProviderOptions): ModelFailure {
  return modelFailure({
    code: 'invalid-request',
    message: `The base URL of ${provider.name} is not an http or https address.`,
    next: 'Correct base_url in the settings of the provider.',
    retry: 'never',
  });
}

function failed(failure: ModelFailure): Failed {
  return { kind: 'failed', failure };
}

async function* only(failure: ModelFailure): AsyncGenerator<ModelEvent, void, undefined> {
  yield failed(failure);
}
