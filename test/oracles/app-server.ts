import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import type { Place } from '../harness/run-capstan.ts';
import { codexCommand } from './codex.ts';

/** The app-server of Codex on the home of a place: what its screens know about threads. */
export class AppServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, PromiseWithResolvers<JsonObject>>();
  readonly #news = new Set<(method: string, params: JsonObject) => void>();
  #calls = 0;

  private constructor(place: Place) {
    const { program, script, cwd, env } = codexCommand(place);
    this.#child = spawn(program, [script, 'app-server'], { cwd, env });
    let said = '';
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#settle(JSON.parse(line) as JsonObject));
    this.#child.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the app-server has ended:\n${said}`));
    });
  }

  static async start(place: Place): Promise<AppServer> {
    const server = new AppServer(place);
    const clientInfo = { name: 'capstan-oracles', version: '1' };
    await server.call('initialize', { clientInfo, capabilities: { experimentalApi: true } });
    return server;
  }

  /** The process that was started; the program may be a child of it. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The result of a method. Rejects with the error that the server answers. */
  call(method: string, params: JsonObject): Promise<JsonObject> {
    const id = ++this.#calls;
    const answered = Promise.withResolvers<JsonObject>();
    this.#waiting.set(id, answered);
    this.#child.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
    return answered.promise;
  }

  /** The params of the first notification from now on that is the one. */
  told(isIt: (method: string, params: JsonObject) => boolean): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error('the app-server has ended'));
      const listen = (method: string, params: JsonObject): void => {
        if (!isIt(method, params)) return;
        this.#news.delete(listen);
        this.#child.off('close', ended);
        resolve(params);
      };
      this.#news.add(listen);
      this.#child.once('close', ended);
    });
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.stdin.end();
    await ended;
  }

  /** Questions of the server get no answer. */
  #settle({ id, method, params, result, error }: JsonObject): void {
    if (typeof method === 'string' && isJsonObject(params)) for (const listen of this.#news) listen(method, params);
    const call = typeof id === 'number' && method === undefined ? this.#waiting.get(id) : undefined;
    if (call === undefined) return;
    this.#waiting.delete(id as number);
    if (isJsonObject(result)) call.resolve(result);
    else call.reject(new Error(JSON.stringify(error)));
  }
}
