import { expect } from 'vitest';
import type { Settings } from '../../src/core/envelope/settings.ts';
import type { WireFormat } from '../../src/adapters/model/http/http-client.ts';
import type { Ordinal } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { type LineDraft, lineType } from '../../src/protocol/line.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { describeState } from '../harness/describe-state.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { pinAddedLine, pinRemovedLine } from '../../src/core/state/fold/pinned-notes.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { type ScriptedUsage, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import type { ThreadParts } from '../../src/engine/thread/thread-parts.ts';
import type { Thread } from '../../src/engine/thread/thread.ts';
import type { Item } from '../../src/protocol/item.ts';
import { continuedTurnInput } from '../../src/core/fragments/events/turns-and-goals.ts';
import { type UserInput, words } from '../../src/protocol/user-input.ts';
import { type Disk, WatchedThread } from '../harness/watched-thread.ts';
import { changeTo } from '../harness/world.ts';
import { isUsers, rewriteFor } from '../harness/world-rewrite.ts';
import { checkCalls } from './calls-law.ts';
import { HooksOfWorld } from './decided-hooks.ts';
import { checkPins } from './pins-law.ts';
import { checkAnswers, decidedUser } from './answers-law.ts';
import { checkPrefixes, checkRebuilt } from './prefix-law.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { AskedCompaction, compactionEnds } from './asked-compaction.ts';
import { compactionStepFor } from './compaction-step.ts';
import { stepFor } from './model-step.ts';
import type { Between, CompactionAnswer, Meanwhile, ModelStep, RandomTurn } from './random-turns.ts';
import { checkRecorded, RecordedLaw } from './recorded-law.ts';
import { UpdateLaw } from './update-law.ts';
import { checkTurns } from './turns-law.ts';
import { AcceptedMessages } from './waiting-law.ts';

/** Counts of what was met, so that an empty run is not taken for a good one. */
export interface Seen extends Readonly<UpdateLaw['seen']> {
  /** Checkpoints. */
  readonly installed: number;
  /** Compactions that came to nothing, or were interrupted. */
  readonly failed: number;
  /** Compactions that ended with their process. */
  readonly lost: number;
  /** Messages that a process left waiting. */
  readonly left: number;
  /** Answers of the user. */
  readonly answered: number;
  /** Hooks that ran. */
  readonly hooked: number;
  /** Turns that were continued because they waited for an answer, or had not used one. */
  readonly continued: number;
  /** Turns that another model continued. */
  readonly passedOn: number;
  /** Requests of which only what was new was sent. */
  readonly incremental: number;
}

/** A wire format whose requests the laws about the texts of a request cannot read: it has rules of its own instead. */
export interface OtherFormat {
  readonly wire: WireFormat;
  /** The rules that a request breaks. */
  broken(body: JsonObject): readonly string[];
}

