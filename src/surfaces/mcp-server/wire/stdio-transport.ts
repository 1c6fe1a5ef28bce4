import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
  isJSONRPCNotification,
  isJSONRPCRequest,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../../../protocol/json.ts';
import { messageLimits, messageTooDeep } from './message-limits.ts';
import { type MessageLine, MessageLines } from './message-lines.ts';

/** With so much unread output no more requests are read: a client that does not read the answers has to stop asking. */
const mostUnread = 8 * 1024 * 1024;

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** What listens to the messages as they pass. */
export interface MessageTap {
  in(message: JSONRPCMessage): void;
  out(message: JSONRPCMessage): void;
  /** Why a client cannot listen to what it names; undefined if it can. The SDK would not ask. */
  problem(listening: JSONRPCRequest): Promise<string | undefined>;
  /** A message was refused, and its client answered with this. */
  refused(problem: string): void;
  /** No more messages pass, because the client is gone or the server was closed. */
  end(): void;
}

/**
 * One JSON-RPC message per line. In the place of the SDK's own, because no message of a client may end the connection:
 * one that cannot be read is answered with an error, and so is one that is too long.
 */
export class StdioTransport implements Transport {
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
    // A write that fails is reported by the stream itself, once.
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
        // With the id, the client would take it for the answer to the first.
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
    // Cancelled meanwhile, it never begins.
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
