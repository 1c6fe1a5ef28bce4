import type { AnswerLimits } from '../../config/defaults.ts';
import type { ModelClient, ModelEvent, ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import { answerDecoder, type HttpWire } from './answer-decoder.ts';
import { ask, askCredentials, type Connection, type HttpClientOptions, limitsOf, type ModelQuestion } from './ask.ts';
import { abortedFailure, emptyFailure, endFailure, providerFault } from './answer-failure.ts';
import { headerEvents } from './answer-headers.ts';
import { authModeOf } from './credentials.ts';
import { joinedDeltas } from './joined-deltas.ts';
import { sender } from './network/exchange.ts';
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
  if (opened.kind === 'failed') {
    if (opened.limits !== undefined) yield { kind: 'rate-limits', limits: opened.limits };
    return yield failed(hide(opened.failure));
  }
  yield* headerEvents(opened.headers, options.clock.now());
  const events = read(opened, { wire, limits: limitsOf(options, request), idleMs, signal });
  try {
    for await (const event of events)
      yield event?.kind === 'failed' ? { ...event, failure: hide(event.failure) } : event;
  } catch (error) {
    // A reader that throws may cite the answer, and a server may send the key back.
    yield failed(hide(providerFault(error)));
  }
}

type Reading = { readonly wire: HttpWire; readonly limits: AnswerLimits } & Pick<ModelQuestion, 'idleMs' | 'signal'>;

/** The events of an open stream. When the last one is handed out the connection is closed or on its way to the pool. */
async function* read(
  { body, headers }: OpenAnswer,
  { wire, limits, idleMs, signal }: Reading,
): AsyncGenerator<ModelEvent, void, undefined> {
  const decoder = answerDecoder(limits, wire.reader(limits));
  let isReleased = false;
  try {
    for (;;) {
      const part = await decoder.wait(idleMs, (ms) => body.read(ms));
      const events =
        part.kind === 'chunk'
          ? decoder.push(part.bytes)
          : decoder.end((sawEvent) => {
              if (part.kind === 'end' && !sawEvent) return emptyFailure(headers['content-type'], wire.api);
              return endFailure(part, { idleMs, sawOther: decoder.sawOther });
            });
      for (const event of joinedDeltas(events)) {
        // Also between events that came together: abort means now.
        if (signal.aborted) return yield failed(abortedFailure());
        if (event.kind === 'completed') {
          await body.release();
          isReleased = true;
        }
        if (event.kind === 'failed') body.close();
        yield event;
        if (event.kind === 'completed' || event.kind === 'failed') return;
      }
    }
  } finally {
    if (!isReleased) body.close();
  }
}

function failed(failure: ModelFailure): Extract<ModelEvent, { kind: 'failed' }> {
  return { kind: 'failed', failure };
}
