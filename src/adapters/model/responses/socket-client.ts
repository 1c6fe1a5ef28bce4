import type { ProviderConfig } from '../../../core/config/providers/provider-config.ts';
import type { ModelClient, ModelEvent, ModelRequest, ModelPrompt } from '../../../ports/model.ts';
import { valueOrAbort } from '../../../protocol/abort.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { abortedFailure } from '../http/failures/answer-failure.ts';
import type { ProviderConnection } from '../http/send-question.ts';
import { incrementalFrame, type IncrementalFrame } from './encode.ts';
import { type KeptSocket, openKeptSocket, socketExchange } from './socket-exchange.ts';

type Way = { readonly kind: 'socket'; readonly kept: KeptSocket } | { readonly kind: 'http' } | { kind: 'aborted' };
/** Servers close connections after an hour. */
const oldestMs = 55 * 60_000;

/** One conversation over a lasting WebSocket, one request at a time. All else goes over HTTP, as does a fallback. */
export class SocketClient implements Required<Pick<ModelClient, 'stream' | 'prewarm' | 'close'>> {
  readonly #connection: ProviderConnection;
  readonly #http: Pick<ModelClient, 'stream'>;
  readonly #frame: IncrementalFrame;
  readonly #standing = new SocketReliability();
  readonly #closing = new AbortController();
  #kept: KeptSocket | undefined;
  #opening: Promise<Way> | undefined;
  #isBusy = false;
  /** Unreported reason for not using a WebSocket: the rest of a sentence that begins with the provider. */
  #unsaid: string | undefined;

  constructor(connection: ProviderConnection, http: Pick<ModelClient, 'stream'>, frame = incrementalFrame) {
    this.#connection = connection;
    this.#http = http;
    this.#frame = frame;
  }

  prewarm({ headers }: Pick<ModelRequest, 'headers'>): void {
    if (this.#standing.at(this.#now()) === 'trusted' && this.#usable() === undefined) void this.#open(headers);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const { prompt } = request;
    const isForSocket = prompt !== undefined && request.wants === undefined;
    if (!isForSocket || this.#isBusy || this.#closing.signal.aborted) return yield* this.#http.stream(request, signal);
    this.#isBusy = true;
    try {
      yield* this.#overSocket({ ...request, prompt }, signal);
    } finally {
      this.#isBusy = false;
    }
  }

  close(): void {
    this.#closing.abort();
    this.#kept?.socket.close();
    this.#kept = undefined;
  }

  async *#overSocket(
    request: ModelRequest & { readonly prompt: ModelPrompt },
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void> {
    for (let isSecond = false; ; isSecond = true) {
      const way = await this.#way(request.headers, signal);
      if (way.kind === 'aborted') return yield { kind: 'failed', failure: abortedFailure() };
      if (way.kind === 'http') return yield* this.#overHttp(request, signal);
      const { kept } = way;
      this.#kept = undefined;
      const onEnd = (end: 'completed' | 'broken'): void => this.#ended(kept, end);
      const context = { request, frame: this.#frame, signal, isSecond, onEnd };
      if ((yield* socketExchange(this.#connection, kept, context)) === 'over') return;
    }
  }

  #ended(kept: KeptSocket, end: 'completed' | 'broken'): void {
    if (end === 'completed') {
      this.#standing.worked();
      if (!this.#closing.signal.aborted) this.#kept = kept;
      else kept.socket.close();
    } else if (this.#standing.broke(this.#now()) === 'avoided') this.#unsaid = 'did not complete answers';
  }

  /** The notice waits until HTTP works: if the network is down, WebSockets are not the problem. */
  async *#overHttp(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    for await (const event of this.#http.stream(request, signal)) {
      const why = this.#unsaid;
      if (why !== undefined && event.kind !== 'failed') {
        this.#unsaid = undefined;
        yield { kind: 'notice', outcome: fallbackNotice(this.#connection.options.provider, why) };
      }
      yield event;
    }
  }

  async #way(headers: ModelRequest['headers'], signal: AbortSignal): Promise<Way> {
    if (signal.aborted) return { kind: 'aborted' };
    const kept = this.#usable();
    if (kept !== undefined) return { kind: 'socket', kept };
    const standing = this.#standing.at(this.#now());
    if (standing === 'trusted' || this.#opening !== undefined)
      return valueOrAbort(this.#open(headers), signal, { kind: 'aborted' });
    // The request does not wait for what failed before.
    if (standing === 'doubtful') void this.#open(headers);
    return { kind: 'http' };
  }

  #usable(): KeptSocket | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    if (kept.socket.isOpen && this.#now() - kept.openedAt < oldestMs) return kept;
    kept.socket.close();
    this.#kept = undefined;
    return undefined;
  }

  /** One at a time. The opened socket is kept. */
  #open(headers: ModelRequest['headers']): Promise<Way> {
    this.#opening ??= this.#tryToOpen(headers).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #tryToOpen(headers: ModelRequest['headers']): Promise<Way> {
    const opened = await openKeptSocket(this.#connection, headers, this.#closing.signal);
    if (opened.kind === 'open' && !this.#closing.signal.aborted) {
      this.#standing.opened();
      this.#kept = opened.kept;
      return { kind: 'socket', kept: opened.kept };
    }
    if (opened.kind === 'open') opened.kept.socket.close();
    if (opened.kind === 'failed') {
      this.#standing.refused(this.#now());
      this.#unsaid = opened.why;
    }
    return { kind: 'http' };
  }

  #now(): number {
    return this.#connection.options.clock.now();
  }
}

/** Reported once when requests go over HTTP instead. `why`: the rest of a sentence that begins with the provider. */
function fallbackNotice({ id, name }: ProviderConfig, why: string): Outcome {
  const setting = id === 'openai' ? 'features.responses_websockets' : `model_providers.${id}.supports_websockets`;
  return {
    code: 'websocket-unavailable',
    message: `Capstan sends requests over HTTP, because no WebSocket could be opened: ${name} ${why.replace(/\.$/, '')}.`,
    next: `Nothing is lost, and Capstan tries again later. To use HTTP only, set ${setting} = false.`,
  };
}

const firstWaitMs = 60_000;
const longestWaitMs = 30 * 60_000;
/** A single break may be bad luck. */
const mostBreaks = 2;
/** `trusted`: requests wait. `doubtful`: it has failed, so they use HTTP until it opens. `avoided`: it just failed. */
export type WebSocketReliability = 'trusted' | 'doubtful' | 'avoided';

class SocketReliability {
  #failures = 0;
  #breaks = 0;
  #avoidedUntil = 0;

  at(now: number): WebSocketReliability {
    if (this.#failures === 0) return 'trusted';
    return now < this.#avoidedUntil ? 'avoided' : 'doubtful';
  }

  refused(now: number): void {
    this.#avoidedUntil = now + Math.min(firstWaitMs * 2 ** this.#failures, longestWaitMs);
    this.#failures += 1;
  }

  broke(now: number): WebSocketReliability {
    this.#breaks += 1;
    if (this.#breaks >= mostBreaks) this.refused(now);
    return this.at(now);
  }

  /** Called when a doubtful one has opened: the next request uses it. */
  opened(): void {
    this.#avoidedUntil = 0;
  }

  worked(): void {
    this.#failures = 0;
    this.#breaks = 0;
  }
}
