import type { JsonObject } from '../../../../protocol/json.ts';
import type { ClientPort, ServerApp } from '../server-interface.ts';
import type { Server } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';

/** The client of a subscription: it is sent events at its own pace, and asked nothing. */
export function subscriptionPort({ id, gone, outbox }: ClientLink, send: OutgoingEvent['send']): ClientPort {
  const notify = (method: string, params: JsonObject): void => outbox.post({ method, params, send });
  return { id, canAsk: false, stays: true, gone, ready: () => outbox.ready(), notify };
}

export function postResourceUpdate({ outbox }: ClientLink, uri: string, connected: () => Server | undefined): void {
  const send: OutgoingEvent['send'] = async ({ params }) =>
    connected()?.sendResourceUpdated({ uri: String(params.uri) });
  outbox.post({ method: 'notifications/resources/updated', params: { uri }, send });
}

/** A connection to a client, or the one request of a client without connections. */
export interface ClientLink {
  readonly id: string;
  /** False: it ends with the request. */
  readonly stays: boolean;
  readonly gone: AbortSignal;
  readonly outbox: Outbox;
  /** Resolves when the client takes more, if the transport does not report that itself. */
  readonly taken?: () => Promise<void>;
  end(): void;
}

export function createClientLink({ stays, taken }: { readonly stays: boolean; taken?(): Promise<void> }): ClientLink {
  const gone = new AbortController();
  const outbox = new Outbox();
  const end = (): void => {
    gone.abort();
    outbox.close();
  };
  return { id: randomUUID(), stays, gone: gone.signal, outbox, taken, end };
}

export type SentEvent = { readonly method: string; readonly params: JsonObject };

export interface OutgoingEvent extends SentEvent {
  /** Resolves when the client has taken it, or the operating system has on its behalf. */
  readonly send: (event: SentEvent) => Promise<unknown>;
}

/** Sent to a client that did not read, when it reads again. */
export const missedMethod = 'notifications/capstan/missed';
const handedOver = 32;
const waitingEvents = 1000;
const waitingBytes = 4 * 1024 * 1024;

/**
 * The events for one client, in order. Posting never waits: events that do not fit are dropped and counted. An answer
 * must not overtake events posted before it: `handed` resolves when those are on their way.
 */
export class Outbox {
  #held = 0;
  #bytes = 0;
  #missed = 0;
  #lost: OutgoingEvent | undefined;
  #isClosed = false;
  readonly #waiting: { readonly event: OutgoingEvent; readonly bytes: number }[] = [];
  #waiters: { readonly until: () => boolean; readonly resolve: () => void }[] = [];

  post(event: OutgoingEvent): void {
    if (this.#isClosed) return;
    if (this.#held < handedOver && this.#waiting.length === 0 && this.#missed === 0) return this.#hand(event);
    const bytes = JSON.stringify(event.params).length;
    const isFull = this.#waiting.length >= waitingEvents || this.#bytes + bytes > waitingBytes;
    // Later events stay behind a gap, so that the client learns of the gap in its place.
    if (isFull || this.#missed > 0) {
      this.#missed += 1;
      this.#lost = event;
    } else {
      this.#bytes += bytes;
      this.#waiting.push({ event, bytes });
    }
  }

  /** Resolves when the client keeps up: little of what was posted is still on its way. */
  ready(): Promise<void> {
    return this.#when(() => this.#waiting.length === 0 && this.#missed === 0 && this.#held <= handedOver / 2);
  }

  /** Resolves when the transport has everything that was posted. */
  handed(): Promise<void> {
    return this.#when(() => this.#waiting.length === 0 && this.#missed === 0);
  }

  /** The client is gone: nothing more is sent, and all waits end. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#missed = 0;
    this.#settle();
  }

  #hand(event: OutgoingEvent): void {
    this.#held += 1;
    const taken = (): void => {
      this.#held -= 1;
      this.#continue();
    };
    void event.send({ method: event.method, params: event.params }).then(taken, taken);
  }

  #continue(): void {
    while (this.#held < handedOver) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#bytes -= next.bytes;
        this.#hand(next.event);
      } else if (this.#missed > 0 && this.#lost !== undefined) {
        const [{ send }, count] = [this.#lost, this.#missed];
        [this.#lost, this.#missed] = [undefined, 0];
        this.#hand({ method: missedMethod, params: { count }, send });
      } else break;
    }
    this.#settle();
  }

  #when(until: () => boolean): Promise<void> {
    if (this.#isClosed || until()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ until, resolve }));
  }

  #settle(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) {
      if (this.#isClosed || waiter.until()) waiter.resolve();
      else this.#waiters.push(waiter);
    }
  }
}

/** Notifies a connected client of changed lists, until the returned function is called. */
export function announceLists(app: ServerApp, connected: () => Server | undefined): () => void {
  const stop = app.watchLists?.((list) => {
    const server = connected();
    if (server?.transport === undefined) return;
    const sent = {
      tools: server.sendToolListChanged,
      resources: server.sendResourceListChanged,
      prompts: server.sendPromptListChanged,
    };
    void sent[list].call(server).catch(() => {});
  });
  return stop ?? (() => {});
}
