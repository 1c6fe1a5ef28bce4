import { homeSeals } from '../../src/adapters/gather/home-seals.ts';
import { sealedClaimIn, sealText, withSeal } from '../../src/core/state/line-seals.ts';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { recogniseFragment } from '../../src/core/world/recognise-fragments.ts';
import type { Engine } from '../../src/index.ts';
import {
  type EngineOptions,
  type Outcome,
  type Thread,
  type ThreadEvent,
  type ThreadRequest,
  words,
} from '../../src/index.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line, LineDraft } from '../../src/protocol/line.ts';
import type { Script, ScriptedModel, ScriptedModelOptions } from '../../src/testing/index.ts';
import type { TurnResult } from '../../src/engine/thread/turn/settle-turn.ts';
import type { ThreadTurn } from '../../src/engine/thread/read-turn.ts';
import type { Place } from './run-capstan.ts';
import { inputOf, scene } from './scene.ts';
import { placeEngine } from './place-engine.ts';
import { whenTestEnds } from './when-test-ends.ts';

/** A thread of this process, what it tells, and what its model is sent. */
export class LiveThread {
  readonly model: ScriptedModel;
  readonly place: Place;
  readonly events: ThreadEvent[] = [];
  /** Notices of the last time that the thread was opened. */
  notices: readonly Outcome[] = [];
  /** Called with each event, while the thread waits. */
  onEvent: (event: ThreadEvent) => void = () => {};
  #id: ThreadId | undefined;
  #thread: Thread | undefined;

  private constructor(model: ScriptedModel, place: Place) {
    this.model = model;
    this.place = place;
  }

  static async in(script: Script, more = '', options: ScriptedModelOptions = {}): Promise<LiveThread> {
    const { model, place } = await scene(script, more, options);
    const live = new LiveThread(model, place);
    whenTestEnds(() => live.close());
    return live;
  }

  get thread(): Thread {
    if (this.#thread === undefined) throw new Error('the thread is not open');
    return this.#thread;
  }

  /** Once it was started. */
  get id(): ThreadId {
    if (this.#id === undefined) throw new Error('the thread was never opened');
    return this.#id;
  }

  /** The engine that opens the thread. */
  engine(options: Partial<EngineOptions> = {}): Promise<Engine> {
    return placeEngine(this.place, { osHome: homedir(), ...options });
  }

  /** Starts the thread, or goes on with it as another process would. */
  async open(options: Partial<EngineOptions> = {}, more: Partial<ThreadRequest> = {}): Promise<Thread> {
    await this.close();
    const engine = await this.engine(options);
    const { workspace } = this.place;
    const listener = (event: ThreadEvent): void => {
      this.events.push(event);
      this.onEvent(event);
    };
    const opened = await (this.#id === undefined
      ? engine.start({ listener, cwd: workspace, ...more })
      : engine.resume(this.#id, { listener, ...more }));
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    this.notices = [...engine.notices, ...opened.notices];
    this.#thread = opened.thread;
    this.#id = opened.thread.id;
    return opened.thread;
  }

  async turn(text: string, more: Partial<ThreadTurn> = {}): Promise<TurnResult> {
    if (this.#thread === undefined) await this.open();
    return this.thread.run({ input: words(text), signal: new AbortController().signal, ...more });
  }

  async close(): Promise<void> {
    await this.#thread?.close();
    this.#thread = undefined;
  }

  /** The file as another program might leave it; the thread is closed before. */
  async rewrite(change: (lines: readonly Line[]) => readonly LineDraft[]): Promise<void> {
    await this.close();
    const [path] = this.place.rollouts();
    const timestamp = '2026-11-15T00:00:00.000Z';
    const lines = change(this.place.lines()).map((line, ordinal) => ({ timestamp, ...line, ordinal }));
    writeFileSync(path!, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  /** The draft as this home's engine would write it into the thread. */
  sealed(draft: LineDraft): LineDraft {
    const { claim } = sealedClaimIn(draft)!;
    return withSeal(draft, homeSeals(this.place.home).seal(sealText(this.id, claim))!);
  }

  /** The events of a kind. */
  told<Kind extends ThreadEvent['kind']>(kind: Kind): readonly Extract<ThreadEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<ThreadEvent, { kind: Kind }> => event.kind === kind);
  }

  /** The content of a request, one row per item. */
  rows(request: number): readonly Row[] {
    return inputOf(this.model, request).map(rowOf);
  }

  /** The rows of a request that are not in the request before it. */
  added(request: number): readonly Row[] {
    return this.rows(request).slice(request === 0 ? 0 : this.rows(request - 1).length);
  }

  /** The added rows, with the kind of a fragment in the place of its text. */
  layout(request: number): readonly Row[] {
    return this.added(request).map(namesIn);
  }
}

/** The role or type of an item, and the texts in it. */
export type Row = readonly string[];

export function rowOf(item: JsonObject): Row {
  const { type, role, content, name, output } = item;
  if (type === 'message')
    return [String(role), ...(content as JsonObject[]).map(({ text, type: kind }) => String(text ?? kind))];
  if (output !== undefined) return ['output', typeof output === 'string' ? output : JSON.stringify(output)];
  return name === undefined ? [String(type)] : ['call', String(name)];
}

export function namesIn([role = '', ...texts]: Row): Row {
  return [role, ...texts.map((text) => recogniseFragment(role, text) ?? text)];
}
