import { isJsonObject, objectAt } from '../../../../protocol/json.ts';
import type { ClientPort } from '../server-interface.ts';
import { announceLists, createClientLink, postResourceUpdate, subscriptionPort } from './client-link.ts';
import { messageLimits, type MessageLine, MessageLines, messageTooDeep } from './message-scan.ts';
import { createProtocolServer, type ServedApp } from './protocol-server.ts';
import { listenedIn, ResourceWatches, unknownResourceError } from './resource-watches.ts';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  parseJSONRPCMessage,
  ProtocolErrorCode,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server';
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Server, Transport } from '@modelcontextprotocol/server';
import { serveStdio as serveOnStdio } from '@modelcontextprotocol/server/stdio';
import type { Readable, Writable } from 'node:stream';

export interface RunningServer {
  /** Resolves when the client is gone, or the server was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client on streams of its own. Closing it does not close the app. */
export function serveStdio(served: ServedApp, streams: StdioStreams): RunningServer {
  const link = createClientLink({ stays: true });
  let server: Server | undefined;
  const changed = (uri: string): void => postResourceUpdate(link, uri, () => server);
  const client = subscriptionPort(link, async (event) => server?.notification(event));
  const listening = listenTap(served, { changed, client });
  const stopAnnouncing = announceLists(served.app, () => server);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    stopAnnouncing();
    listening.close();
    link.end();
    resolve();
  };
  const handle = serveOnStdio(
    ({ era }) => {
      server = createProtocolServer(served, era, link);
      return server;
    },
    {
      transport: new StdioTransport(streams, { ...listening.tap, refused: (problem) => served.report(problem), end }),
      onerror: (error) => served.report(error.message),
    },
  );
  return { ended, close: () => handle.close() };
}

/** Reads from the SDK's answers which resources a client of the new revision follows: the SDK does not report them. */
function listenTap(
  { app: { resources } }: ServedApp,
  { changed, client }: { readonly changed: (uri: string) => void; readonly client: ClientPort },
) {
  const watches = resources === undefined ? undefined : new ResourceWatches(resources, changed, client);
  const followed = new Map<RequestId, readonly (() => void)[]>();
  const stop = (id: unknown): void => {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    for (const end of followed.get(id) ?? []) end();
    followed.delete(id);
  };
  const tap: Omit<MessageTap, 'refused' | 'end'> = {
    in(message) {
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        stop(message.params?.requestId);
    },
    async problem(request) {
      const params: unknown = request.params;
      return (await unknownResourceError(resources, isJsonObject(params) ? listenedIn(params) : []))?.message;
    },
    out(message) {
      if (!isJSONRPCNotification(message) || message.method !== 'notifications/subscriptions/acknowledged') return;
      const params: unknown = message.params;
      if (watches === undefined || !isJsonObject(params)) return;
      const id = objectAt(params, '_meta')?.[SUBSCRIPTION_ID_META_KEY];
      if (typeof id !== 'string' && typeof id !== 'number') return;
      const ends = listenedIn(params).map((uri) => watches.follow(uri));
      followed.set(id, ends);
    },
  };
  return { tap, close: () => watches?.close() };
}

/** Above this much unread output, no more requests are read: a client that does not read answers has to stop asking. */
const mostUnread = 8 * 1024 * 1024;
type StdioStreams = { readonly input: Readable; readonly output: Writable };

interface MessageTap {
  in(message: JSONRPCMessage): void;
  out(message: JSONRPCMessage): void;
  /** Why a client cannot listen to these resources; undefined if it can. The SDK does not check. */
  problem(listening: JSONRPCRequest): Promise<string | undefined>;
  /** Called when a message was refused with this answer. */
  refused(problem: string): void;
  /** No more messages pass, because the client is gone or the server was closed. */
  end(): void;
}

/**
 * Carries one JSON-RPC message per line. Unlike with the SDK's transport, no message of a client ends the connection:
 * one that is unreadable or too long is answered with an error.
 */
class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #streams: StdioStreams;
  readonly #tap: MessageTap;
  readonly #lines = new MessageLines(messageLimits);
  readonly #unanswered = new Set<RequestId>();
  #isClosed = false;

  constructor(streams: StdioStreams, tap: MessageTap) {
    this.#streams = streams;
    this.#tap = tap;
  }

  async start(): Promise<void> {
    const { input, output } = this.#streams;
    output.on('error', this.#end);
    output.on('drain', () => void input.resume());
    input.on('data', this.#read);
    for (const event of ['end', 'close', 'error']) input.on(event, this.#end);
  }

  async close(): Promise<void> {
    this.#end();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    if (!('method' in message) && message.id !== undefined) this.#unanswered.delete(message.id);
    this.#tap.out(message);
    return this.#write(message);
  }

  #write(message: unknown): Promise<void> {
    const { input, output } = this.#streams;
    // The stream itself reports a failed write, once.
    const written = new Promise<void>((resolve) => void output.write(`${JSON.stringify(message)}\n`, () => resolve()));
    if (output.writableLength > mostUnread) input.pause();
    return written;
  }

  readonly #read = (chunk: Uint8Array): void => {
    for (const line of this.#lines.read(chunk)) {
      if (this.#isClosed) return;
      this.#receive(line);
    }
  };

  readonly #end = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#streams.input.off('data', this.#read).pause();
    this.onclose?.();
    this.#tap.end();
  };

  #receive(line: MessageLine): void {
    if (line.kind !== 'line') {
      const problem = line.kind === 'too deep' ? messageTooDeep : 'The message is longer than 16 MiB.';
      return this.#refuse(line.id, ProtocolErrorCode.InvalidRequest, problem);
    }
    if (line.text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line.text);
    } catch {
      return this.#refuse(undefined, ProtocolErrorCode.ParseError, 'The line is not JSON.');
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      const text = Array.isArray(value) ? 'Batches of messages are not supported.' : 'This is no JSON-RPC 2.0 message.';
      return this.#refuse(idOf(value), ProtocolErrorCode.InvalidRequest, text);
    }
    this.#deliver(message);
  }

  #deliver(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      if (this.#unanswered.has(message.id)) {
        // With the id, the client would take it for the answer to the first request.
        const text = `A request with the id ${JSON.stringify(message.id)} is not answered yet.`;
        return this.#refuse(undefined, ProtocolErrorCode.InvalidRequest, text);
      }
      this.#unanswered.add(message.id);
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      // A cancelled request gets no answer.
      const id = idOf({ id: message.params?.requestId });
      if (id !== undefined) this.#unanswered.delete(id);
    }
    this.#tap.in(message);
    if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') void this.#listen(message);
    else this.onmessage?.(message);
  }

  async #listen(request: JSONRPCRequest): Promise<void> {
    const problem = await this.#tap.problem(request).catch((error: unknown) => String(error));
    // If it was cancelled in the meantime, it never begins.
    if (this.#isClosed || !this.#unanswered.has(request.id)) return;
    if (problem === undefined) return this.onmessage?.(request);
    this.#unanswered.delete(request.id);
    this.#refuse(request.id, ProtocolErrorCode.InvalidParams, problem);
  }

  #refuse(id: RequestId | undefined, code: ProtocolErrorCode, message: string): void {
    this.#tap.refused(message);
    void this.#write({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code, message } });
  }
}

function idOf(value: unknown): RequestId | undefined {
  const id = isJsonObject(value) ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
