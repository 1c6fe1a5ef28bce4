import type { Socket } from 'node:net';
import { isJsonObject, type JsonObject, objectAt, parseJsonObject, stringAt } from '../protocol/json.ts';
import { type Audience, noSuchEndpoint, pause, piecesOf } from './perform.ts';
import type { ExchangeEnd } from './recorded-request.ts';
import type { AnswerOptions, HttpErrorStep, ItemDraft, ScriptStep, SocketFault, StreamStep } from './script.ts';

/** What a server remembers of an answer. */
export interface RememberedAnswer {
  readonly id: string;
  readonly output: readonly ItemDraft[];
}

export interface SocketPerformance {
  readonly end: ExchangeEnd;
  /** Absent: the answer was not completed. */
  readonly remembered?: RememberedAnswer;
}

export interface SocketStage extends Audience {
  readonly socket: Socket;
  /** Aborts when the connection is gone. */
  readonly gone: AbortSignal;
  /** Makes a frame of a message. */
  readonly message: (data: Buffer) => Promise<Buffer>;
}

/** Plays one step over a WebSocket. Resolves when the exchange is over. */
export async function performOnSocket(step: ScriptStep, stage: SocketStage): Promise<SocketPerformance> {
  const { socket, gone, message } = stage;
  switch (step.kind) {
    case 'http-error':
      return { end: await write(stage, [await message(errorMessage(step))], {}) };
    case 'compacted':
      return { end: await write(stage, [await message(errorMessage(noSuchEndpoint))], {}) };
    case 'cut':
      await write(stage, await firstBytes(step.of, step.bytes, stage), paceOf(step.of));
      socket.destroy();
      return { end: 'cut' };
    case 'hang':
      await write(stage, await firstBytes(step.of, step.afterBytes, stage), paceOf(step.of));
      await new Promise((resolve) => {
        if (gone.aborted) resolve(undefined);
        else gone.addEventListener('abort', resolve);
      });
      return { end: 'client-left' };
    case 'socket-fault': {
      const frames = await inOrder(events(step.of, stage).slice(0, step.afterEvents), message);
      await write(stage, [...frames, ...faultFrames(step.fault)], paceOf(step.of));
      return { end: 'cut' };
    }
    default: {
      const all = events(step, stage);
      const end = await write(stage, await inOrder(all, message), paceOf(step));
      const remembered = step.kind === 'answer' && step.forgotten === true ? undefined : rememberedFrom(all);
      return { end, ...(remembered && { remembered }) };
    }
  }
}

/** The events of a step, without the form of server-sent events. */
function events(step: StreamStep, { renderer, context }: Audience): readonly Buffer[] {
  const opening = Buffer.from('data: ');
  const headers = step.kind === 'answer' ? step.headers : undefined;
  const metadata = headers && Buffer.from(JSON.stringify({ type: 'codex.response.metadata', headers }));
  const said = renderer.events(step, context).map((event) => {
    const from = event.indexOf(opening) + opening.length;
    return event.subarray(from, event.lastIndexOf('\n\n'));
  });
  return [...(metadata === undefined ? [] : [metadata]), ...said];
}

async function inOrder(all: readonly Buffer[], message: SocketStage['message']): Promise<readonly Buffer[]> {
  const frames: Buffer[] = [];
  for (const data of all) frames.push(await message(data));
  return frames;
}

async function firstBytes(
  step: StreamStep | { readonly kind: 'compacted' },
  bytes: number,
  stage: SocketStage,
): Promise<readonly Buffer[]> {
  if (step.kind === 'compacted') return [];
  return [Buffer.concat(await inOrder(events(step, stage), stage.message)).subarray(0, Math.max(0, bytes))];
}

type Pace = Pick<AnswerOptions, 'delayMs' | 'firstByteDelayMs' | 'chunkBytes'>;

function paceOf(step: ScriptStep): Pace {
  return step.kind === 'answer' ? step : step.kind === 'malformed' ? step.of : {};
}

async function write({ socket, gone }: SocketStage, frames: readonly Buffer[], pace: Pace): Promise<ExchangeEnd> {
  const { delayMs = 0, firstByteDelayMs = 0, chunkBytes } = pace;
  await pause(firstByteDelayMs, gone);
  const bursts = delayMs > 0 ? frames : [Buffer.concat(frames)];
  for (const [index, burst] of bursts.entries()) {
    if (index > 0) await pause(delayMs, gone);
    if (gone.aborted) return 'client-left';
    const pieces = piecesOf(burst, chunkBytes);
    await Promise.all(pieces.map((piece) => new Promise<void>((resolve) => socket.write(piece, () => resolve()))));
  }
  return gone.aborted ? 'client-left' : 'answered';
}

/** As the real server writes an error that has a status. */
export function errorMessage({ status, body, headers }: Pick<HttpErrorStep, 'status' | 'body' | 'headers'>): Buffer {
  const error = isJsonObject(body) ? (objectAt(body, 'error') ?? body) : { message: body };
  return Buffer.from(JSON.stringify({ type: 'error', status, error, headers }));
}

const opcode = { continuation: 0, text: 1, binary: 2, close: 8 };

/** A short frame that ends its message. */
function frame(code: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | code, data.length]), data]);
}

function faultFrames(fault: SocketFault): readonly Buffer[] {
  const broken = Buffer.from('{"type":"');
  if (typeof fault === 'object') {
    const code = Buffer.from([fault.close >> 8, fault.close & 0xff]);
    return [frame(opcode.close, Buffer.concat([code, Buffer.from(fault.reason ?? '')]))];
  }
  switch (fault) {
    case 'binary':
      return [frame(opcode.binary, broken)];
    case 'huge':
      return [Buffer.from([0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0])];
    case 'masked':
      return [Buffer.from([0x81, 0x80, ...Buffer.from('mask')])];
    case 'reserved-bits':
      return [Buffer.from([0xb1, 0])];
    case 'unknown-kind':
      return [frame(3, broken)];
    case 'lost-fragment':
      return [frame(opcode.continuation, broken)];
    case 'not-utf8':
      return [frame(opcode.text, Buffer.from([0xff, 0xfe]))];
  }
}

function rememberedFrom(all: readonly Buffer[]): RememberedAnswer | undefined {
  const parsed = all.map((data) => parseJsonObject(data.toString('utf8')) ?? {});
  const end = parsed.find(({ type }) => type === 'response.completed');
  const id = stringAt(objectAt(end, 'response'), 'id');
  if (id === undefined) return undefined;
  const done = parsed.filter(({ type }) => type === 'response.output_item.done');
  return { id, output: done.map(({ item }: JsonObject) => item as ItemDraft) };
}
