import { deepEqual } from 'node:assert/strict';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import type { Ordinal, ThreadId } from '../../src/protocol/ids.ts';
import type { Line } from '../../src/protocol/line.ts';
import { Fault } from '../../src/protocol/outcome.ts';
import { words } from '../../src/protocol/user-input.ts';
import { rebuildRequests } from '../../src/core/replay/rebuild-requests.ts';
import { decodeLine } from '../../src/adapters/rollout/lines/line-format.ts';
import { rolloutPath } from '../../src/adapters/rollout/files/rollout-paths.ts';
import { createRolloutStore } from '../../src/adapters/rollout/store/rollout-store.ts';
import { describeState } from '../harness/describe-state.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { lastSettings } from '../../src/core/state/resumed-settings.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { answer, say, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import { deadTurnNotice } from '../../src/engine/thread/turn/cut-off-turn.ts';
import { waitingNotice } from '../../src/engine/store/thread-notices.ts';
import { loadThreadState, openThread } from '../../src/engine/thread/branch/resume-thread.ts';
import { Random } from '../harness/random.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { type Mutant, mutate } from './mutate-rollout.ts';
import { sampleRollout } from './rollout-corpus.ts';

const home = '/home';
const wall = { year: 2026, month: 11, day: 15, hour: 1, minute: 2, second: 3 };
const clock = { now: () => 0, sleep: () => Promise.resolve() };

/** Counts of the results of the damaged files. */
export interface FuzzFigures {
  resumed: number;
  refused: number;
  /** Lines that were not touched, and that were read. */
  kept: number;
  /** Threads that were read once and twice, with one result. */
  compared: number;
}

export interface FuzzOptions {
  readonly seed: number;
  readonly count: number;
  /** One of so many files that can be resumed gets another turn. */
  readonly turnEvery: number;
}

/** Damages the file in many ways. No reader may crash, and what was not damaged is read. */
export async function fuzzRollouts({ seed, count, turnEvery }: FuzzOptions): Promise<FuzzFigures> {
  const figures: FuzzFigures = { resumed: 0, refused: 0, kept: 0, compared: 0 };
  const sample = await sampleRollout();
  const id = sample.id as ThreadId;
  const model = await startScriptedModel(() => answer({ items: [say('Fine.')] }));
  for (let index = 0; index < count; index++) {
    const mutant = mutate(sample, new Random(seed + index));
    try {
      const disk = await diskWith(id, mutant.bytes);
      const opened = await check(disk, id, mutant, figures);
      figures.kept += mutant.intact.length;
      figures[opened]++;
      if (opened === 'resumed' && figures.resumed % turnEvery === 0) await goOn(disk, id, model.url);
    } catch (error) {
      throw new Error(`seed ${seed + index}: ${mutant.what}`, { cause: error });
    }
  }
  await model.close();
  return figures;
}

async function diskWith(id: ThreadId, bytes: Uint8Array): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const path = rolloutPath(home, id, wall);
  await disk.makeDirectory(path.slice(0, path.lastIndexOf('/')), 0o700);
  const file = await disk.open(path, { create: true, mode: 0o600 });
  await file.append(bytes);
  await file.sync();
  return disk;
}

async function check(
  disk: SimulatedDisk,
  id: ThreadId,
  { intact }: Mutant,
  figures: FuzzFigures,
): Promise<'resumed' | 'refused'> {
  const store = createRolloutStore({ home, files: disk, locks: disk.locks, clock });
  const expected = intact.map(textOf);
  const forward = await allOf(() => store.read(id, { from: 0 as Ordinal }));
  const backward = await allOf(() => store.readBack(id));
  if (forward !== undefined && backward !== undefined) {
    deepEqual(texts(forward).slice(0, expected.length), expected);
    deepEqual(texts(backward.toReversed()), texts(forward));
    const state = forward.reduce(reduce, emptyThreadState);
    describeState(state);
    await Array.fromAsync(rebuildRequests(forward, () => responsesEncoder()));
  }
  const opened = await openThread(store, id).catch(asFault);
  if (opened.kind !== 'resumed') return 'refused';
  if (inOrder(forward ?? [])) {
    const { readTail: _once, ...twice } = store;
    deepEqual(opened.state, (await loadThreadState(twice, id)).state);
    figures.compared++;
  }
  describeState(opened.state);
  lastSettings(opened.state);
  deadTurnNotice(id, opened.state);
  waitingNotice(id, opened.state);
  await opened.owned.close();
  // Lines that were mended come after the intact ones.
  const mended = await allOf(() => store.read(id, { from: 0 as Ordinal }));
  deepEqual(texts(mended ?? []).slice(0, expected.length), expected);
  return 'resumed';
}

/** True if each line with an ordinal comes after those with smaller ones: readers may rely on that. */
function inOrder(lines: readonly Line[]): boolean {
  const ordinals = lines.flatMap(({ ordinal }) => (ordinal === undefined ? [] : [ordinal]));
  return ordinals.every((ordinal, index) => index === 0 || ordinal > ordinals[index - 1]!);
}

/** Another turn: what the file adds up to must be good enough for a request. */
async function goOn(disk: SimulatedDisk, id: ThreadId, modelUrl: string): Promise<void> {
  const thread = new WatchedThread(modelUrl, { home, files: disk, locks: disk.locks }, id);
  thread.idStart = 5000;
  const end = await (await thread.open()).run({ input: words('go on'), signal: new AbortController().signal });
  deepEqual(end, { kind: 'completed', lastMessage: 'Fine.' });
  await thread.close();
}

/** The lines, or undefined where the history is refused with a reason. Anything else that is thrown is a crash. */
async function allOf(lines: () => AsyncIterable<Line>): Promise<readonly Line[] | undefined> {
  try {
    return await Array.fromAsync(lines());
  } catch (error) {
    asFault(error);
    return undefined;
  }
}

function asFault(error: unknown): { readonly kind: 'fault' } {
  if (error instanceof Fault) return { kind: 'fault' };
  throw error;
}

/** The text of an intact line: the same few lines are in every file. */
function textOf(line: Buffer): string {
  const text = known.get(line) ?? JSON.stringify(decodeLine(line));
  known.set(line, text);
  return text;
}

const known = new WeakMap<Buffer, string>();

function texts(lines: readonly Line[]): readonly string[] {
  return lines.map((line) => JSON.stringify(line));
}
