import type { ModelClient, ModelEvent, ModelRequest } from '../../ports/model-client.ts';
import type { Prompt } from '../../ports/prompt.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import { abortedFailure } from '../http/answer-failure.ts';
import type { Connection } from '../http/ask.ts';
import { fallbackNotice } from '../socket/fallback-notice.ts';
import { SocketStanding } from '../socket/socket-standing.ts';
import { incrementalFrame, type IncrementalFrame } from './encode.ts';
import { type KeptSocket, openKeptSocket } from './kept-socket.ts';
import { socketExchange } from './socket-exchange.ts';

/** How a request goes. */
type Way =
  | { readonly kind: 'socket'; readonly kept: KeptSocket }
  | { readonly kind: 'http' }
  | { readonly kind: 'aborted' };

/** A server closes connections that are an hour old. */
const oldestMs = 55 * 60_000;

/**
 * Sends requests of one conversation over a WebSocket that stays open, and all others over HTTP, as everything while no
 * WebSocket can be had. One request is on its way at a time.
 */
export class SocketClient implements Required<Pick<ModelClient, 'stream' | 'prewarm' | 'close'>> {
  readonly #connection: Connection;
  readonly #http: Pick<ModelClient, 'stream'>;
  readonly #frame: IncrementalFrame;
  readonly #standing = new SocketStanding();
  readonly #closing = new AbortController();
  #kept: KeptSocket | undefined;
  #opening: Promise<Way> | undefined;
  #isBusy = false;
  /** Why no WebSocket is used, until it was said: the rest of a sentence that begins with the provider. */
  #unsaid: string | undefined;

  constructor(
    connection: Connection,
    {
      http,
      frame = incrementalFrame,
    }: { readonly http: Pick<ModelClient, 'stream'>; readonly frame?: IncrementalFrame },
  ) {
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
    request: ModelRequest & { readonly prompt: Prompt },
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void> {
    for (let isSecond = false; ; isSecond = true) {
      const way = await this.#way(request.headers, signal);
      if (way.kind === 'aborted') return yield { kind: 'failed', failure: abortedFailure() };
      if (way.kind === 'http') return yield* this.#overHttp(request, signal);
      const { kept } = way;
      this.#kept = undefined;
      const onEnd = (end: 'completed' | 'broken'): void => this.#ended(kept, end);
      const end = yield* socketExchange(this.#connection, kept, {
        request,
        frame: this.#frame,
        signal,
        isSecond,
        onEnd,
      });
      if (end === 'over') return;
    }
  }

  #ended(kept: KeptSocket, end: 'completed' | 'broken'): void {
    if (end === 'completed') {
      this.#standing.worked();
      if (!this.#closing.signal.aborted) this.#kept = kept;
      else kept.socket.close();
    } else if (this.#standing.broke(this.#now()) === 'avoided') {
      this.#unsaid = 'did not complete answers';
    }
  }

  /** The notice waits until HTTP works: where the network is gone, it is no matter of WebSockets. */
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
    if (standing === 'trusted' || this.#opening !== undefined) {
      return beforeAbort(this.#open(headers), signal, { kind: 'aborted' });
    }
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

  /** One at a time. What is opened is kept. */
  #open(headers: ModelRequest['headers']): Promise<Way> {
    this.#opening ??= this.#tryToOpen(headers).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #tryToOpen(headers: ModelRequest['headers']): Promise<Way> {
    const opened = await openKeptSocket(this.#connection, headers, this.#closing.signal);
    if (opened.kind === 'open') {
      if (this.#closing.signal.aborted) {
        opened.kept.socket.close();
        return { kind: 'http' };
      }
      this.#standing.opened();
      this.#kept = opened.kept;
      return { kind: 'socket', kept: opened.kept };
    }
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
