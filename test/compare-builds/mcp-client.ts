import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../src/protocol/json.ts';
import type { World } from './world.ts';

/** Answers a question of the server. */
export type Respond = (params: JsonObject) => JsonObject;

/** A host of `capstan mcp-server` that keeps every message that it gets. */
export class McpClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #world: World;
  readonly #name: string;
  readonly #respond: Respond;
  readonly #lines: string[] = [];
  readonly #waiting = new Map<number, (message: JsonObject) => void>();
  readonly #ended: Promise<number | null>;
  #errors = '';
  #requests = 0;

  constructor(world: World, respond: Respond, ...words: readonly string[]) {
    this.#world = world;
    this.#respond = respond;
    this.#name = world.nameOf(['mcp-server', ...words]);
    const options = { cwd: world.workspace, env: world.env };
    this.#child = spawn(process.execPath, [world.program, 'mcp-server', ...words], options);
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line));
    this.#ended = new Promise((over) =>
      this.#child.on('close', (code) => {
        const error = { code: -1, message: `The server ended with ${code}: ${this.#errors}` };
        for (const found of this.#waiting.values()) found({ error });
        over(code);
      }),
    );
    world.whenOver(async () => void this.#child.kill('SIGKILL'));
  }

  async greet(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'compare', version: '1' },
    });
    this.#send({ method: 'notifications/initialized' });
  }

  /** The result of a request; an error is kept like any other answer. */
  async request(method: string, params: JsonObject): Promise<JsonObject> {
    const id = ++this.#requests;
    const answered = new Promise<JsonObject>((found) => this.#waiting.set(id, found));
    this.#send({ id, method, params });
    const { result, error } = await answered;
    if (isJsonObject(error) && error['code'] === -1) throw new Error(String(error['message']));
    return isJsonObject(result) ? result : {};
  }

  /** The structured content of a tool's result. */
  async call(name: string, given: JsonObject): Promise<JsonObject> {
    const { structuredContent } = await this.request('tools/call', { name, arguments: given });
    return isJsonObject(structuredContent) ? structuredContent : {};
  }

  /** Closes the server's input and keeps everything that it wrote. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const code = await this.#ended;
    this.#world.keep({ kind: 'event', name: `${this.#name}: messages`, text: this.#lines.join('\n') });
    this.#world.keep({ kind: 'output', name: `${this.#name}: standard error`, text: this.#errors });
    this.#world.keep({ kind: 'exit', name: `${this.#name}: exit code`, text: String(code) });
  }

  #send(message: JsonObject): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #receive(line: string): void {
    this.#lines.push(line);
    const { id, method, params, ...rest } = parseJsonObject(line) ?? {};
    if (method === undefined) {
      const found = this.#waiting.get(Number(id));
      this.#waiting.delete(Number(id));
      return found?.(rest);
    }
    if (id !== undefined) this.#send({ id, result: this.#respond(isJsonObject(params) ? params : {}) });
  }
}