/** Plays the turns and holds the laws against what happened. */
export async function playAndCheck(turns: readonly RandomTurn[], how?: OtherFormat | 'over-socket'): Promise<Seen> {
  const other = typeof how === 'object' ? how : undefined;
  const queue: ModelStep[] = [];
  const checkpointAnswers: CompactionAnswer[] = [];
  const compactions = new AskedCompaction();
  const accepted = new AcceptedMessages();
  let left = 0;
  let usage: ScriptedUsage = {};
  const problems: unknown[] = [];
  let interrupt = new AbortController();
  const update = new UpdateLaw();
  const model = await startScriptedModel(async (request) => {
    if (isCompaction(request)) {
      await played.atCompaction();
      return compactionStepFor(checkpointAnswers.shift(), request, thread, () => interrupt.abort());
    }
    const step = queue.shift();
    try {
      if (other === undefined) update.posted(request.body, hooks.session);
      if (step !== undefined) {
        void doMeanwhile(thread, step.meanwhile, accepted, () => compactions.ask(thread.live, interrupt.signal));
      }
    } catch (error) {
      problems.push(error);
    }
    return stepFor(step, usage, () => interrupt.abort());
  });
  let disk = new SimulatedDisk();
  const thread = new WatchedThread(model.url, placed(disk));
  thread.isSocket = how === 'over-socket';
  const recorded = new RecordedLaw();
  thread.onOpen = (live, lines) => recorded.opened(live, lines);
  if (other === undefined) thread.onStep = (step) => update.entered(step, hooks.session);
  else thread.format = other.wire;
  const hooks = new HooksOfWorld(() => thread.world.session);
  let isPassedOn = false;
  thread.adapt = (parts) => {
    hooks.session = undefined;
    // The process that would have passed it on may be gone.
    isPassedOn = false;
    const asked = { ...parts, askUser: decidedUser };
    const own = thread.world.hooks ? { ...asked, hooks: hooks.open(parts) } : asked;
    return withFallback(own, thread.world.fallback);
  };
  thread.onEvent = (event) => {
    if (event.kind === 'checkpoint-installed') update.compacted(event.report.phase);
    // A checkpoint in a turn of its own has no words.
    const isBegun = event.kind === 'turn-started' && event.turnId === thread.live?.turnId;
    if (isBegun && !played.isContinuing) accepted.promise(isPassedOn ? continuing : played.input);
    if (event.kind === 'turn-started') isPassedOn = false;
    if (event.kind === 'turn-failed') isPassedOn = event.continuedBy !== undefined;
  };
  let played: Played = {
    signal: interrupt.signal,
    compactions,
    accepted,
    input: words(''),
    isContinuing: false,
    continued: 0,
    atCompaction: async () => {},
  };
  try {
    for (const turn of turns) {
      queue.splice(0, queue.length, ...turn.steps);
      checkpointAnswers.splice(0, checkpointAnswers.length, ...turn.checkpointAnswers);
      usage = turn.counted ? {} : 'none';
      interrupt = new AbortController();
      thread.world = { ...thread.world, ...turn.world };
      const before = await checkpointsIn(thread);
      const from = thread.events.length;
      played = { ...played, signal: interrupt.signal, input: inputOf(turn), isContinuing: false };
      disk = await playTurn(thread, disk, turn, played);
      // Work that frees space after the turn goes undisturbed.
      played.atCompaction = async () => {};
      // A process may die after a checkpoint is on the disk and before a listener hears of it.
      if (turn.accident !== 'none' && (await checkpointsIn(thread)) > before) update.lost();
      if (problems.length > 0) throw problems[0];
      left += (await checkRefold(thread, accepted)) && turn.accident !== 'none' ? 1 : 0;
      if (turn.accident !== 'none' || turn.afterwards === 'stays') continue;
      if (turn.between.kind === 'nothing') await reopen(thread, turn.afterwards, thread.events.slice(from));
      else {
        const live = thread.live!;
        // Any compaction after the turn is over by then.
        await thread.close();
        await thread.write(linesBetween(live, turn.between));
        update.lost();
      }
    }
    // Durable before visible: no tool has an effect before its call is on the disk.
    expect(thread.early).toEqual([]);
    checkCalls(await thread.lines());
    checkAnswers(await thread.lines());
    await checkTurns(await thread.lines());
    await checkRecorded(recorded, thread.store, await thread.lines());
    await checkRebuilt(model, await thread.lines());
    if (other === undefined) await checkPrefixes(model, await thread.lines());
    expect(model.requests.flatMap(({ body }) => other?.broken(body) ?? [])).toEqual([]);
    const count = (kind: ThreadEvent['kind']): number => thread.events.filter((event) => event.kind === kind).length;
    const [started, installed] = [count('checkpoint-started'), count('checkpoint-installed')];
    const failed = count('checkpoint-failed');
    const [answered, { continued }] = [count('question-answered'), played];
    const isPassed = (event: ThreadEvent) => event.kind === 'turn-failed' && event.continuedBy !== undefined;
    const passedOn = thread.events.filter(isPassed).length;
    const { runs: hooked } = hooks;
    return {
      ...update.seen,
      installed,
      failed,
      lost: started - installed - failed,
      left,
      answered,
      hooked,
      continued,
      passedOn,
      incremental: model.frames.filter(({ kind }) => kind === 'incremental').length,
    };
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
      return [
        between.text === undefined ? pinRemovedLine(between.id) : pinAddedLine({ id: between.id, text: between.text }),
      ];
  }
}

