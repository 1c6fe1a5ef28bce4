import { expect } from 'vitest';
import type { Settings } from '../../src/envelope/settings.ts';
import type { Ordinal } from '../../src/protocol/ids.ts';
import { type LineDraft, lineType } from '../../src/protocol/line.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { describeState } from '../harness/describe-state.ts';
import { reduce } from '../../src/state/reduce.ts';
import { pinAdded, pinRemoved } from '../../src/state/pins.ts';
import { emptyState } from '../../src/state/thread-state.ts';
import { type ScriptedUsage, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import type { Thread } from '../../src/thread/thread.ts';
import { words } from '../../src/protocol/user-input.ts';
import { type Disk, WatchedThread } from '../harness/watched-thread.ts';
import { changeTo } from '../harness/world.ts';
import { isUsers, rewriteFor } from '../harness/world-rewrite.ts';
import { checkCalls } from './calls-law.ts';
import { checkPins } from './pins-law.ts';
import { checkPrefixes, checkRebuilt } from './prefix-law.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { AskedFolds, foldEnds } from './asked-folds.ts';
import { foldStepFor } from './fold-step.ts';
import { stepFor } from './model-step.ts';
import type { Between, FoldAnswer, Meanwhile, ModelStep, RandomTurn } from './random-turns.ts';
import { TellingLaw } from './telling-law.ts';

/** What was met, so that nobody takes an empty run for a good one. */
export interface Seen extends Readonly<TellingLaw['seen']> {
  /** Checkpoints. */
  readonly installed: number;
  /** Folds that came to nothing, or were interrupted. */
  readonly failed: number;
  /** Folds that ended with their process. */
  readonly lost: number;
}

/** Plays the turns and holds the laws against what happened. */
export async function playAndCheck(turns: readonly RandomTurn[]): Promise<Seen> {
  const queue: ModelStep[] = [];
  const foldAnswers: FoldAnswer[] = [];
  const folds = new AskedFolds();
  let usage: ScriptedUsage = {};
  const problems: unknown[] = [];
  let interrupt = new AbortController();
  const telling = new TellingLaw();
  const model = await startScriptedModel((request) => {
    if (isCompaction(request)) return foldStepFor(foldAnswers.shift(), request, thread, () => interrupt.abort());
    const step = queue.shift();
    try {
      telling.posted(request.body);
      if (step !== undefined) doMeanwhile(thread, step.meanwhile, () => folds.ask(thread.live, interrupt.signal));
    } catch (error) {
      problems.push(error);
    }
    return stepFor(step, usage, () => interrupt.abort());
  });
  let disk = new SimulatedDisk();
  const thread = new WatchedThread(model.url, placed(disk));
  thread.onStep = (step) => telling.entered(step);
  thread.onEvent = (event) => {
    if (event.kind === 'checkpoint-installed') telling.folded(event.report.phase);
  };
  try {
    for (const turn of turns) {
      queue.splice(0, queue.length, ...turn.steps);
      foldAnswers.splice(0, foldAnswers.length, ...turn.foldAnswers);
      usage = turn.counted ? {} : 'none';
      interrupt = new AbortController();
      thread.world = { ...thread.world, ...turn.world };
      const before = await checkpointsIn(thread);
      const from = thread.events.length;
      disk = await playTurn(thread, disk, turn, { signal: interrupt.signal, folds });
      // A process may die after a checkpoint is on the disk and before anybody hears of it.
      if (turn.accident !== 'none' && (await checkpointsIn(thread)) > before) telling.lost();
      if (problems.length > 0) throw problems[0];
      await checkRefold(thread);
      if (turn.accident !== 'none' || turn.afterwards === 'stays') continue;
      if (turn.between.kind === 'nothing') await reopen(thread, turn.afterwards, thread.events.slice(from));
      else {
        const live = thread.live!;
        // What folds history after the turn is over by then.
        await thread.close();
        await thread.write(linesBetween(live, turn.between));
        telling.lost();
      }
    }
    // Durable before visible: no tool has an effect before its call is on the disk.
    expect(thread.early).toEqual([]);
    checkCalls(await thread.lines());
    await checkRebuilt(model, await thread.lines());
    await checkPrefixes(model, await thread.lines());
    const count = (kind: ThreadEvent['kind']): number => thread.events.filter((event) => event.kind === kind).length;
    const [started, installed] = [count('checkpoint-started'), count('checkpoint-installed')];
    const failed = count('checkpoint-failed');
    return { ...telling.seen, installed, failed, lost: started - installed - failed };
  } finally {
    await thread.close().catch(() => {});
    await model.close();
  }
}

async function checkpointsIn(thread: WatchedThread): Promise<number> {
  return (await thread.lines()).filter(({ type }) => type === lineType.compacted).length;
}

function linesBetween(
  { state, settings }: Thread,
  between: Exclude<Between, { kind: 'nothing' }>,
): readonly LineDraft[] {
  switch (between.kind) {
    case 'forgets':
      return [{ type: lineType.worldState, payload: { full: false, state: between.state } }];
    case 'rewrites':
      return [rewriteFor(settings.model, state, between.keeps === 'words' ? isUsers : () => true)];
    case 'rolls-back':
      return [{ type: lineType.event, payload: { type: 'thread_rolled_back', num_turns: between.turns } }];
    case 'pins':
      return [between.text === undefined ? pinRemoved(between.id) : pinAdded({ id: between.id, text: between.text })];
  }
}

/** Another process goes on with the thread. With the thread's own settings it has all that the thread had. */
async function reopen(
  thread: WatchedThread,
  openedWith: 'world' | 'thread',
  ofTurn: readonly ThreadEvent[],
): Promise<void> {
  const live = thread.live;
  // What was asked for while the turn ran is done by then.
  await thread.close();
  const had = wasRefused(ofTurn) ? undefined : live?.settings;
  const { settings } = await thread.open(openedWith);
  if (openedWith === 'thread' && had !== undefined) expect(remembered(settings)).toEqual(remembered(had));
}

/** Of a turn that could not begin nothing is recorded, and so nothing of what the thread was opened with. */
function wasRefused(events: readonly ThreadEvent[]): boolean {
  return events.some((event) => event.kind === 'turn-failed' && event.outcome.code === 'prompt-too-long');
}

/** What a thread remembers of its settings. */
function remembered(settings: Settings): Partial<Settings> {
  const { model, provider, effort, cwd, approval, profile, personality, realtime } = settings;
  const { approvedPrefixes = [], networkRules = [], collaboration = { mode: 'default' } } = settings;
  return {
    ...(personality === undefined ? {} : { personality }),
    ...(effort === undefined ? {} : { effort }),
    model,
    provider,
    cwd,
    approval,
    profile,
    approvedPrefixes,
    networkRules,
    collaboration,
    realtime: { active: realtime?.active ?? false },
  };
}

/** Runs the turn; after an accident the disk that the next process finds is in place. */
async function playTurn(
  thread: WatchedThread,
  disk: SimulatedDisk,
  turn: RandomTurn,
  { signal, folds }: Played,
): Promise<SimulatedDisk> {
  let survivor: SimulatedDisk | undefined;
  /** How the turn ended, unless the accident came before its end. */
  let [end, endBefore]: unknown[] = [];
  const crash = (): void => {
    if (survivor !== undefined) return;
    survivor = disk.crash(({ most }) => Math.round((most * turn.luck) / 100));
    endBefore = end;
  };
  let syncs = 0;
  if (turn.accident === 'crash-at-sync') {
    disk.slow = async () => {
      if (syncs++ === turn.at) crash();
    };
  }
  let commands = 0;
  thread.onCommand = () => {
    if (turn.accident === 'kill-at-command' && commands++ === turn.at % 2) survivor ??= disk.kill();
  };
  const before = thread.acknowledged.length;
  end = await runTurn(thread, turn, { signal, folds }).catch((fault: unknown) => fault);
  const folded = await folds.ends();
  if (survivor === undefined) {
    expect(end).toMatchObject({ kind: turnEnds });
    expect(thread.acknowledged.length).toBeGreaterThan(before);
    for (const each of folded) expect(each).toMatchObject({ value: { kind: foldEnds } });
    disk.slow = undefined;
    if (turn.accident !== 'none') await thread.close();
    return disk;
  }
  // A turn that had ended stays so; what folds history after it may be lost.
  expect(end).toMatchObject(endBefore === undefined ? { name: 'Fault' } : { kind: turnEnds });
  thread.replaceDisk(placed(survivor));
  return survivor;
}

async function runTurn(thread: WatchedThread, turn: RandomTurn, { signal, folds }: Played) {
  const isOpen = thread.live !== undefined;
  const live = await thread.open();
  if (isOpen) expect(await live.overrideTurnContext(changeTo(thread.world))).toMatchObject({ kind: 'changed' });
  for (const item of turn.injected) live.inject(item);
  const images = turn.picture ? [{ path: 'dot.png', dataUrl: 'data:image/png;base64,AAAA' }] : [];
  // Whoever asks for it need not wait: the turn comes after it.
  if (turn.folds.includes('before')) folds.ask(live, signal);
  const end = await live.run({ input: { ...words(turn.words), images }, signal });
  if (turn.folds.includes('after')) folds.ask(live, signal);
  return end;
}

interface Played {
  readonly signal: AbortSignal;
  readonly folds: AskedFolds;
}

const turnEnds = expect.stringMatching(/^(completed|failed|aborted)$/) as unknown;
function doMeanwhile(thread: WatchedThread, { steer, inject, world, fold }: Meanwhile, askFold: () => void): void {
  const live: Thread | undefined = thread.live;
  if (fold === true) askFold();
  if (steer !== undefined) live?.steer({ input: words(steer) });
  if (inject !== undefined) live?.inject(inject);
  if (world === undefined) return;
  thread.world = { ...thread.world, ...world };
  // A lost disk ends the turn too, and is seen there.
  live?.overrideTurnContext(changeTo(thread.world)).catch(() => {});
}

/**
 * Law: the state after a refold is the state that the live process had acknowledged, and a fold that begins at the newest
 * checkpoint gives the same.
 */
async function checkRefold(thread: WatchedThread): Promise<void> {
  // History may be folded meanwhile, so that the file grows.
  const acknowledged = [...thread.acknowledged];
  const lines = await thread.lines();
  let state = emptyState;
  const folded = [describeState(state), ...lines.map((line) => describeState((state = reduce(state, line))))];
  for (const { lines: count, state: promised } of acknowledged) expect(folded[count]).toBe(promised);
  checkPins(lines, state);
  const last = lines.at(-1)?.ordinal;
  if (last !== undefined) expect(describeState(await thread.located((last + 1) as Ordinal))).toBe(folded.at(-1));
}

function placed(disk: SimulatedDisk): Disk {
  return { home: '/home', files: disk, locks: disk.locks };
}
