import { defined } from '../base/objects.ts';
import { assertKnownKeys } from '../core/envelope/read-options.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** An item of an answer. The server gives it an `id`, and a `call_id` if it is a call, where these are missing. */
export interface ItemDraft extends JsonObject {
  readonly type: string;
}

/**
 * What differs from the server's default. `none` leaves the counts out of the answer, `null` sends null in their place,
 * `zero` counts nothing.
 */
export type ScriptedUsage = Partial<Usage> | 'none' | 'null' | 'zero';

export interface AnswerOptions {
  readonly items: readonly ItemDraft[];
  readonly usage?: ScriptedUsage;
  readonly responseId?: string;
  readonly endTurn?: boolean;
  /** Of the response. Over a WebSocket they come as a message of their own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The model that answers, in formats that name it. */
  readonly model?: string;
  /** Stream texts, arguments and summaries word by word before the finished item. */
  readonly deltas?: true;
  /** Wait between events. */
  readonly delayMs?: number;
  /** Wait before the head of the response. */
  readonly firstByteDelayMs?: number;
  /** Send pieces of at most so many bytes, whatever events they cut apart. */
  readonly chunkBytes?: number;
  /** A server of WebSockets does not remember it: no request can build on it. */
  readonly forgotten?: true;
}

export interface AnswerStep extends AnswerOptions {
  readonly kind: 'answer';
}

