import { defaultAnswerLimits } from '../../config/defaults.ts';
import type { ModelClient, ModelEvent, ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import { ask, askCredentials, limitsOf } from './ask.ts';
import type { Connection, ResponsesClientOptions } from './ask.ts';
import { compact } from './compact.ts';
import { abortedFailure, cutFailure, emptyFailure, idleFailure } from './connection-failure.ts';
import { responsesDecoder } from './decode.ts';
import { sender } from '../network/exchange.ts';
import type { OpenAnswer } from './open-answer.ts';
import { authModeOf } from './provider.ts';
import type { Read } from '../network/response-body.ts';

/**
 * A client of `POST {base}/responses` that streams over server-sent events, and of the endpoints below it. Its
 * connections are kept for reuse. A client that is never used loads nothing.
 */
export function responsesClient(options: ResponsesClientOptions): ModelClient {
  const connection: Connection = { options, sendTo: options.sendTo ?? sender(options) };
  return {
    stream: (request, signal) => answer(request, signal, connection),
    compact: (request, signal) => compact(request, signal, connection),
    authMode: async () =>
      authModeOf(await askCredentials(options, { signal: new AbortController().signal, asIs: true })),
  };
}

async function* answer(
  request: ModelRequest,
  signal: AbortSignal,
  connection: Connection,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { provider } = connection.options;
  const question = { endpoint: 'responses', wants: 'events', idleMs: provider.streamIdleTimeoutMs, signal } as const;
  const { opened, hide } = await ask(connection, request, question);
  const events =
    opened.kind === 'failed' ? only(opened.failure) : read(opened, withLimit(connection.options, request), signal);
  for await (const event of events) {
    yield event.kind === 'failed' ? { kind: 'failed', failure: hide(event.failure) } : event;
  }
}

/** The events of an open stream. When the last one is handed out the connection is closed or on its way to the pool. */
async function* read(
  { body, headers }: OpenAnswer,
  { limits = defaultAnswerLimits, provider: { streamIdleTimeoutMs } }: ResponsesClientOptions,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const decoder = responsesDecoder(limits);
  const contentType = headers['content-type'];
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

/** A request may want less than every answer may bring. */
function withLimit(options: ResponsesClientOptions, request: ModelRequest): ResponsesClientOptions {
  return { ...options, limits: limitsOf(options, request) };
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

function failed(failure: ModelFailure): Extract<ModelEvent, { kind: 'failed' }> {
  return { kind: 'failed', failure };
}

async function* only(failure: ModelFailure): AsyncGenerator<ModelEvent, void, undefined> {
  yield failed(failure);
}
