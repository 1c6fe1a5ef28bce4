import type { AnswerLimits } from '../../config/defaults.ts';
import type { ModelClient, ModelEvent, ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import { answerDecoder } from './answer-decoder.ts';
import { ask, askCredentials, limitsOf } from './ask.ts';
import type { Connection, HttpClientOptions } from './ask.ts';
import { abortedFailure, cutFailure, emptyFailure, idleFailure, providerFault } from './answer-failure.ts';
import { authModeOf } from './credentials.ts';
import type { HttpWire } from './http-wire.ts';
import { sender } from './network/exchange.ts';
import type { Read } from './network/response-body.ts';
import type { OpenAnswer } from './open-answer.ts';

/** Connections are kept for reuse. One that is never used loads nothing. */
export function httpConnection(options: HttpClientOptions, wire: HttpWire): Connection {
  return { wire, options, sendTo: options.sendTo ?? sender(options) };
}

/** A client that posts requests and reads the answers from streams of server-sent events. */
export function httpClient(connection: Connection): ModelClient {
  const { options } = connection;
  return {
    stream: (request, signal) => answer(request, signal, connection),
    authMode: async () =>
      authModeOf(await askCredentials(options, { signal: new AbortController().signal, asIs: true })),
  };
}

async function* answer(
  request: ModelRequest,
  signal: AbortSignal,
  connection: Connection,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { wire, options } = connection;
  const idleMs = options.provider.streamIdleTimeoutMs;
  const question = { endpoint: wire.endpoint, wants: 'events', idleMs, signal } as const;
  const { opened, hide } = await ask(connection, request, question);
  const limits = limitsOf(options, request);
  const events = opened.kind === 'failed' ? only(opened.failure) : read(opened, { wire, limits, idleMs, signal });
  try {
    for await (const event of events) yield event?.kind === 'failed' ? failed(hide(event.failure)) : event;
  } catch (error) {
    // A reader that throws may cite the answer, and a server may send the key back.
    yield failed(hide(providerFault(error)));
  }
}

interface Reading {
  readonly wire: HttpWire;
  readonly limits: AnswerLimits;
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/** The events of an open stream. When the last one is handed out the connection is closed or on its way to the pool. */
async function* read(
  { body, headers }: OpenAnswer,
  { wire, limits, idleMs, signal }: Reading,
): AsyncGenerator<ModelEvent, void, undefined> {
  const decoder = answerDecoder(limits, wire.reader(limits));
  const contentType = headers['content-type'];
  let released: Promise<void> | undefined;
  try {
    for (;;) {
      const part = await body.read(idleMs);
      const events =
        part.kind === 'chunk'
          ? decoder.push(part.bytes)
          : decoder.end((sawEvent) => causeOf(part, { api: wire.api, idleMs, contentType, sawEvent }));
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
  readonly api: string;
  readonly idleMs: number;
  readonly contentType: string | undefined;
  readonly sawEvent: boolean;
}

function causeOf(end: Exclude<Read, { kind: 'chunk' }>, stream: StreamSoFar): ModelFailure {
  const { api, idleMs, contentType, sawEvent } = stream;
  switch (end.kind) {
    case 'end':
      return sawEvent ? cutFailure('end of stream') : emptyFailure(contentType, api);
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
