import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { frameParser, opcode, type ReceivedFrame } from '../model/socket/frame-parser.ts';
import { closeContent, frameBytes } from '../model/socket/frame-writer.ts';
import { type DeflateTerms, deflateTerms, MessageDeflate } from '../model/socket/message-deflate.ts';
import { acceptOf } from '../model/socket/handshake.ts';
import { arrayAt, type Json, type JsonObject, parseJsonObject } from '../protocol/json.ts';
import { errorMessage, performOnSocket, type RememberedAnswer } from './perform-socket.ts';
import type { Audience } from './perform.ts';
import type { ExchangeEnd, RecordedFrame, RequestContent } from './recorded-request.ts';
import type { HttpErrorStep, ScriptStep } from './script.ts';
import { responsesRenderer } from './sse.ts';

/** What becomes of an upgrade to a WebSocket. */
export type UpgradeAnswer =
  | 'accept'
  /** Nothing ever comes. */
  | 'silence'
  | 'cut'
  /** It is accepted for the key of another. */
  | 'wrong-accept'
  /** It is answered like any other request. */
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

/** A request that came over a WebSocket. */
export interface SocketContent extends RequestContent {
  readonly frame: RecordedFrame;
}

/** How the rest of the server takes part. */
export interface SocketHost {
  readonly connection: number;
  /** Takes down that a frame came. */
  arrived(frame: RecordedFrame): void;
  /** Takes down a request, and gives what to answer; `ended` is called when that is done. */
  step(content: SocketContent): Promise<{
    readonly step: ScriptStep;
    readonly context: Audience['context'];
    readonly ended: (end: ExchangeEnd) => void;
  }>;
  readonly context: Audience['context'];
}

/** No request of a test is larger. */
const maxBytes = 256 * 1024 * 1024;

export interface Upgrading {
  readonly answer: UpgradeAnswer;
  readonly head: Buffer;
  readonly host: SocketHost;
  /** Whether messages are compressed for a client that offers it. */
  readonly deflates: boolean;
}

/** Answers an upgrade. What follows on a connection that is accepted plays the script. */
export function answerUpgrade(
  request: IncomingMessage,
  socket: Socket,
  { answer, head, host, deflates }: Upgrading,
): void {
  socket.on('error', () => undefined);
  if (answer === 'silence') return;
  if (answer === 'cut') return void socket.destroy();
  if (typeof answer === 'object') {
    const { status, body = '', headers = {} } = answer;
    const fields = Object.entries({
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
      ...headers,
    });
    socket.end(`HTTP/1.1 ${status} No\r\n${fields.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`);
    return;
  }
  const key = request.headers['sec-websocket-key'] ?? '';
  const accept = acceptOf(answer === 'accept' ? key : 'another');
  const extensions = deflates ? compressionFor(request.headers['sec-websocket-extensions']) : undefined;
  const lines = ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: Upgrade'];
  const agreed = extensions === undefined ? [] : [`sec-websocket-extensions: ${extensions}`];
  socket.write([...lines, `sec-websocket-accept: ${accept}`, ...agreed, '', ''].join('\r\n'));
  const terms = deflateTerms(extensions);
  new ScriptedSocket(socket, host, terms === 'wrong' ? undefined : terms).receive(head);
}

/** What is answered to an offer of compression. A client may offer several forms. */
function compressionFor(offer = ''): string | undefined {
  return offer.includes('permessage-deflate') ? 'permessage-deflate' : undefined;
}

/** The server's end of a WebSocket: it remembers the last answer, and builds whole requests from what is new. */
class ScriptedSocket {
  readonly #socket: Socket;
  readonly #host: SocketHost;
  readonly #deflate: MessageDeflate | undefined;
  readonly #parse: (chunk: Uint8Array) => readonly ReceivedFrame[];
  readonly #gone = new AbortController();
  #last: { readonly answer: RememberedAnswer; readonly request: JsonObject } | undefined;
  /** Bytes since the last message. */
  #wireBytes = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(socket: Socket, host: SocketHost, terms: DeflateTerms | undefined) {
    this.#parse = frameParser({ masked: true, maxBytes, mayCompress: terms !== undefined });
    this.#deflate = terms && new MessageDeflate(terms, 'server');
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    socket.on('close', () => this.#gone.abort());
    // Left half open, it would not notice a client that leaves.
    socket.on('end', () => socket.end());
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
  }

