import { arrayAt, isJsonObject, objectAt, parseJsonObject, stringAt } from '../protocol/json.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { type StepClient, noSuchEndpoint, pauseBetweenPieces, pause, splitBytes } from './perform-step.ts';
import { responsesRenderer } from './responses-renderer.ts';
import { renderStream } from './wire-renderer.ts';
import type {
  AnswerOptions,
  CompactedStep,
  ExchangeEnd,
  HttpErrorStep,
  ItemDraft,
  RecordedFrame,
  RequestContent,
  ScriptStep,
  SocketFault,
  StreamStep,
} from './script.ts';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

export type UpgradeAnswer =
  | 'accept'
  | 'silence'
  | 'cut'
  /** Accepts with the answer to another key. */
  | 'wrong-accept'
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

export interface SocketHost {
  readonly connection: number;
  arrived(frame: RecordedFrame): void;
  /** Records a request and returns its step. Call `ended` when the step is done. */
  step(content: RequestContent & { readonly frame: RecordedFrame }): Promise<{
    readonly step: ScriptStep;
    readonly context: StepClient['context'];
    readonly ended: (end: ExchangeEnd) => void;
  }>;
  readonly context: StepClient['context'];
}

type Connected = { readonly socket: Socket; readonly head: Buffer; readonly host: SocketHost };
/** No request of a test is larger. */
const maxBytes = 256 * 1024 * 1024;

/** Answers an upgrade. An accepted connection then plays the script. */
export function answerUpgrade(
  request: IncomingMessage,
  { answer, head, host, deflates, socket }: Connected & { readonly answer: UpgradeAnswer; readonly deflates: boolean },
): void {
  socket.on('error', () => undefined);
  if (answer === 'silence') return;
  if (answer === 'cut') return void socket.destroy();
  if (typeof answer === 'object') {
    const { status, body = '', headers = {} } = answer;
    const length = String(Buffer.byteLength(body));
    const fields = Object.entries({ 'content-length': length, connection: 'close', ...headers });
    socket.end(`HTTP/1.1 ${status} No\r\n${fields.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`);
    return;
  }
  if (answer === 'wrong-accept') request.headers['sec-websocket-key'] = Buffer.alloc(16).toString('base64');
  const line = new Line(socket);
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: deflates, maxPayload: maxBytes });
  server.handleUpgrade(request, line, head, (opened) => void new ScriptedSocket(opened, line, { head, socket, host }));
}

/** Sits between a WebSocket and its connection. Written bytes can be held back, for the script to cut. */
class Line extends Duplex {
  readonly #socket: Socket;
  #held: Buffer[] | undefined;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk) => this.push(chunk) || socket.pause());
    socket.on('end', () => this.push(null)).on('close', () => this.destroy());
  }

  async bytesOf(write: (done: () => void) => void): Promise<Buffer> {
    this.#held = [];
    await new Promise<void>(write);
    const bytes = Buffer.concat(this.#held);
    this.#held = undefined;
    return bytes;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _: unknown, done: (error?: Error | null) => void): void {
    if (this.#held === undefined) return void this.#socket.write(chunk, done);
    this.#held.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** The server's end of a WebSocket: remembers the last answer and builds complete requests from the new part. */
class ScriptedSocket {
  readonly #opened: WebSocket;
  readonly #line: Line;
  readonly #socket: Socket;
  readonly #host: SocketHost;
  readonly #gone = new AbortController();
  #last: { readonly answer: RememberedAnswer; readonly request: JsonObject } | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(opened: WebSocket, line: Line, { head, socket, host }: Connected) {
    this.#opened = opened;
    this.#line = line;
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    socket.on('close', () => this.#gone.abort());
    let bytesBefore = socket.bytesRead - head.length;
    // A client that violates the protocol is dropped.
    opened.on('error', () => undefined);
    opened.on('message', (bytes: Buffer) => {
      const wireBytes = socket.bytesRead - bytesBefore;
      bytesBefore = socket.bytesRead;
      // One after the other, as the real server does.
      this.#work = this.#work.then(() => this.#answer(bytes, wireBytes)).catch(() => void socket.destroy());
    });
  }

  readonly #message = (data: Buffer): Promise<Buffer> =>
    this.#line.bytesOf((done) => this.#opened.send(data, { binary: false }, done));

  async #answer(bytes: Buffer, wireBytes: number): Promise<void> {
    const given = parseJsonObject(bytes.toString('utf8'));
    if (given?.['type'] !== 'response.create') return this.#refuse({ message: 'A frame must be a response.create.' });
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
    const prewarm = { step: { kind: 'answer', items: [] }, context, ended: () => undefined } as const;
    const content = { bytes: whole, decodedBytes: whole, body, frame };
    const next = kind === 'prewarm' ? prewarm : await this.#host.step(content);
    const { end, remembered } = await performOnSocket(next.step, { ...audience, context: next.context });
    this.#last = remembered && { answer: remembered, request: body };
    next.ended(end);
  }

  async #refuse(error: JsonObject): Promise<void> {
    this.#socket.write(await this.#message(errorMessage({ status: 400, body: { error }, headers: {} })));
  }
}

const inputOf = (body: JsonObject): readonly Json[] => arrayAt(body, 'input') ?? [];

const notFound = (previous: string): JsonObject => ({
  type: 'invalid_request_error',
  code: 'previous_response_not_found',
  message: `Previous response with id '${previous}' not found.`,
  param: 'previous_response_id',
});

type RememberedAnswer = { readonly id: string; readonly output: readonly ItemDraft[] };
/** `remembered` is absent if the answer was not completed. */
type SocketPerformance = { readonly end: ExchangeEnd; readonly remembered?: RememberedAnswer };

interface SocketStage extends StepClient {
  readonly socket: Socket;
  readonly gone: AbortSignal;
  readonly message: (data: Buffer) => Promise<Buffer>;
}

async function performOnSocket(step: ScriptStep, stage: SocketStage): Promise<SocketPerformance> {
  const { socket, gone, message } = stage;
  switch (step.kind) {
    case 'http-error':
      return { end: await write(stage, [await message(errorMessage(step))], {}) };
    case 'compacted':
      return { end: await write(stage, [await message(errorMessage(noSuchEndpoint))], {}) };
    case 'cut':
      await write(stage, await firstBytes(step.of, step.bytes, stage), pauseBetweenPieces(step.of));
      socket.destroy();
      return { end: 'cut' };
    case 'hang':
      await write(stage, await firstBytes(step.of, step.afterBytes, stage), pauseBetweenPieces(step.of));
      if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve));
      return { end: 'client-left' };
    case 'socket-fault': {
      const frames = await inOrder(events(step.of, stage).slice(0, step.afterEvents), message);
      await write(stage, [...frames, ...faultFrames(step.fault)], pauseBetweenPieces(step.of));
      return { end: 'cut' };
    }
    default: {
      const all = events(step, stage);
      const end = await write(stage, await inOrder(all, message), pauseBetweenPieces(step));
      const remembered = step.kind === 'answer' && step.forgotten === true ? undefined : rememberedFrom(all);
      return { end, remembered };
    }
  }
}

