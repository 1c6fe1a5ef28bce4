import { deepStrictEqual } from 'node:assert';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EngineOptions, words } from '../../src/index.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import type { Script, ScriptedModel } from '../../src/testing/index.ts';
import type { TurnResult } from '../../src/engine/thread/turn/settle-turn.ts';
import type { Place } from './run-capstan.ts';
import { inputOf, scene, textsOf } from './scene.ts';
import { placeEngine } from './place-engine.ts';
import { whenTestEnds } from './when-test-ends.ts';

/** A thread in this process, and what its model was told. */
export class InstructedThread {
  readonly place: Place;
  readonly #model: ScriptedModel;
  #id: ThreadId | undefined;
  #thread: { run: (words: string) => Promise<TurnResult>; close: () => Promise<void> } | undefined;

  private constructor(model: ScriptedModel, place: Place) {
    this.#model = model;
    this.place = place;
  }

  static async in(script: Script, more = ''): Promise<InstructedThread> {
    const { model, place } = await scene(script, more);
    const live = new InstructedThread(model, place);
    whenTestEnds(() => live.close());
    return live;
  }

  /** Starts the thread, or goes on with it as another process would. */
  async open(options: Partial<EngineOptions> = {}): Promise<void> {
    await this.close();
    const { workspace } = this.place;
    const engine = await placeEngine(this.place, options);
    const request = { cwd: workspace, approvals: 'never' } as const;
    const opened = await (this.#id === undefined ? engine.start(request) : engine.resume(this.#id, request));
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    const { thread } = opened;
    this.#id = thread.id;
    const { signal } = new AbortController();
    this.#thread = { run: (text) => thread.run({ input: words(text), signal }), close: () => thread.close() };
  }

  async turn(text: string): Promise<void> {
    if (this.#thread === undefined) await this.open();
    const { kind } = await this.#thread!.run(text);
    if (kind !== 'completed') throw new Error(`the turn ended as ${kind}`);
  }

  async close(): Promise<void> {
    await this.#thread?.close();
    this.#thread = undefined;
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.place.workspace, path), text);
  }

  remove(path: string): void {
    rmSync(join(this.place.workspace, path));
  }

  /** The message about instructions as the model reads it. */
  message(text: string, notice = ''): string {
    return `# AGENTS.md instructions for ${this.place.workspace}\n\n<INSTRUCTIONS>\n${notice}${text}\n</INSTRUCTIONS>`;
  }

  /** The instructions that each request told anew. What an earlier one told must stand in all later ones. */
  told(): readonly (readonly string[])[] {
    let before = 0;
    return this.#model.requests.map((_, request) => {
      const input = inputOf(this.#model, request);
      if (request > 0) deepStrictEqual(input.slice(0, before), inputOf(this.#model, request - 1));
      const added = textsOf(input.slice(before)).filter((text) => String(text).startsWith('# AGENTS.md'));
      before = input.length;
      return added as string[];
    });
  }

  /** Everything that a request told anew, in order. */
  added(request: number): readonly unknown[] {
    return textsOf(inputOf(this.#model, request).slice(inputOf(this.#model, request - 1).length));
  }
}