  receive(chunk: Buffer): void {
    this.#wireBytes += chunk.length;
    for (const frame of this.#parse(chunk)) this.#take(frame);
  }

  #take(frame: ReceivedFrame): void {
    switch (frame.kind) {
      case 'ping':
        this.#socket.write(frameBytes({ opcode: opcode.pong }, [frame.data]));
        return;
      case 'pong':
        return;
      case 'close':
        this.#socket.end(frameBytes({ opcode: opcode.close }, [closeContent(1000)]));
        return;
      case 'wrong':
        this.#socket.end(frameBytes({ opcode: opcode.close }, [closeContent(frame.code, frame.why)]));
        return;
      case 'message': {
        const wireBytes = this.#wireBytes;
        this.#wireBytes = 0;
        // One after the other, as the real server does.
        this.#work = this.#work.then(() => this.#read(frame, wireBytes)).catch(() => void this.#socket.destroy());
      }
    }
  }

  async #read({ data, isCompressed }: Extract<ReceivedFrame, { kind: 'message' }>, wireBytes: number): Promise<void> {
    const bytes = isCompressed ? await this.#deflate!.inflate(data, maxBytes) : data;
    if (bytes === undefined || bytes === 'large') return void this.#socket.destroy();
    await this.#answer(bytes, wireBytes);
  }

  readonly #message = async (data: Buffer): Promise<Buffer> => {
    const content = await this.#deflate?.compress([data]);
    if (content === undefined) return frameBytes({ opcode: opcode.text }, [data]);
    return frameBytes({ opcode: opcode.text, isCompressed: true }, [content]);
  };

  async #answer(bytes: Buffer, wireBytes: number): Promise<void> {
    const given = parseJsonObject(bytes.toString('utf8'));
    if (given?.['type'] !== 'response.create') {
      return this.#refuse({
        status: 400,
        body: { error: { message: 'A frame must be a response.create.' } },
        headers: {},
      });
    }
    const { type: _type, previous_response_id: named, generate, ...own } = given;
    const previous = typeof named === 'string' ? named : undefined;
    const isRefused = previous !== undefined && previous !== this.#last?.answer.id;
    const kind = generate === false ? 'prewarm' : previous === undefined ? 'full' : 'incremental';
    const { connection, context } = this.#host;
    const frame: RecordedFrame = { kind, bytes, wireBytes, connection, isRefused, ...(previous && { previous }) };
    this.#host.arrived(frame);
    if (isRefused) return this.#refuse(notFound(previous));
    const before = previous === undefined ? [] : [...inputOf(this.#last!.request), ...this.#last!.answer.output];
    const body: JsonObject = { ...own, input: [...before, ...inputOf(own)] };
    const whole = Buffer.from(JSON.stringify(body));
    const gone = this.#gone.signal;
    const audience = { renderer: responsesRenderer, socket: this.#socket, gone, message: this.#message };
    if (kind === 'prewarm') {
      const { remembered } = await performOnSocket({ kind: 'answer', items: [] }, { ...audience, context });
      this.#last = remembered && { answer: remembered, request: body };
      return;
    }
    const next = await this.#host.step({ bytes: whole, decodedBytes: whole, body, frame });
    const { end, remembered } = await performOnSocket(next.step, { ...audience, context: next.context });
    this.#last = remembered && { answer: remembered, request: body };
    next.ended(end);
  }

  async #refuse(error: Pick<HttpErrorStep, 'status' | 'body' | 'headers'>): Promise<void> {
    this.#socket.write(await this.#message(errorMessage(error)));
  }
}

function inputOf(body: JsonObject): readonly Json[] {
  return arrayAt(body, 'input') ?? [];
}

function notFound(previous: string): Pick<HttpErrorStep, 'status' | 'body' | 'headers'> {
  const message = `Previous response with id '${previous}' not found.`;
  const error = { type: 'invalid_request_error', code: 'previous_response_not_found', message };
  return { status: 400, body: { error: { ...error, param: 'previous_response_id' } }, headers: {} };
}
