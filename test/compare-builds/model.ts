import type { JsonObject } from '../../src/protocol/json.ts';
import {
  answer,
  callTool,
  httpError,
  type ItemDraft,
  type RecordedRequest,
  say,
  type ScriptedModel,
  type ScriptStep,
  startScriptedModel,
} from '../../src/testing/index.ts';

/** Steps in the order of the requests, or what makes one. */
export type Steps = readonly (ScriptStep | ((request: RecordedRequest) => ScriptStep))[];

/** Steps by who asks: `main`, or an agent by the word after TASK in its first message. */
export type Speeches = Readonly<Record<string, Steps>>;

export const done = (text = 'Done.'): ScriptStep => answer({ items: [say(text)] });
export const command = (cmd: string, more: JsonObject = {}): ScriptStep =>
  answer({ items: [callTool('exec_command', { cmd, ...more })] });
export const calls = (name: string, given: JsonObject): ScriptStep => answer({ items: [callTool(name, given)] });
export const patch = (...lines: readonly string[]): ScriptStep => {
  const input = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
  return answer({ items: [{ type: 'custom_tool_call', name: 'apply_patch', input }] });
};

/**
 * One scripted model for both builds, so that its address is the same for them. It names every answer and item itself:
 * by who asked and how often, which does not depend on the order in which agents ask.
 */
export class SharedModel {
  readonly #server: ScriptedModel;
  #speeches: Speeches = {};
  #counts = new Map<string, number>();
  #first = 0;
  #firstFrame = 0;
  #problems: string[] = [];

  private constructor(start: (script: (request: RecordedRequest) => ScriptStep) => ScriptedModel) {
    this.#server = start((request) => this.#step(request));
  }

  static async start(): Promise<SharedModel> {
    let step: (request: RecordedRequest) => ScriptStep = () => httpError({ status: 500 });
    const server = await startScriptedModel((request) => step(request));
    return new SharedModel((script) => {
      step = script;
      return server;
    });
  }

  get url(): string {
    return this.#server.url;
  }

  /** Forgets everything before and follows a new script. */
  begin(speeches: Speeches): void {
    this.#speeches = speeches;
    this.#counts = new Map();
    this.#first = this.#server.requests.length;
    this.#firstFrame = this.#server.frames.length;
    this.#problems = [];
  }

  /** Requests since `begin`, with the name of who sent each and how many it had sent. */
  requests(): readonly { readonly name: string; readonly text: string }[] {
    const counts = new Map<string, number>();
    const named = this.#server.requests.slice(this.#first).map((request) => {
      const speaker = this.#speaker(request);
      const index = (counts.get(speaker) ?? 0) + 1;
      counts.set(speaker, index);
      return { name: `${speaker} ${index}`, text: textOf(request) };
    });
    return named.toSorted((one, other) => Number(one.name < other.name ? -1 : 1));
  }

  /** Messages over WebSockets since `begin`, as they came. */
  frames(): readonly string[] {
    const frames = this.#server.frames.slice(this.#firstFrame);
    return frames.map(({ kind, bytes }) => `${kind}\n${bytes.toString('utf8')}`);
  }

  /** Requests without a step, and steps without a request. */
  problems(): readonly string[] {
    const left = Object.entries(this.#speeches).flatMap(([speaker, steps]) => {
      const count = this.#counts.get(speaker) ?? 0;
      return count < steps.length ? [`${speaker} was asked ${count} times, and the script has ${steps.length}`] : [];
    });
    return [...this.#problems, ...left];
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #speaker({ body }: RecordedRequest): string {
    const task = /"text":"TASK (\w+)/.exec(JSON.stringify(body['input'] ?? body['messages'] ?? []));
    return task?.[1] !== undefined && this.#speeches[task[1]] !== undefined ? task[1] : 'main';
  }

  #step(request: RecordedRequest): ScriptStep {
    const speaker = this.#speaker(request);
    const index = this.#counts.get(speaker) ?? 0;
    this.#counts.set(speaker, index + 1);
    const step = this.#speeches[speaker]?.[index];
    if (step === undefined) {
      this.#problems.push(`no step for request ${index + 1} of ${speaker}`);
      return httpError({ status: 400, body: { error: { message: 'The script has no step for this request.' } } });
    }
    return identified(typeof step === 'function' ? step(request) : step, `${speaker}_${index + 1}`);
  }
}

function identified(step: ScriptStep, name: string): ScriptStep {
  const items = (drafts: readonly ItemDraft[]): readonly ItemDraft[] =>
    drafts.map((draft, at) => {
      const { type, ...rest } = draft;
      const call = type.endsWith('_call') ? { call_id: `call_${name}_${at + 1}` } : {};
      return { type, id: `item_${name}_${at + 1}`, ...call, ...rest };
    });
  switch (step.kind) {
    case 'answer':
      return { ...step, responseId: `resp_${name}`, items: items(step.items) };
    case 'compacted':
      return { ...step, output: items(step.output) };
    default:
      return step;
  }
}

/** Headers that say how a connection is used, and the length of what is compared anyway. */
const unrelated = new Set(['connection', 'content-length', 'host', 'sec-websocket-key']);

function textOf({ method, path, headers, decodedBytes }: RecordedRequest): string {
  const told = Object.entries(headers)
    .filter(([name]) => !unrelated.has(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [`${method} ${path}`, ...told.map((pair) => pair.join(': ')), '', decodedBytes.toString('utf8')].join('\n');
}