export interface HttpErrorStep {
  readonly kind: 'http-error';
  readonly status: number;
  /** An object is sent as JSON. */
  readonly body: string | JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

export interface MalformedStep {
  readonly kind: 'malformed';
  readonly data: string;
  readonly of: AnswerStep;
}

export interface FailedStep {
  readonly kind: 'failed';
  readonly event: 'response.failed' | 'error';
  readonly code: string;
  readonly message: string;
  readonly items: readonly ItemDraft[];
}

export interface IncompleteStep {
  readonly kind: 'incomplete';
  readonly reason: string;
  readonly items: readonly ItemDraft[];
  /** Absent: the server does not say what the answer cost. */
  readonly usage?: ScriptedUsage;
}

/** A step that answers with a stream of events. */
export type StreamStep = AnswerStep | MalformedStep | FailedStep | IncompleteStep;

export interface CompactedStep {
  readonly kind: 'compacted';
  readonly output: readonly ItemDraft[];
  readonly usage?: ScriptedUsage;
}

export interface CutStep {
  readonly kind: 'cut';
  readonly bytes: number;
  readonly of: StreamStep | CompactedStep;
}

export interface HangStep {
  readonly kind: 'hang';
  readonly afterBytes: number;
  readonly of: StreamStep | CompactedStep;
}

/** In how many ways a server may break the rules of WebSockets, or leave. */
export type SocketFault =
  | 'binary'
  /** A frame that says it has a terabyte. */
  | 'huge'
  | 'masked'
  | 'reserved-bits'
  | 'unknown-kind'
  | 'lost-fragment'
  | 'not-utf8'
  | { readonly close: number; readonly reason?: string };

export interface SocketFaultStep {
  readonly kind: 'socket-fault';
  readonly fault: SocketFault;
  /** So many events of the answer come before it. */
  readonly afterEvents: number;
  readonly of: StreamStep;
}

/** What the server does with one request, whichever endpoint it is for. */
export type ScriptStep = StreamStep | CompactedStep | HttpErrorStep | CutStep | HangStep | SocketFaultStep;

/** A step that is made when its request has arrived. */
export type ScriptStepOf = (request: RecordedRequest) => ScriptStep | Promise<ScriptStep>;

/** One step per request, in order, or a function that answers every request. */
export type Script = readonly (ScriptStep | ScriptStepOf)[] | ScriptStepOf;

/** What a step is made from: some members have a default. */
type StepOptions<Step, Defaulted extends keyof Step = never> = Omit<Step, 'kind' | Defaulted> &
  Partial<Pick<Step, Defaulted>>;

const answerKeys = {
  items: true,
  usage: true,
  responseId: true,
  endTurn: true,
  headers: true,
  model: true,
  deltas: true,
  delayMs: true,
  firstByteDelayMs: true,
  chunkBytes: true,
  forgotten: true,
} as const;

export function answer(options: AnswerOptions): AnswerStep {
  return { kind: 'answer', ...assertKnownKeys(options, answerKeys, 'answer()') };
}

/** A response without a stream: an error status, usually. */
export function httpError(options: StepOptions<HttpErrorStep, 'body' | 'headers'>): HttpErrorStep {
  return {
    kind: 'http-error',
    body: '',
    headers: {},
    ...assertKnownKeys(options, { status: true, body: true, headers: true }, 'httpError()'),
  };
}

/** The checkpoint that `POST …/responses/compact` answers with: JSON in one piece. */
export function compacted(options: StepOptions<CompactedStep>): CompactedStep {
  return { kind: 'compacted', ...assertKnownKeys(options, { output: true, usage: true }, 'compacted()') };
}

/** The connection breaks after so many bytes of the body; 0 breaks it before the head of the response. */
export function cutAfter(options: StepOptions<CutStep>): CutStep {
  return { kind: 'cut', ...assertKnownKeys(options, { bytes: true, of: true }, 'cutAfter()') };
}

/** Nothing more comes after so many bytes of the body, and the connection stays open; 0 sends not even a head. */
export function hang(options: StepOptions<HangStep>): HangStep {
  return { kind: 'hang', ...assertKnownKeys(options, { afterBytes: true, of: true }, 'hang()') };
}

/** The fault comes in the middle of an answer over a WebSocket. Over HTTP the answer is whole. */
export function socketFault(options: StepOptions<SocketFaultStep, 'afterEvents'>): SocketFaultStep {
  return {
    kind: 'socket-fault',
    afterEvents: 1,
    ...assertKnownKeys(options, { fault: true, afterEvents: true, of: true }, 'socketFault()'),
  };
}

/** An answer with an event in the middle whose data is not JSON, or is what `data` says. */
export function malformed(options: StepOptions<MalformedStep, 'of' | 'data'> = {}): MalformedStep {
  const data = '{"type":"response.output_text.delta","delta":"broken';
  return {
    kind: 'malformed',
    data,
    of: answer({ items: [say('Still here.')] }),
    ...assertKnownKeys(options, { data: true, of: true }, 'malformed()'),
  };
}

/** The items, then `response.failed`, or a bare `error` event and the end of the stream. */
export function failed(options: StepOptions<FailedStep, 'items' | 'event'>): FailedStep {
  return {
    kind: 'failed',
    event: 'response.failed',
    items: [],
    ...assertKnownKeys(options, { event: true, code: true, message: true, items: true }, 'failed()'),
  };
}

/** The items, then `response.incomplete`. */
export function incomplete(options: StepOptions<IncompleteStep, 'items'>): IncompleteStep {
  return {
    kind: 'incomplete',
    items: [],
    ...assertKnownKeys(options, { reason: true, items: true, usage: true }, 'incomplete()'),
  };
}

/** A message of the assistant. */
export function say(text: string): ItemDraft {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

/** A call of a function tool. Arguments given as text are sent as they are, broken or not. */
export function callTool(name: string, args: JsonObject | string, callId?: string): ItemDraft {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { type: 'function_call', name, arguments: text, ...defined({ call_id: callId }) };
}

/** A reasoning item with a summary of one part. */
export function reason(summary: string): ItemDraft {
  return { type: 'reasoning', summary: [{ type: 'summary_text', text: summary }], encrypted_content: 'c2NyaXB0ZWQ=' };
}

/** How an exchange ended: the whole step was sent, the client left before that, or the script broke the connection. */
export type ExchangeEnd = 'answered' | 'client-left' | 'cut';

/** A request for a response, as it arrived. */
export interface RecordedRequest {
  /** Counted from 0, in order of arrival. */
  readonly index: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came over the wire. */
  readonly bytes: Buffer;
  /** The body without its content encoding: the same as `bytes` when it had none. */
  readonly decodedBytes: Buffer;
  readonly body: JsonObject;
  /** Number of the connection, counted from 0: equal numbers mean that a connection was used again. */
  readonly connection: number;
  readonly ended: Promise<ExchangeEnd>;
  /** As what it came over a WebSocket. `bytes` and `body` are then those of the whole request that it stands for. */
  readonly frame?: RecordedFrame;
}

/** A message of a client over a WebSocket. */
export interface RecordedFrame {
  /** `prewarm`: it asks for no answer, and uses up no step of the script. */
  readonly kind: 'full' | 'incremental' | 'prewarm';
  /** The answer that it builds on. */
  readonly previous?: string;
  /** As it came. */
  readonly bytes: Buffer;
  /** What its connection carried for it, with all that belongs to the protocol. */
  readonly wireBytes: number;
  readonly connection: number;
  /** Whether the answer that it builds on was not known, so that it was refused. */
  readonly isRefused: boolean;
}

export type RequestContent = Pick<RecordedRequest, 'bytes' | 'decodedBytes' | 'body'>;

/** Reads the body to its end. Rejects when the client leaves before that. */
export async function receiveContent(request: IncomingMessage): Promise<RequestContent | { readonly problem: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  try {
    const decodedBytes = decode(bytes, request.headers['content-encoding'] ?? 'identity');
    const body: unknown = JSON.parse(decodedBytes.toString('utf8'));
    return isJsonObject(body) ? { bytes, decodedBytes, body } : { problem: 'The request body is not a JSON object.' };
  } catch (error) {
    return { problem: `The request body cannot be read: ${String(error)}` };
  }
}

function decode(bytes: Buffer, encoding: string): Buffer {
  const zlib = process.getBuiltinModule('node:zlib');
  const decoder = new Map<string, (bytes: Buffer) => Buffer>([
    ['identity', (plain) => plain],
    ['gzip', zlib.gunzipSync],
    ['deflate', zlib.inflateSync],
    ['br', zlib.brotliDecompressSync],
    ['zstd', zlib.zstdDecompressSync],
  ]).get(encoding);
  if (decoder === undefined) throw new Error(`The content encoding ${encoding} is not known.`);
  return decoder(bytes);
}
