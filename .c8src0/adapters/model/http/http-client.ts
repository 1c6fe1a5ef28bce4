import type { AnswerLimits } from '../../../core/config/defaults.ts';
import type { ProviderConfig } from '../../../core/config/providers/provider-config.ts';
import type { Encoder, ModelClient, ModelEvent, ModelRequest, ProviderCapabilities } from '../../../ports/model.ts';
import { answerDecoder, type HttpWire, joinedDeltas } from './answer-decoder.ts';
import { headerEvents } from './answer-headers.ts';
import { authModeOf } from './credentials-and-headers.ts';
import { abortedFailure, emptyFailure, bodyEndFailure, wireFormatFailure } from './failures/answer-failure.ts';
import { failed } from './failures/model-failure.ts';
import { createSender } from './network/exchange.ts';
import type { OpenAnswer } from './open-answer.ts';
import type { ProviderConnection, HttpClientOptions, ModelSendOptions } from './send-question.ts';
import { answerLimits, askCredentials, sendModelRequest } from './send-question.ts';

/** Keeps connections for reuse. Loads nothing until it is used. */
export const createProviderConnection = (options: HttpClientOptions, wire: HttpWire): ProviderConnection => ({
  wire,
  options,
  sendTo: options.sendTo ?? createSender(options),
});

/** For formats that know neither a compaction of their own nor free-text tools. */
export const plainCapabilities: ProviderCapabilities = {
  remoteCompaction: 'none',
  freeformTools: 'none',
  accessPrograms: 'unknown',
  outputLimit: 'always',
};

export function httpClient(connection: ProviderConnection): ModelClient {
  const { options } = connection;
  return {
    stream: (request, signal) => answer(request, signal, connection),
    authMode: async () =>
      authModeOf(await askCredentials(options, { signal: new AbortController().signal, asIs: true })),
  };
}

type Events = AsyncGenerator<ModelEvent, void, undefined>;

async function* answer(request: ModelRequest, signal: AbortSignal, connection: ProviderConnection): Events {
  const { wire, options } = connection;
  const idleMs = options.provider.streamIdleTimeoutMs;
  const question = { endpoint: wire.endpoint, wants: 'events', idleMs, signal } as const;
  const { opened, hide } = await sendModelRequest(connection, request, question);
  if (opened.kind === 'failed') {
    if (opened.limits !== undefined) yield { kind: 'rate-limits', limits: opened.limits };
    return yield failed(hide(opened.failure));
  }
  yield* headerEvents(opened.headers, options.clock.now());
  const events = read(opened, { wire, limits: answerLimits(options, request), idleMs, signal });
  try {
    for await (const event of events)
      yield event?.kind === 'failed' ? { ...event, failure: hide(event.failure) } : event;
  } catch (error) {
    // A throwing reader may quote the answer, and a server may echo the key.
    yield failed(hide(wireFormatFailure(error)));
  }
}

/** The events of an open stream. Before the last one, it closes the connection or begins to give it back. */
async function* read(
  { body, headers }: OpenAnswer,
  {
    wire,
    limits,
    idleMs,
    signal,
  }: Pick<ProviderConnection, 'wire'> & Pick<ModelSendOptions, 'idleMs' | 'signal'> & { readonly limits: AnswerLimits },
): Events {
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
              return bodyEndFailure(part, { idleMs, sawOther: decoder.sawOther() });
            });
      for (const event of joinedDeltas(events)) {
        // Check between events that arrived together, too: abort takes effect immediately.
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

/** Encodes requests and reads answers for a provider. Items on our side are in the Responses dialect. */
export interface WireFormat {
  readonly name: string;
  /** A new encoder for each thread, since it may keep the bytes of items. */
  encoder(provider: Pick<ProviderConfig, 'id' | 'baseUrl' | 'capabilities'>): Encoder;
  /** All encoders that `encoder` may return, if providers of the format differ. Absent: always the same one. */
  everyEncoder?(): readonly Encoder[];
  /** Opens nothing before the first request. */
  client(options: HttpClientOptions): ModelClient;
  /** `gates`: features that are switched on or off. */
  capabilities(provider: ProviderConfig, gates: Readonly<Record<string, boolean>>): ProviderCapabilities;
}