/** Another process goes on with the thread. With the thread's own settings it has all that the thread had. */
async function reopen(
  thread: WatchedThread,
  openedWith: 'world' | 'thread',
  ofTurn: readonly ThreadEvent[],
): Promise<void> {
  const live = thread.live;
  // All that was asked for while the turn ran is done by then.
  await thread.close();
  const had = wasRefused(ofTurn) ? undefined : live?.settings;
  const { settings } = await thread.open(openedWith);
  if (openedWith === 'thread' && had !== undefined) expect(remembered(settings)).toEqual(remembered(had));
}

/** True if the turn could not begin: nothing of it is recorded, and so no setting that the thread was opened with. */
function wasRefused(events: readonly ThreadEvent[]): boolean {
  return events.some((event) => event.kind === 'turn-failed' && event.outcome.code === 'prompt-too-long');
}

/** The settings that a thread remembers. */
function remembered(settings: Settings): Partial<Settings> {
  const { model, provider, effort, cwd, approvals: approval, sandbox: profile, personality, realtime } = settings;
  const { approvedPrefixes = [], networkRules = [], collaboration = { mode: 'default' } } = settings;
  return {
    ...(personality === undefined ? {} : { personality }),
    ...(effort === undefined ? {} : { effort }),
    model,
    provider,
    cwd,
    approvals: approval,
    sandbox: profile,
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
  played: Played,
): Promise<SimulatedDisk> {
  const { compactions, accepted } = played;
  accepted.alive = true;
  let survivor: SimulatedDisk | undefined;
  /** The end of the turn, unless the accident came before it. */
  let [end, endBefore]: unknown[] = [];
  const crash = (): void => {
    if (survivor !== undefined) return;
    survivor = disk.crash(({ most }) => Math.round((most * turn.luck) / 100));
    endBefore = end;
    accepted.alive = false;
  };
  const kill = (): void => {
    if (survivor !== undefined) return;
    survivor = disk.kill();
    endBefore = end;
    accepted.alive = false;
  };
  let syncs = 0;
  if (turn.accident === 'crash-at-sync') {
    disk.slow = async () => {
      if (syncs++ === turn.at) crash();
    };
  }
  let commands = 0;
  thread.onCommand = () => {
    if (turn.accident === 'kill-at-command' && commands++ === turn.at % 2) kill();
  };
  let asked = 0;
  played.atCompaction = async () => {
    if (asked === 0) await doMeanwhile(thread, turn.atCompaction, accepted, () => {});
    if (turn.accident === 'kill-at-compaction' && asked === turn.at % 2) kill();
    asked++;
  };
  const before = thread.acknowledged.length;
  end = await runTurn(thread, turn, played).catch((fault: unknown) => fault);
  const ended = await compactions.ends();
  if (survivor === undefined) {
    expect(end).toMatchObject({ kind: turnEnds });
    expect(thread.acknowledged.length).toBeGreaterThan(before);
    for (const each of ended) expect(each).toMatchObject({ value: { kind: compactionEnds } });
    disk.slow = undefined;
    if (turn.accident !== 'none') await thread.close();
    return disk;
  }
  // A turn that had ended stays so; what compacts history after it may be lost.
  expect(end).toMatchObject(endBefore === undefined ? { name: 'Fault' } : { kind: turnEnds });
  thread.replaceDisk(placed(survivor));
  return survivor;
}

async function runTurn(thread: WatchedThread, turn: RandomTurn, played: Played) {
  const { signal, compactions, accepted, input } = played;
  const isOpen = thread.live !== undefined;
  const live = await thread.open();
  if (live.isSuspended && turn.at % 3 > 0) await continueTurn(live, played);
  if (isOpen) expect(await live.overrideTurnContext(changeTo(thread.world))).toMatchObject({ kind: 'changed' });
  for (const item of turn.injected) accepted.ask(item, live.inject(item));
  accepted.submit(input);
  // A turn that fails for want of quota is followed by another one, with words of the program.
  accepted.submit(continuing);
  // The caller need not wait for it: the turn comes after it.
  if (turn.compactions.includes('before')) compactions.ask(live, signal);
  const end = await live.run({ input, signal });
  if (turn.compactions.includes('after')) compactions.ask(live, signal);
  return end;
}

/** The turn that a process left waiting goes on, under the world of now, before the next one. */
async function continueTurn(live: Thread, played: Played): Promise<void> {
  played.isContinuing = true;
  const end = await live.continue({ signal: played.signal });
  played.isContinuing = false;
  played.continued += 1;
  expect(end).toMatchObject(end.kind === 'refused' ? { outcome: { code: 'policy-changed' } } : { kind: turnEnds });
}

interface Played {
  readonly signal: AbortSignal;
  readonly compactions: AskedCompaction;
  readonly accepted: AcceptedMessages;
  /** The input of the turn. */
  readonly input: UserInput;
  /** A turn that waited for an answer goes on. */
  isContinuing: boolean;
  continued: number;
  /** Before the model answers that it is asked for a checkpoint. */
  atCompaction: () => Promise<void>;
}

const continuing = continuedTurnInput('other-model');

/** The parts with another model, as the engine has them for a model of the same provider. */
function withFallback(parts: ThreadParts, model: string | undefined): ThreadParts {
  if (model === undefined) return parts;
  return {
    ...parts,
    fallback: async ({ effort: _effort, ...settings }) =>
      settings.model === model ? undefined : { settings: { ...settings, model }, parts },
  };
}

function inputOf(turn: RandomTurn): UserInput {
  const images = turn.picture ? [{ path: 'dot.png', dataUrl: 'data:image/png;base64,AAAA' }] : [];
  return { ...words(turn.words), images };
}

const turnEnds = expect.stringMatching(/^(completed|failed|aborted)$/) as unknown;

/** Resolves when the thread has answered whether it takes the messages. */
async function doMeanwhile(
  thread: WatchedThread,
  { steer, inject, world, compact }: Meanwhile,
  accepted: AcceptedMessages,
  askCompaction: () => void,
): Promise<void> {
  const live: Thread | undefined = thread.live;
  if (live === undefined) return;
  if (compact === true) askCompaction();
  const answers: Promise<{ readonly kind: string }>[] = [];
  const ask = (content: UserInput | Item, answer: Promise<{ readonly kind: string }>): void => {
    accepted.ask(content, answer);
    answers.push(answer);
  };
  if (steer !== undefined) ask(words(steer), live.steer({ input: words(steer) }));
  if (inject !== undefined) ask(inject, live.inject(inject));
  if (world !== undefined) {
    thread.world = { ...thread.world, ...world };
    // A lost disk ends the turn too, and is seen there.
    live.overrideTurnContext(changeTo(thread.world)).catch(() => {});
  }
  await Promise.allSettled(answers);
}

/**
 * Law: the state after a refold is the state that the live process had acknowledged, and a fold that begins at the newest
 * checkpoint gives the same. Whether a message waits in it.
 */
async function checkRefold(thread: WatchedThread, messages: AcceptedMessages): Promise<boolean> {
  // History may be compacted meanwhile, so that the file grows.
  const acknowledged = Map.groupBy(thread.acknowledged, ({ lines }) => lines);
  const lines = await thread.lines();
  let state = emptyThreadState;
  for (let count = 0; ; count++) {
    // A description costs more than a step of the fold.
    const promised = acknowledged.get(count);
    const folded = promised && describeState(state);
    for (const each of promised ?? []) expect(folded).toBe(each.state);
    acknowledged.delete(count);
    if (count === lines.length) break;
    state = reduce(state, lines[count]!);
  }
  expect([...acknowledged.keys()], 'acknowledged, and not in the file').toEqual([]);
  checkPins(lines, state);
  messages.check(lines, state);
  const last = lines.at(-1)?.ordinal;
  if (last !== undefined) expect(describeState(await thread.located((last + 1) as Ordinal))).toBe(describeState(state));
  return state.waiting.length > 0;
}

function placed(disk: SimulatedDisk): Disk {
  return { home: '/home', files: disk, locks: disk.locks };
}
