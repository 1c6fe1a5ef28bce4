import { demandKnown } from '../envelope/read-options.ts';
import { defined } from '../protocol/defined.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import type { RecordedRequest } from './recorded-request.ts';

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
  return { kind: 'answer', ...demandKnown(options, answerKeys, 'answer()') };
}

/** A response without a stream: an error status, usually. */
export function httpError(options: StepOptions<HttpErrorStep, 'body' | 'headers'>): HttpErrorStep {
  return {
    kind: 'http-error',
    body: '',
    headers: {},
    ...demandKnown(options, { status: true, body: true, headers: true }, 'httpError()'),
  };
}

/** The checkpoint that `POST …/responses/compact` answers with: JSON in one piece. */
export function compacted(options: StepOptions<CompactedStep>): CompactedStep {
  return { kind: 'compacted', ...demandKnown(options, { output: true, usage: true }, 'compacted()') };
}

/** The connection breaks after so many bytes of the body; 0 breaks it before the head of the response. */
export function cutAfter(options: StepOptions<CutStep>): CutStep {
  return { kind: 'cut', ...demandKnown(options, { bytes: true, of: true }, 'cutAfter()') };
}

/** Nothing more comes after so many bytes of the body, and the connection stays open; 0 sends not even a head. */
export function hang(options: StepOptions<HangStep>): HangStep {
  return { kind: 'hang', ...demandKnown(options, { afterBytes: true, of: true }, 'hang()') };
}

/** The fault comes in the middle of an answer over a WebSocket. Over HTTP the answer is whole. */
export function socketFault(options: StepOptions<SocketFaultStep, 'afterEvents'>): SocketFaultStep {
  return {
    kind: 'socket-fault',
    afterEvents: 1,
    ...demandKnown(options, { fault: true, afterEvents: true, of: true }, 'socketFault()'),
  };
}

/** An answer with an event in the middle whose data is not JSON, or is what `data` says. */
export function malformed(options: StepOptions<MalformedStep, 'of' | 'data'> = {}): MalformedStep {
  const data = '{"type":"response.output_text.delta","delta":"broken';
  return {
    kind: 'malformed',
    data,
    of: answer({ items: [say('Still here.')] }),
    ...demandKnown(options, { data: true, of: true }, 'malformed()'),
  };
}

/** The items, then `response.failed`, or a bare `error` event and the end of the stream. */
export function failed(options: StepOptions<FailedStep, 'items' | 'event'>): FailedStep {
  return {
    kind: 'failed',
    event: 'response.failed',
    items: [],
    ...demandKnown(options, { event: true, code: true, message: true, items: true }, 'failed()'),
  };
}

/** The items, then `response.incomplete`. */
export function incomplete(options: StepOptions<IncompleteStep, 'items'>): IncompleteStep {
  return {
    kind: 'incomplete',
    items: [],
    ...demandKnown(options, { reason: true, items: true, usage: true }, 'incomplete()'),
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
