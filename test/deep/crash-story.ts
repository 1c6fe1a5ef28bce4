import { existsSync, readFileSync, readlinkSync, truncateSync, appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import {
  answer,
  callTool,
  type ItemDraft,
  reason,
  say,
  type ScriptedModel,
  startScriptedModel,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { listProcesses } from '../harness/process-table.ts';
import { type Finished, Place } from '../harness/run-capstan.ts';
import { checkPrefixes, checkRebuilt } from '../laws/prefix-law.ts';
import { missingIn, promiseOfEffect, promisedBytes, promisesOf } from './acknowledged.ts';
import { Random } from '../harness/random.ts';
import { linesIn, type PlacedLine } from './rollout-bytes.ts';

/** Counts of what happened in a story, so that an empty one is not taken for a good one. */
export interface StoryFigures {
  kills: number;
  /** Runs that came to their end before they could be killed. */
  ends: number;
  /** Kills with a call in flight, as resume told it. */
  inFlight: number;
  torn: number;
  effects: number;
}

/** Nothing more is printed for this long: the turn waits for a command, and is killed then. */
const silenceMs = 1500;

/** One thread whose processes are killed one after the other, and held to what they had promised. */
export class CrashStory {
  readonly figures: StoryFigures = { kills: 0, ends: 0, inFlight: 0, torn: 0, effects: 0 };
  readonly #name: string;
  readonly #random: Random;
  readonly #sandbox: string;
  readonly #place: Place;
  readonly #model: ScriptedModel;
  #calls = 0;
  #isOver = false;
  #id: string | undefined;
  /** The beginning of the file that may not change any more. */
  #promised: Buffer = Buffer.alloc(0);

  private constructor(name: string, random: Random, sandbox: string, model: ScriptedModel) {
    this.#name = name;
    this.#random = random;
    this.#sandbox = sandbox;
    this.#model = model;
    this.#place = new Place(model.url);
  }

  static async play(seed: number, kills: number): Promise<StoryFigures> {
    const random = new Random(seed);
    const sandbox = seed % 2 === 0 ? 'workspace-write' : 'danger-full-access';
    const model = await startScriptedModel((request) => story.#step(request.index));
    const story = new CrashStory(`s${seed}`, random, sandbox, model);
    try {
      while (story.figures.kills < kills) await story.#killOnce();
      await story.#end();
      return story.figures;
    } catch (error) {
      throw new Error(`story ${seed} (${sandbox}) after ${JSON.stringify(story.figures)}`, { cause: error });
    } finally {
      await model.close();
      story.#place.remove();
    }
  }

  #step(index: number): ScriptStep {
    if (this.#isOver || this.#random.happens(0.2)) return answer({ items: [say(`said ${this.#name} ${index}`)] });
    const items: ItemDraft[] = this.#random.happens(0.3) ? [reason(`thought ${index}`)] : [];
    for (let count = 1 + this.#random.below(3); count > 0; count--) items.push(this.#call());
    return answer({ items, ...(this.#random.happens(0.3) ? { delayMs: 5 } : {}) });
  }

  #call(): ItemDraft {
    const id = `call_${this.#name}_${this.#calls++}`;
    const effect = `echo ${id} >> log`;
    const kind = this.#random.below(8);
    if (kind === 0) return callTool('update_plan', { plan: [{ step: id, status: 'pending' }] }, id);
    if (kind === 1)
      return callTool('apply_patch', { input: `*** Begin Patch\n*** Add File: ${id}\n+x\n*** End Patch` }, id);
    // Some leave processes behind that hold their output, some never end by themselves.
    const rest = this.#random.pick([
      'true',
      'true',
      'sleep 0.05',
      'sleep 0.2',
      'sleep 600 & sleep 0.02',
      'sleep 600 & sleep 600',
    ]);
    return callTool('exec_command', { cmd: `${effect}; ${rest}` }, id);
  }

  get #onlyThread(): string | undefined {
    // A kill at its birth leaves a file without its first line, which is no thread.
    const [path, ...others] = this.#place.rollouts().filter(hasBegun);
    must('have one thread', others, []);
    return path === undefined ? undefined : /([0-9a-f-]{36})\.jsonl$/.exec(path)?.[1];
  }

  get #path(): string | undefined {
    return this.#place.rollouts().find((path) => this.#id !== undefined && path.includes(this.#id));
  }

  #lines(): readonly PlacedLine[] {
    return this.#path === undefined ? [] : linesIn(this.#path);
  }

  async #killOnce(): Promise<void> {
    const before = this.#lines().at(-1)?.end ?? 0;
    const posted = this.#model.requests.length;
    const run = await this.#run();
    // Its first request may have left before anything was printed.
    this.#id ??= (run.events[0]?.['thread_id'] as string | undefined) ?? this.#onlyThread;
    if (run.signal === 'SIGKILL') this.figures.kills++;
    else this.figures.ends++;
    must(
      `end as told, not with ${run.code}: ${run.stderr}`,
      run.signal ?? run.code,
      run.signal === 'SIGKILL' ? 'SIGKILL' : 0,
    );
    if (run.stderr.includes('Running at that moment, outcome unknown')) this.figures.inFlight++;
    if (this.#id === undefined) return;
    await this.#checkSurvivors();
    this.#check(run, before, this.#model.requests.length - posted);
    if (run.signal === 'SIGKILL' && this.#random.happens(0.5)) this.#tear();
  }

  /** A run that is killed after so many lines of output, or at any time at all. */
  async #run(): Promise<Finished> {
    const target = this.#id === undefined ? [] : ['resume', this.#id];
    const running = this.#place.start(['exec', '--json', '-s', this.#sandbox, ...target, 'go on']);
    const kill = (): void => void running.child.kill('SIGKILL');
    const lines = this.#random.happens(0.2) ? Infinity : this.#random.below(12);
    const afterMs = lines === Infinity ? this.#random.below(800) : this.#random.below(40);
    let timer = setTimeout(kill, lines === Infinity ? afterMs : 20_000);
    running.child.stdout?.on('data', () => {
      if (lines === Infinity) return;
      const isDue = running.stdout.split('\n').length > lines;
      clearTimeout(timer);
      timer = setTimeout(kill, isDue ? afterMs : silenceMs);
    });
    const run = await running.finished;
    clearTimeout(timer);
    return run;
  }

  #check(run: Finished, before: number, posted: number): void {
    const path = this.#path!;
    const kept = readFileSync(path).subarray(0, this.#promised.length).equals(this.#promised);
    must('keep what was promised', kept, true);
    // Those of this run, and the first one, which stands for the thread.
    const lines = this.#lines().filter(({ end }, index) => index === 0 || end > before);
    const effects = this.#effects();
    must('have each effect once', effects, [...new Set(effects)]);
    const fresh = effects.slice(this.figures.effects);
    this.figures.effects = effects.length;
    const promises = [...promisesOf(run.events), ...fresh.map(promiseOfEffect)];
    must('have in the file what it showed', missingIn(lines, promises), []);
    const records = lines.filter(({ line }) => line.type === 'capstan_request');
    must('have its requests in the file', records.length >= posted, true);
    const end = Math.max(promisedBytes(lines, promises), records[posted - 1]?.end ?? 0, this.#promised.length);
    this.#promised = readFileSync(path).subarray(0, end);
  }

  #effects(): readonly string[] {
    const log = join(this.#place.workspace, 'log');
    return existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
  }

  /** Damages bytes that were not promised: after a power cut they may be gone, or be anything. */
  #tear(): void {
    const path = this.#path!;
    const size = statSync(path).size;
    this.figures.torn++;
    if (size > this.#promised.length && this.#random.happens(0.6)) {
      truncateSync(path, this.#promised.length + this.#random.below(size - this.#promised.length));
    }
    const tail = this.#random.pick([
      Buffer.alloc(0),
      Buffer.alloc(0),
      Buffer.alloc(40),
      this.#random.bytes(60),
      Buffer.from('{"timestamp":"2026-11-15T'),
      Buffer.from('{"type":"é').subarray(0, -1),
    ]);
    appendFileSync(path, tail);
    if (!hasBegun(path)) this.#id = undefined;
  }

  /** No process of the thread is there soon after its program was killed. */
  async #checkSurvivors(): Promise<void> {
    const left = () =>
      listProcesses().filter(
        ({ pid, words }) => words !== '' && (words.includes(this.#place.root) || isIn(pid, this.#place.root)),
      );
    await vi
      .waitUntil(() => left().length === 0, { timeout: 20_000, interval: 10 })
      .catch(() => must('leave no process', left(), []));
  }

  /** The last one is left in peace: the thread goes on, and its requests obey the laws. */
  async #end(): Promise<void> {
    this.#isOver = true;
    if (this.#id === undefined) return;
    const run = await this.#place.run('exec', '--json', 'resume', this.#id, 'the end');
    must(`go on: ${run.stderr}`, [run.code, run.events.at(-1)?.['type']], [0, 'turn.completed']);
    const lines = this.#lines().map(({ line }) => line);
    const answers = lines
      .filter(({ payload }) => String(payload['type']).endsWith('_output'))
      .map(({ payload }) => payload['call_id']);
    must('answer each call once', answers, [...new Set(answers)]);
    const turns = lines.flatMap(({ payload }) => (payload['type'] === 'task_started' ? [payload['turn_id']] : []));
    const ends = lines.flatMap(({ payload }) =>
      /^(task_complete|turn_aborted)$/.test(String(payload['type'])) ? [payload['turn_id']] : [],
    );
    must('end each turn once', ends, turns);
    await checkRebuilt(this.#model, lines);
    await checkPrefixes(this.#model, lines);
  }
}

const hasBegun = (path: string): boolean => linesIn(path)[0]?.line.type === 'session_meta';

/** Expects that the program does this. */
function must(what: string, actual: unknown, expected: unknown): void {
  expect(actual, `it must ${what}`).toEqual(expected);
}

function isIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    return false;
  }
}
