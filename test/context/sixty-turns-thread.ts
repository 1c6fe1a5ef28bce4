import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { words } from '../../src/protocol/user-input.ts';
import { answer, callTool, say, type ScriptedModel, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { changeTo, type World } from '../harness/world.ts';
import { isUsers, rewriteFor } from '../harness/world-rewrite.ts';
import { UpdateLaw } from '../laws/update-law.ts';
import { isWorldText, partsOf } from '../laws/world-reader.ts';
import type { ScriptedTurn } from './sixty-turns-script.ts';

/** A thread that goes through scripted turns, and the number of the turn that each request belongs to. */
export class LongThread {
  readonly model: ScriptedModel;
  readonly thread: WatchedThread;
  readonly turnOf: number[] = [];
  readonly #law: UpdateLaw;
  #turn = 0;
  #midway: Partial<World> | undefined;

  private constructor(model: ScriptedModel, law: UpdateLaw) {
    this.model = model;
    this.#law = law;
    const disk = new SimulatedDisk();
    this.thread = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
    this.thread.onStep = (step) => law.entered(step);
    this.thread.onCommand = () => {
      this.thread.world = { ...this.thread.world, ...this.#midway };
      this.#midway = undefined;
    };
  }

  static async start(first: Partial<World> = {}): Promise<LongThread> {
    const law = new UpdateLaw();
    const model: ScriptedModel = await startScriptedModel(({ body }) => {
      law.posted(body);
      long.turnOf.push(long.#turn);
      return long.#midway === undefined
        ? answer({ items: [say(`Answer ${long.#turn}.`)] })
        : answer({ items: [callTool('exec_command', { cmd: 'sleep' })] });
    });
    const long: LongThread = new LongThread(model, law);
    long.thread.world = { ...long.thread.world, ...first };
    onTestFinished(async () => {
      await long.thread.close();
      await model.close();
    });
    return long;
  }

  async play(turns: readonly ScriptedTurn[]): Promise<void> {
    for (const turn of turns) await this.#play(turn);
  }

  async #play({ world, midway, resumed, rewritten }: ScriptedTurn): Promise<void> {
    const { thread } = this;
    this.#turn++;
    this.#midway = midway;
    thread.world = { ...thread.world, ...world };
    const { live } = thread;
    if (live !== undefined && rewritten === true) {
      await thread.write([rewriteFor(thread.world.model, live.state, isUsers)]);
      this.#law.lost();
    } else if (resumed === true) await thread.close();
    else await live?.overrideTurnContext(changeTo(thread.world));
    const picture = { path: 'dot.png', dataUrl: 'data:image/png;base64,AAAA' };
    const input = { ...words(`Words ${this.#turn}.`), images: this.#turn === 2 ? [picture] : [] };
    const end = await (await thread.open()).run({ input, signal: new AbortController().signal });
    if (end.kind !== 'completed') throw new Error(`turn ${this.#turn}: ${JSON.stringify(end)}`);
  }

  /** The texts about the world that a request holds and the one before it does not. */
  news(request: number): readonly string[] {
    const before = request === 0 ? [] : this.#texts(request - 1);
    const now = this.#texts(request);
    const goesOn = before.every((text, index) => now[index] === text);
    return goesOn ? now.slice(before.length) : now;
  }

  #texts(request: number): readonly string[] {
    return partsOf(this.body(request)['input'])
      .filter(isWorldText)
      .map(({ text }) => text);
  }

  body(request: number): JsonObject {
    return this.model.requests[request]!.body;
  }

  /** The first request of a turn. */
  bodyOf(turn: number): JsonObject {
    return this.body(this.turnOf.indexOf(turn));
  }

  /** The texts of a turn that speak of a switch of models. */
  switchesIn(turn: number): readonly string[] {
    return this.#texts(this.turnOf.indexOf(turn)).filter((text) => text.startsWith('<model_switch>'));
  }
}
