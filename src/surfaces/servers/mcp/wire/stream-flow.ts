import type { JsonObject } from '../../../../protocol/json.ts';

/** Unread bytes of one stream in memory above which it counts as full. */
const mostUnread = 256 * 1024;
/** Unread bytes above which a reader is disconnected: notices of the SDK come without waiting. */
const mostBehind = 4 * 1024 * 1024;

export interface EventStreamOptions {
  readonly signal: AbortSignal;
  /** Called once, when the stream has ended or its reader is gone; at once if there is no stream. */
  readonly over: () => void;
  readonly whenFull: 'wait' | 'cut off';
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** Tracks if a client over HTTP reads: the SDK fills its own stream without checking that anything reads it. */
export class StreamFlow {
  readonly #open = new Set<Controller>();
  #waiting: (() => void)[] = [];
  /** Resolves with the first piece of a stream: the SDK's own beginning must come first. */
  readonly #begun = Promise.withResolvers<void>();

  /** Resolves as soon as none of the streams is full. */
  taken(): Promise<void> {
    return this.#isFull() ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** Inserts our own message between those of the SDK. */
  async send(message: JsonObject): Promise<void> {
    await this.#begun.promise;
    const frame = new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    for (const controller of this.#open) controller.enqueue(frame);
    await this.taken();
  }

  get openStreams(): number {
    return this.#open.size;
  }

  watch(response: Response, options: EventStreamOptions): Response {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream && response.body !== null) {
      const { status, headers } = response;
      return new Response(this.#watched(response.body, options), { status, headers });
    }
    options.over();
    return response;
  }

  #watched(
    source: ReadableStream<Uint8Array>,
    { signal, over, whenFull }: EventStreamOptions,
  ): ReadableStream<Uint8Array> {
    const reader = source.getReader();
    let controller: Controller;
    const end = (): void => {
      if (!this.#open.delete(controller)) return;
      signal.removeEventListener('abort', cutOff);
      this.#wake();
      over();
    };
    const cutOff = (): void => {
      end();
      void reader.cancel().catch(() => {});
    };
    const pass = async (): Promise<void> => {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        if (!this.#open.has(controller)) return;
        controller.enqueue(piece.value);
        this.#begun.resolve();
        if (whenFull === 'cut off' && isFarBehind(controller)) cutOff();
      }
      // The client can still read the data that waits in the stream.
      controller.close();
      end();
    };
    const passed = new ReadableStream<Uint8Array>(
      {
        start: (given) => {
          controller = given;
          this.#open.add(controller);
        },
        pull: () => this.#wake(),
        cancel: cutOff,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: mostUnread }),
    );
    signal.addEventListener('abort', cutOff, { once: true });
    // If the reader is gone, its stream is closed before the source ends, and passing data on fails.
    void pass().catch(end);
    return passed;
  }

  #isFull(): boolean {
    return [...this.#open].some(isFull);
  }

  #wake(): void {
    if (this.#isFull()) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const isFull = ({ desiredSize }: Controller): boolean => (desiredSize ?? 0) <= 0;
const isFarBehind = ({ desiredSize }: Controller): boolean => (desiredSize ?? 0) <= -mostBehind;
