import { assertKnownKeys } from '../core/envelope/read-options.ts';
import { stringAt } from '../protocol/json.ts';
import { anthropicRenderer } from './anthropic-renderer.ts';
import { chatRenderer } from './chat-renderer.ts';
import { performStep } from './perform-step.ts';
import { responsesRenderer } from './responses-renderer.ts';
import { failed, httpError, incomplete, receiveContent } from './script.ts';
import type {
  ExchangeEnd,
  RecordedFrame,
  RecordedRequest,
  RequestContent,
  Script,
  ScriptedUsage,
  ScriptStep,
  ScriptStepOf,
} from './script.ts';
import type { SocketHost, UpgradeAnswer } from './scripted-socket.ts';
import { createIdNumbering, type StreamContext, type WireRenderer } from './wire-renderer.ts';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ScriptedModelOptions {
  /** Overrides the default per answer: 100 input (20 cached) and 10 output tokens (3 reasoning). */
  readonly usage?: ScriptedUsage;
  /** A larger request is refused and uses no step. Other requests report this count as input tokens by default. */
  readonly window?: ModelWindow;
  /** Answers upgrades to a WebSocket, counted from 0. Default: accepts all. */
  readonly upgrade?: (index: number) => UpgradeAnswer;
  /** Compresses WebSocket messages for clients that offer it. Default: true. */
  readonly deflates?: boolean;
}

/**
 * A model provider that follows a script: a real HTTP server on the loopback interface with the Responses API over
 * server-sent events and WebSockets, its compact endpoint, and the other wire formats, each at its own path. A request
 * without a step gets status 500 and a sentence about it.
 */
export interface ScriptedModel {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly frames: readonly RecordedFrame[];
  readonly upgrades: number;
  /** The request with the most tokens, refused ones included; absent before the first and without a window. */
  readonly largest: { readonly index: number; readonly tokens: number } | undefined;
  /** Resolves when the request with this index has arrived. Rejects when the server closes before that. */
  request(index: number): Promise<RecordedRequest>;
  push(...steps: readonly (ScriptStep | ScriptStepOf)[]): void;
  /** Ends all connections. Safe to call twice. */
  close(): Promise<void>;
}

export async function startScriptedModel(script: Script, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  assertKnownKeys(options, { usage: true, window: true, upgrade: true, deflates: true }, 'startScriptedModel()');
  const model = new Model(script, { ids: createIdNumbering(), usage: options.usage ?? {} }, options);
  await model.listen();
  return model;
}

class Model implements ScriptedModel {
  readonly requests: RecordedRequest[] = [];
  readonly frames: RecordedFrame[] = [];
  upgrades = 0;
  largest: ScriptedModel['largest'];
  readonly #options: ScriptedModelOptions;
  readonly #sockets = new Set<Socket>();
  #next = 0;
  readonly #script: (ScriptStep | ScriptStepOf)[] | ScriptStepOf;
  readonly #context: StreamContext;
  /** Ports are reused: a client still calling an earlier server must not use up this one's script. */
  readonly #root = `/${Math.random().toString(36).slice(2)}/v1`;
  readonly #server: Server;
  readonly #connections = new WeakMap<Socket, number>();
  #connectionCount = 0;
  /** By index of the awaited request. */
  readonly #waiters = new Map<number, PromiseWithResolvers<RecordedRequest>>();
  #closed: Promise<void> | undefined;

