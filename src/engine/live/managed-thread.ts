import { notPlain, plainCopy } from '../../base/objects.ts';
import {
  abortSignalOption,
  stringOption,
  booleanOption,
  functionOption,
  validateOptions,
  uncheckedOption,
  wholeNumberOption,
} from '../../core/envelope/read-options.ts';
import type { OptionReaders } from '../../core/envelope/read-options.ts';
import { parseSettingsChange, type SettingsChange } from '../../core/envelope/read-settings-change.ts';
import { continuedTurnInput } from '../../core/fragments/events/turns-and-goals.ts';
import type { Ordinal, ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Answer } from '../../protocol/question.ts';
import type { FilesChangedInSideConversation, RestoredFiles } from '../../protocol/turn-item.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import { type Answered, type InjectOptions, validateSteering, type Steering } from '../thread/client-input.ts';
import { anyObject, notPlainData, settingsNotAllowedHere, turnOptions, withValidMessage } from '../thread/read-turn.ts';
import type { Thread } from '../thread/thread.ts';
import type { TurnResult } from '../thread/turn/settle-turn.ts';
import type { UserShell } from '../thread/user-shell.ts';
import type { FollowOptions, LiveCompaction, LiveNews, LiveThread, LiveTurn } from './live-thread-types.ts';
import { threadClosedRefusal, ThreadLoader, type ThreadManager } from './thread-loader.ts';
import { suspendedAnswerRefusal } from './thread-gate.ts';

interface ForgettingKeeper extends ThreadManager {
  /** Makes the engine forget the thread after `end`. Threads that only this thread can reach end as well. */
  forget(end: () => Promise<void>): Promise<void>;
}

const liveTurnOptions = {
  ...turnOptions,
  // The thread checks the members with the turn, as it does for every change.
  change: { type: anyObject<SettingsChange>('an object with settings to change') },
} as const satisfies OptionReaders<LiveTurn>;

const changeHint = 'Give settings as change, or change them with override().';
const settingsAsChange = { ...settingsNotAllowedHere, next: changeHint };
const signalOnly = { signal: turnOptions.signal };

const liveCompactionOptions = {
  focus: { type: stringOption },
  signal: { type: abortSignalOption },
} as const satisfies OptionReaders<LiveCompaction>;

const followOptions = {
  after: { type: uncheckedOption('a place') },
  caughtUp: { type: functionOption() },
  provisional: { type: booleanOption },
  limit: { type: wholeNumberOption },
  signal: { type: abortSignalOption },
} as const satisfies OptionReaders<FollowOptions>;

async function* endedAtOnce(outcome: Outcome): AsyncGenerator<LiveNews, void> {
  yield { kind: 'ended', outcome };
}

/** See `LiveThread`: clients' calls on one thread, which the loader loads if it must. */
export class ManagedThread implements LiveThread {
  readonly kind = 'live';
  readonly id: ThreadId;
  readonly #loader: ThreadLoader;
  readonly #work = new LiveWork();
  readonly #forget: ForgettingKeeper['forget'];