/** The events of a step without server-sent-event framing. */
function events(step: StreamStep, { renderer, context }: StepClient): readonly Buffer[] {
  const opening = Buffer.from('data: ');
  const headers = step.kind === 'answer' ? step.headers : undefined;
  const metadata = headers && Buffer.from(JSON.stringify({ type: 'codex.response.metadata', headers }));
  const said = renderStream(renderer, step, context).map((event) =>
    event.subarray(event.indexOf(opening) + opening.length, event.lastIndexOf('\n\n')),
  );
  return metadata === undefined ? said : [metadata, ...said];
}

async function inOrder(all: readonly Buffer[], message: SocketStage['message']): Promise<readonly Buffer[]> {
  const frames: Buffer[] = [];
  for (const data of all) frames.push(await message(data));
  return frames;
}

async function firstBytes(step: StreamStep | CompactedStep, bytes: number, stage: SocketStage) {
  if (step.kind === 'compacted') return [];
  return [Buffer.concat(await inOrder(events(step, stage), stage.message)).subarray(0, Math.max(0, bytes))];
}

async function write({ socket, gone }: SocketStage, frames: readonly Buffer[], pace: Partial<AnswerOptions>) {
  const { delayMs = 0, firstByteDelayMs = 0, chunkBytes } = pace;
  await pause(firstByteDelayMs, gone);
  const bursts = delayMs > 0 ? frames : [Buffer.concat(frames)];
  for (const [index, burst] of bursts.entries()) {
    if (index > 0) await pause(delayMs, gone);
    if (gone.aborted) return 'client-left';
    const pieces = splitBytes(burst, chunkBytes);
    await Promise.all(pieces.map((piece) => new Promise<void>((resolve) => socket.write(piece, () => resolve()))));
  }
  return gone.aborted ? 'client-left' : 'answered';
}

/** In the form of the real server's errors with a status. */
function errorMessage({ status, body, headers }: Pick<HttpErrorStep, 'status' | 'body' | 'headers'>): Buffer {
  const error = isJsonObject(body) ? (objectAt(body, 'error') ?? body) : { message: body };
  return Buffer.from(JSON.stringify({ type: 'error', status, error, headers }));
}

const opcode = { continuation: 0, text: 1, binary: 2, close: 8 };
/** A short frame that ends its message. */
const frame = (code: number, data: Buffer): Buffer => Buffer.concat([Buffer.from([0x80 | code, data.length]), data]);

function faultFrames(fault: SocketFault): readonly Buffer[] {
  const broken = Buffer.from('{"type":"');
  if (typeof fault === 'object') {
    const code = Buffer.from([fault.close >> 8, fault.close & 0xff]);
    return [frame(opcode.close, Buffer.concat([code, Buffer.from(fault.reason ?? '')]))];
  }
  const frames: Readonly<Record<typeof fault, Buffer>> = {
    binary: frame(opcode.binary, broken),
    huge: Buffer.from([0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0]),
    masked: Buffer.from([0x81, 0x80, ...Buffer.from('mask')]),
    'reserved-bits': Buffer.from([0xb1, 0]),
    'unknown-kind': frame(3, broken),
    'lost-fragment': frame(opcode.continuation, broken),
    'not-utf8': frame(opcode.text, Buffer.from([0xff, 0xfe])),
  };
  return [frames[fault]];
}

function rememberedFrom(all: readonly Buffer[]): RememberedAnswer | undefined {
  const parsed = all.map((data) => parseJsonObject(data.toString('utf8')) ?? {});
  const end = parsed.find(({ type }) => type === 'response.completed');
  const id = stringAt(objectAt(end, 'response'), 'id');
  if (id === undefined) return undefined;
  const done = parsed.filter(({ type }) => type === 'response.output_item.done');
  return { id, output: done.map(({ item }: JsonObject) => item as ItemDraft) };
}
