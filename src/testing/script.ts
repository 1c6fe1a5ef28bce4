import { defined } from '../base/objects.ts';
import { assertKnownKeys } from '../core/envelope/read-options.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** An item of an answer. The server adds a missing `id`, and a missing `call_id` to calls. */
export type ItemDraft = JsonObject & { readonly type: string };
/** Overrides the server's default. `none` leaves the counts out, `null` sends null instead, `zero` sends zeros. */
export type ScriptedUsage = Partial<Usage> | 'none' | 'null' | 'zero';

export interface AnswerOptions {
  readonly items: readonly ItemDraft[];
  readonly usage?: ScriptedUsage;
  readonly responseId?: string;
  readonly endTurn?: boolean;
  /** Response headers. Over a WebSocket they are sent as a separate message. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answering model, in formats that name it. */
  readonly model?: string;
  /** Stream texts, arguments and summaries word by word before the finished item. */
  readonly deltas?: true;
  readonly delayMs?: number;
  readonly firstByteDelayMs?: number;
  /** Send chunks of at most this many bytes, even if they split events. */
  readonly chunkBytes?: number;
  /** A WebSocket server does not remember the answer: no request can build on it. */
  readonly forgotten?: true;
}

export type AnswerStep = AnswerOptions & { readonly kind: 'answer' };

export interface HttpErrorStep {
  readonly kind: 'http-error';
  readonly status: number;
  /** Objects are sent as JSON. */
  readonly body: string | JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

export type MalformedStep = { readonly kind: 'malformed'; readonly data: string; readonly of: AnswerStep };

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
  /** Absent: the answer has no counts. */
  readonly usage?: ScriptedUsage;
}

export type StreamStep = AnswerStep | MalformedStep | FailedStep | IncompleteStep;

export interface CompactedStep {
  readonly kind: 'compacted';
  readonly output: readonly ItemDraft[];
  readonly usage?: ScriptedUsage;
}

export type CutStep = { readonly kind: 'cut'; readonly bytes: number; readonly of: StreamStep | CompactedStep };
export type HangStep = { readonly kind: 'hang'; readonly afterBytes: number; readonly of: StreamStep | CompactedStep };

export type SocketFault =
  | 'binary'
  /** A frame that claims a length of a terabyte. */
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
  readonly afterEvents: number;
  readonly of: StreamStep;
}

export type ScriptStep = StreamStep | CompactedStep | HttpErrorStep | CutStep | HangStep | SocketFaultStep;
export type ScriptStepOf = (request: RecordedRequest) => ScriptStep | Promise<ScriptStep>;
/** One step per request, in order, or a function that answers every request. */
export type Script = readonly (ScriptStep | ScriptStepOf)[] | ScriptStepOf;

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

export function httpError(options: StepOptions<HttpErrorStep, 'body' | 'headers'>): HttpErrorStep {
  const given = assertKnownKeys(options, { status: true, body: true, headers: true }, 'httpError()');
  return { kind: 'http-error', body: '', headers: {}, ...given };
}

/** The checkpoint that `POST …/responses/compact` returns as one JSON document. */
export function compacted(options: StepOptions<CompactedStep>): CompactedStep {
  return { kind: 'compacted', ...assertKnownKeys(options, { output: true, usage: true }, 'compacted()') };
}

/** Breaks the connection after this many bytes of the body; 0 breaks it before the head of the response. */
export function cutAfter(options: StepOptions<CutStep>): CutStep {
  return { kind: 'cut', ...assertKnownKeys(options, { bytes: true, of: true }, 'cutAfter()') };
}

/** Stops after this many bytes of the body and keeps the connection open; 0 sends not even a head. */
export function hang(options: StepOptions<HangStep>): HangStep {
  return { kind: 'hang', ...assertKnownKeys(options, { afterBytes: true, of: true }, 'hang()') };
}

/** Injects the fault in the middle of an answer over a WebSocket. Over HTTP the answer is complete. */
export function socketFault(options: StepOptions<SocketFaultStep, 'afterEvents'>): SocketFaultStep {
  const given = assertKnownKeys(options, { fault: true, afterEvents: true, of: true }, 'socketFault()');
  return { kind: 'socket-fault', afterEvents: 1, ...given };
}

/** An answer with an event in the middle whose data is not JSON, or is `data`. */
export function malformed(options: StepOptions<MalformedStep, 'of' | 'data'> = {}): MalformedStep {
  const data = '{"type":"response.output_text.delta","delta":"broken';
  const of = answer({ items: [say('Still here.')] });
  return { kind: 'malformed', data, of, ...assertKnownKeys(options, { data: true, of: true }, 'malformed()') };
}

/** The items, then `response.failed`, or a bare `error` event and the end of the stream. */
export function failed(options: StepOptions<FailedStep, 'items' | 'event'>): FailedStep {
  const given = assertKnownKeys(options, { event: true, code: true, message: true, items: true }, 'failed()');
  return { kind: 'failed', event: 'response.failed', items: [], ...given };
}

export function incomplete(options: StepOptions<IncompleteStep, 'items'>): IncompleteStep {
  const given = assertKnownKeys(options, { reason: true, items: true, usage: true }, 'incomplete()');
  return { kind: 'incomplete', items: [], ...given };
}

export function say(text: string): ItemDraft {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

/** A call of a function tool. Arguments given as text are sent unchanged, valid or not. */
export function callTool(name: string, args: JsonObject | string, callId?: string): ItemDraft {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { type: 'function_call', name, arguments: text, ...defined({ call_id: callId }) };
}

export function reason(summary: string): ItemDraft {
  return { type: 'reasoning', summary: [{ type: 'summary_text', text: summary }], encrypted_content: 'c2NyaXB0ZWQ=' };
}

/** The whole step was sent, the client left before that, or the script broke the connection. */
export type ExchangeEnd = 'answered' | 'client-left' | 'cut';

export interface RecordedRequest {
  /** Counted from 0, in order of arrival. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body without its content encoding; equals `bytes` if it had none. */
  readonly decodedBytes: Buffer;
  readonly body: JsonObject;
  /** Number of the connection, counted from 0: equal numbers mean that a connection was reused. */
  readonly connection: number;
  readonly ended: Promise<ExchangeEnd>;
  /** The WebSocket frame of the request. `bytes` and `body` are then those of the complete request that it means. */
  readonly frame?: RecordedFrame;
}

export interface RecordedFrame {
  /** `prewarm`: asks for no answer and uses no step of the script. */
  readonly kind: 'full' | 'incremental' | 'prewarm';
  readonly previous?: string;
  readonly bytes: Buffer;
  /** Bytes on its connection, including protocol overhead. */
  readonly wireBytes: number;
  readonly connection: number;
  /** Refused because the answer that it builds on was unknown. */
  readonly isRefused: boolean;
}

export type RequestContent = Pick<RecordedRequest, 'bytes' | 'decodedBytes' | 'body'>;

/** Reads the whole body. Rejects when the client leaves before its end. */
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