  constructor(id: ThreadId, keeper: ForgettingKeeper) {
    this.id = id;
    this.#forget = keeper.forget;
    this.#loader = new ThreadLoader(id, keeper, {
      turnBegan: (turnId) => this.#work.begun(turnId),
      isIdle: () => this.#work.isEmpty,
    });
  }

  /** A getter: a client that copies the thread or writes it as JSON does not get the loader. */
  get loader(): ThreadLoader {
    return this.#loader;
  }
  get notices() {
    return this.loader.opening.notices;
  }
  get profileName() {
    return this.loader.opening.profileName;
  }
  get restored() {
    return this.loader.opening.restored;
  }
  get settings() {
    return this.loader.now.settings;
  }
  get takesPictures() {
    return this.loader.now.takesPictures;
  }
  get waiting() {
    return this.loader.thread?.waiting ?? [];
  }
  get turnId() {
    return this.loader.thread?.turnId;
  }
  get turnSettings() {
    return this.loader.thread?.turnSettings;
  }
  get standIn() {
    return this.loader.thread?.standIn;
  }
  get questions() {
    return this.loader.now.questions;
  }
  get sessions() {
    return this.loader.thread?.sessions ?? [];
  }
  get isSuspended() {
    return this.loader.now.isSuspended;
  }
  get place() {
    const { place } = this.loader.hub;
    return place < 0 ? undefined : (place as Ordinal);
  }
  get cursor() {
    return this.loader.hub.cursor;
  }
  get cost() {
    return this.loader.cost;
  }
  usage() {
    return this.loader.now.usage;
  }

  async submit(submitted: LiveTurn): Promise<TurnResult | EngineRefused> {
    // Read now: the thread may have to be loaded first.
    const read = validateOptions<LiveTurn>(submitted, liveTurnOptions, 'submit()', settingsAsChange);
    if ('code' in read) return { kind: 'failed', outcome: read };
    const own = withValidMessage(read);
    if ('code' in own) return { kind: 'failed', outcome: own };
    const change = own.change && parseSettingsChange(own.change);
    if (change !== undefined && 'code' in change) return { kind: 'failed', outcome: change };
    const { change: _given, signal: _all, ...turn } = own;
    return this.#use(async (thread, work): Promise<TurnResult | EngineRefused> => {
      // Cancelled while the thread was loading, so it was never sent.
      if (work.signal.aborted) return { kind: 'aborted', isWithdrawn: true };
      const asked = { ...turn, signal: work.handOver() };
      return change === undefined ? thread.run(asked) : thread.runWith(change, asked);
    }, read.signal);
  }

  /** Submits work that the thread runs in the order of `handOver`, once it is loaded. */
  #use<Result extends Ended>(run: (thread: Thread, work: SubmittedWork) => Promise<Result>, signal?: AbortSignal) {
    return this.#work.add((work) => this.loader.use((thread) => run(thread, work)), signal);
  }

  async continue(asked: Pick<LiveTurn, 'signal'> = {}): Promise<TurnResult | EngineRefused> {
    const read = validateOptions<Pick<LiveTurn, 'signal'>>(asked, signalOnly, 'continue()');
    if ('code' in read) return { kind: 'failed', outcome: read };
    return this.#use((thread, work) => thread.continue({ signal: work.handOver() }), read.signal);
  }

  async retry(asked: Pick<LiveTurn, 'signal'> = {}): Promise<TurnResult | EngineRefused> {
    const read = validateOptions<Pick<LiveTurn, 'signal'>>(asked, signalOnly, 'retry()');
    if ('code' in read) return { kind: 'failed', outcome: read };
    return this.submit({ ...read, input: continuedTurnInput('after-failure') });
  }

  async steer(steering: Steering) {
    const read = validateSteering(steering);
    return 'code' in read ? engineRefused(read) : this.loader.use((thread) => thread.steer(read));
  }

  async withdraw(messageIds: readonly string[]): Promise<readonly string[]> {
    const taken = await this.loader.use((thread) => thread.withdraw(messageIds));
    return 'outcome' in taken ? [] : taken;
  }

  async inject(item: Item, options?: InjectOptions) {
    const copy = plainCopy(item);
    if (copy === notPlain) return engineRefused(notPlainData('The item'));
    return this.loader.use((thread) => thread.inject(copy, options));
  }

  tellChangedBeside(files: FilesChangedInSideConversation) {
    return this.loader.use((thread) => thread.tellChangedBeside(files));
  }

  tellPutBack(files: RestoredFiles) {
    return this.loader.use((thread) => thread.tellPutBack(files));
  }

  async interrupt(reason: unknown = interruptedByUser): ReturnType<LiveThread['interrupt']> {
    // An automatic compaction, which no client submitted, is ended alone: work that waits for it stays.
    const itself = this.loader.thread?.isCompactingItself === true ? this.loader.thread : undefined;
    if (itself === undefined && this.#work.isEmpty && this.isSuspended) return this.#endSuspended(reason);
    const turnId = await (itself === undefined ? this.#work.interrupt(reason) : itself.stopCompactingItself());
    // Agents may continue to work after the turn that started them.
    await this.loader.thread?.agents?.stop(reason);
    return turnId === undefined ? { kind: 'idle' } : { kind: 'interrupted', turnId };
  }

  /** Ends the suspended turn as a running one would end; its questions lapse. */
  async #endSuspended(reason: unknown): ReturnType<LiveThread['interrupt']> {
    let turnId: TurnId | undefined;
    const ended = await this.#use((thread, work) => {
      turnId = thread.state.openTurn?.id;
      work.handOver();
      return thread.continue({ signal: AbortSignal.abort(reason) });
    });
    return ended.kind === 'aborted' && turnId !== undefined ? { kind: 'interrupted', turnId } : { kind: 'idle' };
  }

  async override(change: SettingsChange) {
    const read = parseSettingsChange(change);
    return 'code' in read ? engineRefused(read) : this.loader.use((thread) => thread.overrideTurnContext(read));
  }

  async compact(given: LiveCompaction = {}) {
    const read = validateOptions<LiveCompaction>(given, liveCompactionOptions, 'compact()');
    if ('code' in read) return engineRefused(read);
    return this.#use((thread, work) => thread.compact({ ...read, signal: work.handOver() }), read.signal);
  }

  shell(asked: UserShell) {
    return this.loader.use((thread) => thread.shell(asked));
  }

  /** A thread that is given up has no sessions. */
  async endSessions(ids: readonly number[]): Promise<void> {
    await this.loader.thread?.endSessions(ids);
  }

  answer(questionId: string, answer: Answer): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    // The answer may become a turn: it keeps the place of this call among the submitted work.
    const over = this.#use(async (thread, work): Promise<Answered | TurnResult> => {
      const isAsked = thread.questions.some(({ id }) => id === questionId);
      if (!isAsked || !thread.isSuspended || thread.isBusy) return thread.answer(questionId, answer);
      const continued = thread.continue({ signal: work.handOver() });
      resolve(thread.answer(questionId, answer).then((given) => suspendedAnswerRefusal(thread, given, continued)));
      return continued;
    });
    const settle = (result: Awaited<typeof over>): void =>
      result.kind === 'answered' || result.kind === 'refused' ? resolve(result) : undefined;
    over.then(settle, reject);
    return promise;
  }

  async leave(): Promise<void> {
    if (this.loader.isKept) return this.loader.giveUp();
    // It could not be loaded again.
    while (!this.#work.isEmpty) await this.interrupt();
    await this.endSessions(this.sessions.map(({ id }) => id));
  }

  follow(options: FollowOptions = {}): AsyncIterableIterator<LiveNews> {
    const read = validateOptions<FollowOptions>(options, followOptions, 'follow()');
    return 'code' in read ? endedAtOnce(read) : this.loader.hub.follow(read);
  }

  /** True if a turn or a compaction runs or waits for its place. */
  get isBusy(): boolean {
    return !this.#work.isEmpty || this.loader.isBusy;
  }

  async close(): Promise<void> {
    await this.#forget(() => this.loader.end(threadClosedRefusal(this.id, this.loader)));
  }
}

