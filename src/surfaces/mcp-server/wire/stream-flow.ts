export interface CountOptions {
  /** Called once, when the stream has ended or its reader is gone; at once where there is no stream. */
  readonly over: () => void;
  /** A reader that takes nothing for so long counts as gone. */
  readonly patienceMs?: number;
}

/**
 * How much of what is sent to a client over HTTP it has taken. The SDK puts every message into a stream without looking
 * whether anything reads it; here the pieces are counted as they leave.
 */
export class StreamFlow {
  #sent = 0;
  #taken = 0;
  #open: number;
  #waiting: { readonly piece: number; readonly resolve: () => void }[] = [];

  /** `expected`: a stream will be opened for what is sent from now on. */
  constructor(expected: 'stream' | 'nothing') {
    this.#open = expected === 'stream' ? 1 : 0;
  }

  /** Resolves when the piece that was sent last has left, or no stream is open that it could leave through. */
  taken(): Promise<void> {
    this.#sent += 1;
    const piece = this.#sent;
    if (this.#open === 0 || this.#taken >= piece) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ piece, resolve }));
  }

  get openStreams(): number {
    return this.#open;
  }

  opened(): void {
    this.#open += 1;
  }

  closed(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#letGo(this.#sent);
  }

  /** The stream, counted. */
  count(stream: ReadableStream<Uint8Array>, { over, patienceMs }: CountOptions): ReadableStream<Uint8Array> {
    const reader = stream.getReader();
    let isOver = false;
    let stalled: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(stalled);
      if (isOver) return;
      isOver = true;
      this.closed();
      over();
    };
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          clearTimeout(stalled);
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return end();
          }
          controller.enqueue(value);
          this.#letGo(this.#taken + 1);
          if (patienceMs !== undefined) stalled = setTimeout(() => void reader.cancel().then(end), patienceMs).unref();
        },
        cancel: async (reason) => {
          end();
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  #letGo(taken: number): void {
    this.#taken = Math.min(taken, this.#sent);
    while (this.#waiting[0] !== undefined && this.#waiting[0].piece <= this.#taken) this.#waiting.shift()?.resolve();
  }
}

/** The response with its body counted, if it is a stream. */
export function countedResponse(flow: StreamFlow, response: Response, options: CountOptions): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) {
    flow.closed();
    options.over();
    return response;
  }
  const { status, headers } = response;
  return new Response(flow.count(response.body, options), { status, headers });
}
