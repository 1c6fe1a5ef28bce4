import { expect } from 'vitest';
import type { Settings } from '../../src/envelope/settings.ts';
import { type Line, type LineDraft, lineType } from '../../src/protocol/line.ts';
import { describeState } from '../../src/state/describe.ts';
import { reduce } from '../../src/state/reduce.ts';
import { pinAdded, pinRemoved } from '../../src/state/pins.ts';
import { emptyState } from '../../src/state/thread-state.ts';
import { answer, cutAfter, failed, hang, httpError, malformed, say, type Step } from '../../src/testing/index.ts';
import { startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import type { Thread } from '../../src/thread/thread.ts';
import { words } from '../../src/protocol/user-input.ts';
import { type Disk, WatchedThread } from '../harness/watched-thread.ts';
import { changeTo } from '../harness/world.ts';
import { isUsers, rewriteFor } from '../harness/world-rewrite.ts';
import { checkCalls } from './calls-law.ts';
import { checkPrefixes, checkRebuilt } from './prefix-law.ts';
import type { Between, Meanwhile, ModelStep, RandomTurn } from './random-turns.ts';
import { TellingLaw } from './telling-law.ts';

/** Plays the turns and holds the laws against what happened. */
export async function playAndCheck(turns: readonly RandomTurn[]): Promise<TellingLaw['seen']> {
  const queue: ModelStep[] = [];
  const problems: unknown[] = [];
  let interrupt = new AbortController();
  const telling = new TellingLaw();
  const model = await startScriptedModel((request) => {
    const step = queue.shift();
    try {
      telling.posted(request.body);
      if (step !== undefined) doMeanwhile(thread, step.meanwhile);
    } catch (error) {
      problems.push(error);
    }
    return stepFor(step, () => interrupt.abort());
  });
  let disk = new SimulatedDisk();
  const thread = new WatchedThread(model.url, placed(disk));
  thread.onStep = (step) => telling.entered(step);
  try {
    for (const turn of turns) {
      queue.splice(0, queue.length, ...turn.steps);
      interrupt = new AbortController();
      thread.world = { ...thread.world, ...turn.world };
      disk = await playTurn(thread, disk, turn, interrupt.signal);
      if (problems.length > 0) throw problems[0];
      checkRefold(thread, await thread.lines());
      if (turn.accident !== 'none' || turn.afterwards === 'stays') continue;
      if (turn.between.kind === 'nothing') await reopen(thread, turn.afterwards);
      else {
        await thread.write(linesBetween(thread.live!, turn.between));
        telling.lost();
      }
    }
    // Durable before visible: no tool has an effect before its call is on the disk.
    expect(thread.early).toEqual([]);
    checkCalls(await thread.lines());
    await checkRebuilt(model, await thread.lines());
    await checkPrefixes(model, await thread.lines());
    return telling.seen;
  } finally {
    await thread.close().catch(() => {});
    await model.close();
  }
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
async function reopen(thread: WatchedThread, openedWith: 'world' | 'thread'): Promise<void> {
  const had = thread.live?.settings;
  await thread.close();
  const { settings } = await thread.open(openedWith);
  if (openedWith === 'thread' && had !== undefined) expect(remembered(settings)).toEqual(remembered(had));
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
  signal: AbortSignal,
): Promise<SimulatedDisk> {
  let survivor: SimulatedDisk | undefined;
  const crash = (): void => {
    survivor ??= disk.crash(({ most }) => Math.round((most * turn.luck) / 100));
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
  const end = await runTurn(thread, turn, signal).catch((fault: unknown) => fault);
  if (survivor === undefined) {
    expect(end).toMatchObject({ kind: expect.stringMatching(/completed|failed|aborted/) });
    expect(thread.acknowledged.length).toBeGreaterThan(before);
    disk.slow = undefined;
    if (turn.accident !== 'none') await thread.close();
    return disk;
  }
  expect(end).toMatchObject({ name: 'Fault' });
  thread.replaceDisk(placed(survivor));
  return survivor;
}

async function runTurn(thread: WatchedThread, turn: RandomTurn, signal: AbortSignal) {
  const isOpen = thread.live !== undefined;
  const live = await thread.open();
  if (isOpen) expect(await live.overrideTurnContext(changeTo(thread.world))).toMatchObject({ kind: 'changed' });
  for (const item of turn.injected) live.inject(item);
  const images = turn.picture ? [{ path: 'dot.png', dataUrl: 'data:image/png;base64,AAAA' }] : [];
  return live.run({ input: { ...words(turn.words), images }, signal });
}

function doMeanwhile(thread: WatchedThread, { steer, inject, world }: Meanwhile): void {
  const live: Thread | undefined = thread.live;
  if (steer !== undefined) live?.steer({ input: words(steer) });
  if (inject !== undefined) live?.inject(inject);
  if (world === undefined) return;
  thread.world = { ...thread.world, ...world };
  // A lost disk ends the turn too, and is seen there.
  live?.overrideTurnContext(changeTo(thread.world)).catch(() => {});
}

/** Law: the state after a refold is the state that the live process had acknowledged. */
function checkRefold(thread: Pick<WatchedThread, 'acknowledged'>, lines: readonly Line[]): void {
  let state = emptyState;
  const folded = [describeState(state), ...lines.map((line) => describeState((state = reduce(state, line))))];
  for (const { lines: count, state: promised } of thread.acknowledged) expect(folded[count]).toBe(promised);
}

function placed(disk: SimulatedDisk): Disk {
  return { home: '/home', files: disk, locks: disk.locks };
}

function stepFor(step: ModelStep | undefined, interrupt: () => void): Step {
  if (step === undefined) return answer({ items: [say('Done.')] });
  const plain = answer({ items: step.items });
  switch (step.fault) {
    case 'none':
      return plain;
    case 'cut':
      return cutAfter({ bytes: 400, of: plain });
    case 'failed':
      return failed({ code: 'server_error', message: 'It broke.', items: step.items });
    case 'malformed':
      return malformed({ of: plain });
    case 'status':
      return httpError({ status: 400, body: { error: { message: 'no' } } });
    case 'interrupt':
      setTimeout(interrupt, 1);
      return hang({ afterBytes: 300, of: plain });
  }
}