interface SubmittedWork {
  readonly signal: AbortSignal;
  /** Call it when the thread gets the work, with the returned signal: the thread runs work in this order. */
  handOver(): AbortSignal;
}

type Ended = { readonly kind: string };

interface KnownWork {
  readonly stopping: AbortController;
  /** Settles when it is over, with whether it was aborted. */
  over: Promise<boolean>;
  turnId: TurnId | undefined;
}

const interruptedByUser = 'interrupted by the user';

class LiveWork {
  /** In the order of the calls; some still wait for the thread. */
  readonly #all = new Set<KnownWork>();
  /** In the order in which the thread runs them. */
  readonly #given = new Set<KnownWork>();

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  add<Result extends Ended>(run: (work: SubmittedWork) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const stopping = new AbortController();
    const known: KnownWork = { stopping, over: Promise.resolve(false), turnId: undefined };
    this.#all.add(known);
    const stop = (): void => stopping.abort(signal?.reason);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop);
    const handOver = (): AbortSignal => {
      this.#given.add(known);
      return stopping.signal;
    };
    const result = run({ signal: stopping.signal, handOver });
    const isOver = (ended?: Result): boolean => {
      signal?.removeEventListener('abort', stop);
      this.#all.delete(known);
      this.#given.delete(known);
      return ended?.kind === 'aborted';
    };
    known.over = result.then(isOver, () => isOver());
    return result;
  }

  begun(turnId: TurnId): void {
    const [first] = this.#given;
    if (first !== undefined) first.turnId = turnId;
  }

  /** Ends the running work, or the first to run. Resolves when it is over, with its turn if it became one. */
  async interrupt(reason: unknown): Promise<TurnId | undefined> {
    const [first] = this.#given.size > 0 ? this.#given : this.#all;
    first?.stopping.abort(reason);
    return (await first?.over) === true ? first?.turnId : undefined;
  }
}