  constructor(script: Script, context: StreamContext, options: ScriptedModelOptions) {
    this.#options = options;
    this.#script = typeof script === 'function' ? script : [...script];
    this.#context = context;
    const http = process.getBuiltinModule('node:http');
    this.#server = http.createServer({ noDelay: true }, (request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
    this.#server.on('connection', (socket: Socket) => this.#connections.set(socket, this.#connectionCount++));
    this.#server.on('upgrade', (request, socket: Socket, head) => void this.#open(request, socket, head));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#root}`;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', () => resolve());
    });
  }

  request(index: number): Promise<RecordedRequest> {
    const arrived = this.requests[index];
    if (arrived !== undefined) return Promise.resolve(arrived);
    const waiter = this.#waiters.get(index) ?? Promise.withResolvers();
    this.#waiters.set(index, waiter);
    if (this.#closed !== undefined) this.#disappoint();
    return waiter.promise;
  }

  push(...steps: readonly (ScriptStep | ScriptStepOf)[]): void {
    if (typeof this.#script === 'function') throw new Error('This script is a function: it has no end to push to.');
    this.#script.push(...steps);
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
      for (const socket of this.#sockets) socket.destroy();
    });
    this.#disappoint();
    return this.#closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = '', url = '' } = request;
    const renderer = renderers.find(({ endpoint }) => endpoint.test(url));
    const refuse = (status: number, message: string): Promise<unknown> => {
      const step = httpError({ status, body: { error: { message } } });
      return performStep(step, response, { renderer: renderer ?? responsesRenderer, context: this.#context });
    };
    if (method !== 'POST' || !url.startsWith(this.#root) || renderer === undefined)
      return refuse(404, `The scripted model has nothing at ${method} ${url}.`);
    const content = await receiveContent(request);
    if ('problem' in content) return refuse(400, content.problem);
    const { recorded, ended } = this.#record(request, content);
    const { step, context } = await this.#turnTo(recorded);
    return ended(await performStep(step, response, { renderer, context }));
  }

  #record(request: IncomingMessage, content: RequestContent & Pick<RecordedRequest, 'frame'>) {
    const ended = Promise.withResolvers<ExchangeEnd>();
    const recorded: RecordedRequest = {
      index: this.requests.length,
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      ...content,
      connection: this.#connections.get(request.socket) ?? -1,
      ended: ended.promise,
    };
    this.requests.push(recorded);
    this.#waiters.get(recorded.index)?.resolve(recorded);
    this.#waiters.delete(recorded.index);
    return { recorded, ended: ended.resolve };
  }

  /** Only the Responses API has a WebSocket. */
  async #open(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
    const [path = ''] = (request.url ?? '').split('?');
    const { upgrade = () => 'accept', deflates = true } = this.#options;
    const answer = path === `${this.#root}/responses` ? upgrade(this.upgrades++) : { status: 404 };
    // Loaded on use: few scripts need it.
    const { answerUpgrade } = await import('./scripted-socket.ts');
    const host: SocketHost = {
      connection: this.#connections.get(socket) ?? -1,
      context: this.#context,
      arrived: (frame) => this.frames.push(frame),
      step: async (content) => {
        const { recorded, ended } = this.#record(request, content);
        return { ...(await this.#turnTo(recorded)), ended };
      },
    };
    answerUpgrade(request, { answer, head, socket, deflates, host });
  }

  async #turnTo(request: RecordedRequest) {
    const { window } = this.#options;
    const asked = { model: stringAt(request.body, 'model') };
    if (window === undefined) return { step: await this.#stepFor(request), context: { ...this.#context, ...asked } };
    const tokens = window.count(request);
    if (tokens > (this.largest?.tokens ?? -1)) this.largest = { index: request.index, tokens };
    if (tokens > window.tokens) {
      const form = request.path.split('?')[0]!.endsWith('/compact') ? 'status' : (window.form ?? 'status');
      return { step: overflow(form, { tokens, window: window.tokens }), context: this.#context };
    }
    const { usage } = this.#context;
    const counted = typeof usage === 'string' ? usage : { input: tokens, cachedInput: 0, ...usage };
    return { step: await this.#stepFor(request), context: { ...this.#context, ...asked, usage: counted } };
  }

  async #stepFor(request: RecordedRequest): Promise<ScriptStep> {
    const next = typeof this.#script === 'function' ? this.#script : this.#script[this.#next++];
    if (next === undefined) {
      const steps = this.#script.length;
      const message = `The script of this scripted model has ${steps} steps, and this is request ${request.index + 1}.`;
      return httpError({ status: 500, body: { error: { message, code: 'script_exhausted' } } });
    }
    try {
      return typeof next === 'function' ? await next(request) : next;
    } catch (error) {
      const message = `Step ${request.index + 1} of the script threw: ${String(error)}`;
      return httpError({ status: 500, body: { error: { message, code: 'script_threw' } } });
    }
  }

  #disappoint(): void {
    const closed = `The scripted model was closed after ${this.requests.length} requests`;
    for (const [index, waiter] of this.#waiters) waiter.reject(new Error(`${closed}, before request ${index}.`));
  }
}

export const overflowForms = [
  /** Status 400 with a code in the body. */
  'status',
  /** Status 400 with only a message, as from compatible servers. */
  'status-words',
  /** `response.failed` in the stream. */
  'failed',
  /** `response.failed` with only a message. */
  'failed-words',
  'error',
  'incomplete',
] as const;

export type OverflowForm = (typeof overflowForms)[number];

export interface ModelWindow {
  readonly tokens: number;
  readonly count: (request: RecordedRequest) => number;
  /** Form of the refusal of a stream that does not fit. Default: `status`, the only form of the compact endpoint. */
  readonly form?: OverflowForm;
}

export function overflow(
  form: OverflowForm,
  { tokens, window }: { readonly tokens: number; readonly window: number } = { tokens: 9000, window: 8192 },
): ScriptStep {
  const [code, type] = ['context_length_exceeded', 'invalid_request_error'];
  const message = `This model's maximum context length is ${window} tokens, and the request has ${tokens}.`;
  const steps: Readonly<Record<OverflowForm, ScriptStep>> = {
    status: httpError({ status: 400, body: { error: { type, code, message } } }),
    'status-words': httpError({ status: 400, body: { error: { type, message } } }),
    failed: failed({ code, message }),
    'failed-words': failed({ code: type, message }),
    error: failed({ code, message, event: 'error' }),
    incomplete: incomplete({ reason: code }),
  };
  return steps[form];
}

/** To add a wire format, write a renderer and list it here. */
const renderers: readonly WireRenderer[] = [responsesRenderer, chatRenderer, anthropicRenderer];
