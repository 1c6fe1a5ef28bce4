import { homedir } from 'node:os';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { version } from '../../src/protocol/version.ts';
import { Engine } from '../../src/engine/engine.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp, type McpApp, type McpAppOptions } from '../../src/surfaces/servers/mcp/app.ts';
import type {
  CallContext,
  ClientPort,
  FormQuestion,
  ClientResponse,
  ServerTool,
  ToolAnswer,
} from '../../src/surfaces/servers/mcp/server-interface.ts';
import type { Script, ScriptedModel, ScriptedModelOptions } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** The MCP app over a scripted model, without a wire. */
export interface Served {
  readonly app: McpApp;
  readonly model: ScriptedModel;
  readonly place: Place;
  readonly engine: Engine;
}

interface ServedOptions extends Partial<McpAppOptions> {
  readonly config?: string;
  readonly model?: ScriptedModelOptions;
}

export async function served(
  script: Script,
  { config = '', model: serving = {}, ...options }: ServedOptions = {},
): Promise<Served> {
  const { model, place } = await scene(script, config, serving);
  const engine = await engineOf(place);
  const app = createMcpApp(engine, liveThreads(engine), { cwd: place.workspace, ...options });
  whenTestEnds(() => app.close());
  return { app, model, place, engine };
}

export async function engineOf(
  { home, workspace }: Place,
  more: { readonly secretFiles?: readonly string[] } = {},
): Promise<Engine> {
  const client = { name: 'capstan_test', version, source: 'mcp' };
  const env = { ...process.env, CAPSTAN_HOME: home };
  const engine = await Engine.load({ env, osHome: homedir(), cwd: workspace, client, systemFolders: [], ...more });
  if (engine.kind === 'refused') throw new Error(engine.outcome.message);
  return engine;
}

export type Respond = (key: string, question: FormQuestion) => ClientResponse;

let clients = 0;

/** A client that keeps what it is sent. With `respond` it asks its user. */
export class TestClient {
  readonly notes: { readonly method: string; readonly params: JsonObject }[] = [];
  readonly progress: string[] = [];
  readonly asked: FormQuestion[] = [];
  readonly leaving = new AbortController();
  readonly #app: McpApp;
  readonly #respond: Respond | undefined;
  readonly #port: ClientPort;
  #requests = 0;

  /** `ready`: at which pace it reads. */
  constructor(app: McpApp, respond?: Respond, ready: () => Promise<void> = () => Promise.resolve()) {
    this.#app = app;
    this.#respond = respond;
    this.#port = {
      id: `client-${++clients}`,
      canAsk: respond !== undefined,
      stays: true,
      gone: this.leaving.signal,
      ready,
      notify: (method, params) => this.notes.push({ method, params: structuredClone(params) }),
    };
  }

  get port(): ClientPort {
    return this.#port;
  }

  /** The typed events so far. */
  get events(): readonly JsonObject[] {
    return this.notes
      .filter(({ method }) => method === 'notifications/capstan/event')
      .map(({ params }) => params['event'] as JsonObject);
  }

  async call(name: string, args: JsonObject, signal: AbortSignal = this.leaving.signal): Promise<ToolAnswer> {
    const tool = this.#app.tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    checkArguments(tool, args);
    const context: CallContext = {
      signal,
      requestId: ++this.#requests,
      client: this.#port,
      progress: (_done, message) => void this.progress.push(message),
    };
    let answer = await tool.call(args, context);
    while (answer.kind === 'input-required') {
      const { questions, state } = answer;
      this.asked.push(...(Object.values(questions) as FormQuestion[]));
      const responses = Object.fromEntries(
        Object.entries(questions).map(([key, each]) => [key, this.#respond!(key, each as FormQuestion)]),
      );
      answer = await tool.call(args, { ...context, responses, state: JSON.parse(JSON.stringify(state)) as JsonObject });
    }
    if (answer.isError !== true) checkAnswer(tool, answer.data);
    return answer;
  }

  /** The data of a call that must not fail. */
  async data(name: string, args: JsonObject): Promise<JsonObject> {
    const answer = await this.call(name, args);
    if (answer.isError === true) throw new Error(`${name}: ${answer.text}`);
    return answer.data;
  }

  /** The error of a call that must fail. */
  async error(name: string, args: JsonObject): Promise<JsonObject> {
    const answer = await this.call(name, args);
    if (answer.isError !== true) throw new Error(`${name} did not fail: ${answer.text}`);
    return answer.data['error'] as JsonObject;
  }

  typesOf(...types: readonly string[]): readonly unknown[] {
    return this.events.map(({ type }) => type).filter((type) => types.length === 0 || types.includes(String(type)));
  }
}

/** The checks of the wire before a call, as far as these tests need it. */
function checkArguments({ input, name }: ServerTool, args: JsonObject): void {
  const { properties, required = [] } = input as {
    readonly properties: JsonObject;
    readonly required?: readonly string[];
  };
  for (const key of Object.keys(args)) if (properties[key] === undefined) throw new Error(`${name} has no ${key}`);
  for (const key of required) if (args[key] === undefined) throw new Error(`${name} needs ${key}`);
}

function checkAnswer({ output, name }: ServerTool, data: JsonObject): void {
  const { properties, required = [] } = output as {
    readonly properties: JsonObject;
    readonly required?: readonly string[];
  };
  for (const key of required) if (data[key] === undefined) throw new Error(`${name} gave no ${key}`);
  for (const [key, schema] of Object.entries(properties)) {
    const value = data[key];
    if (value === undefined || !isJsonObject(schema) || typeof schema['type'] !== 'string') continue;
    const type = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
    if (type !== schema['type']) throw new Error(`${name} gave ${key} as ${type}`);
  }
}
