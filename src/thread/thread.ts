import type { Envelope } from '../envelope/envelope.ts';
import type { Settings } from '../envelope/settings.ts';
import { deepFreeze } from '../envelope/deep-freeze.ts';
import { modelNotices } from '../envelope/model-notices.ts';
import type { OpenRefused } from '../ports/rollout-store.ts';
import type { ThreadId, TurnId } from '../protocol/ids.ts';
import type { Item } from '../protocol/item.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { notPlain, plainCopy } from '../protocol/plain-copy.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import { restoredFields, restoredSettings } from '../state/restored-settings.ts';
import { emptyState, type ThreadState } from '../state/thread-state.ts';
import { waitingProblem } from '../state/waiting.ts';
import { settingsApplied } from '../state/turn-drafts.ts';
import type { CompactionResult, WantedCompaction } from './compaction-result.ts';
import { closed, closedBefore } from './closed-thread.ts';
import { Inbox, type SubmittedWords } from './inbox.ts';
import { isInput, itemProblem, notData, readTurn, type ThreadTurn } from './read-turn.ts';
import { ThreadLog } from './log.ts';
import type { ThreadParts, TurnInput } from './parts.ts';
import { previewEnvelope, settingsEvent } from './preview.ts';
import { recordInForce } from './record-settings.ts';
import { readBehind, type ResumedThread } from './resume.ts';
import { sessionMeta } from './session-meta.ts';
import type { TurnResult } from './settle.ts';
import { type RunningTurn, type Steered, type Steering, steeringFor } from './steering.ts';
import { EventStream, readEvents, type ThreadNews } from './event-stream.ts';
import { Subscribers, type ThreadSubscriber } from './subscribers.ts';
import { runTurn } from './turn.ts';
import { WorkQueue } from './work-queue.ts';

export interface ThreadOptions {
  readonly settings: Settings;
  /** The first subscriber: from the thread's start or resumption on, in order, and only what is durable. Must not throw. */
  readonly listener?: (event: ThreadEvent) => void;
  /**
   * A turn that leaves too little room for the next one is followed by a compaction, so that the next one need not
   * wait. True unless said otherwise; without it the next turn makes the room.
   */
  readonly foldsAfterTurns?: boolean;
}

export type { ThreadTurn } from './read-turn.ts';

/** What a compaction by hand shall keep in view, if anything. */
export interface CompactionRequest extends Pick<TurnInput, 'signal'> {
  readonly focus?: string;
}

type AskedFold = WantedCompaction & Pick<TurnInput, 'signal'>;

const manual = { trigger: 'manual', reason: 'user_requested', phase: 'standalone_turn' } as const;
const automatic = { trigger: 'auto', reason: 'context_limit', phase: 'post_turn' } as const;

/** Whether an item waits to enter history, and will after a crash, or why it does not. */
export type Injected = { readonly kind: 'injected' } | { readonly kind: 'refused'; readonly outcome: Outcome };

export type Overridden =
  /** `settings` are frozen, deeply. */
  { readonly kind: 'changed'; readonly settings: Settings; readonly changed: readonly string[] } | Refused;

interface Refused {
  readonly kind: 'refused';
  readonly outcome: Outcome;
}

/**
 * A conversation that this process may write. Turns and compactions run one after the other, in the order in which they
 * were submitted, each under the settings after the changes that were submitted before it and none after. After a Fault
 * the thread is of no more use: close it and open it again, which folds its state from the disk.
 */
export class Thread {
  readonly id: ThreadId;
  readonly #parts: ThreadParts;
  readonly #log: ThreadLog;
  readonly #inbox: Inbox;
  readonly #warned = new Set<string>();
  /** After the changes that were made so far. Frozen. */
  #settings: Settings;
  /** What they resolved to when they were made: what a line says about them. */
  #inForce: Envelope;
  /** After the changes that were submitted so far: what is submitted next runs under these. Never rejects. */
  #submitted: Promise<Settings>;
  readonly #work = new WorkQueue();
  #running: RunningTurn | undefined;
  readonly #foldsAfterTurns: boolean;
  /** Settles when the newest fold in a turn of its own is over. Never rejects. */
  #folding: Promise<unknown> = Promise.resolve();
  /** Settles when the turn that began last is over. Never rejects. */
  #turning: Promise<unknown> = Promise.resolve();
  readonly #closing = new AbortController();

  private constructor(
    id: ThreadId,
    parts: ThreadParts,
    log: ThreadLog,
    inForce: Envelope,
    { settings, foldsAfterTurns }: ThreadOptions,
  ) {
    this.id = id;
    this.#inForce = inForce;
    this.#parts = parts;
    this.#log = log;
    this.#inbox = new Inbox(log, parts.ids, () => recordInForce(log, this.id, this.#inForce));
    // No subscriber hears of a turn whose words could be lost.
    log.beforeDurable(() => this.#inbox.keep());
    this.#settings = deepFreeze(structuredClone(settings));
    this.#submitted = Promise.resolve(this.#settings);
    this.#foldsAfterTurns = foldsAfterTurns ?? true;
  }

  /** Begins a new thread. Its file appears with its first turn, or with what is accepted before it. */
  static async start(
    parts: ThreadParts,
    options: ThreadOptions,
    git: JsonObject | undefined,
  ): Promise<Thread | OpenRefused> {
    const { settings } = options;
    const id = parts.ids.uuid() as ThreadId;
    // Later than the call: the lock is being taken before anything is looked at.
    const envelope = Promise.resolve().then(() => previewEnvelope(parts, id, settings, emptyState));
    const meta = envelope.then((known) => sessionMeta({ id, windowId: parts.ids.uuid(), envelope: known, git }));
    const owned = await parts.store.create(id, meta);
    if (owned.kind === 'refused') return owned;
    const log = new ThreadLog(owned, emptyState, subscribersOf(options));
    const inForce = await envelope;
    log.tell({ kind: 'thread-started', threadId: id }, settingsEvent('started', inForce));
    return new Thread(id, parts, log, inForce, options);
  }

  /** Goes on with a thread that was folded from its file. */
  static async resume(
    parts: ThreadParts,
    { id, owned, state, takenFrom = { id } }: ResumedThread,
    options: ThreadOptions,
  ): Promise<Thread> {
    const { settings } = options;
    const envelope = await previewEnvelope(parts, id, settings, state);
    const subscribers = subscribersOf(options);
    subscribers.tell({ kind: 'thread-started', threadId: id });
    const restored = restoredFields(restoredSettings(state, settings));
    subscribers.tell({ ...settingsEvent('resumed', envelope), restored });
    const log = new ThreadLog(owned, state, subscribers, () => readBehind(parts.store, takenFrom));
    return new Thread(id, parts, log, envelope, options);
  }

  get state(): ThreadState {
    return this.#log.state;
  }

  /** What a turn that is submitted now starts from, once the changes before it are made. Frozen, deeply. */
  get settings(): Settings {
    return this.#settings;
  }

  /** Where its lines are kept, for people to read. */
  get location(): string {
    return this.#log.location;
  }

  /** The turn that runs, if one does. */
  get turnId(): TurnId | undefined {
    return this.#running?.turnId;
  }

  /** Follows the thread from now on, until the function that it gives is called. */
  subscribe(subscriber: ThreadSubscriber): () => void {
    return this.#log.subscribe(subscriber);
  }

  /** The same at the reader's own pace: from now on, until the thread is closed or the reader stops. To be read once. */
  events(): AsyncIterable<ThreadNews> {
    const stream = new EventStream();
    return readEvents(stream, this.subscribe(stream));
  }

  /**
   * Runs one turn to its end, after what was submitted before, under the settings of this moment: changes that were
   * submitted before count, later ones do not. Aborting the signal ends it soon, and cleanly. A message that has to wait
   * is recorded: if the process dies, or the thread is closed, before its turn comes, the next turn takes it in.
   */
  run(turn: ThreadTurn): Promise<TurnResult> {
    const own = readTurn(turn);
    if ('code' in own) return Promise.resolve({ kind: 'failed', outcome: own });
    return this.#submitTurn(own, this.#submit(own), this.#submitted);
  }

  /** A change and a turn under it, with nothing in between. The change stays. If it is refused, there is no turn. */
  runWith(change: unknown, turn: ThreadTurn): Promise<TurnResult | Refused> {
    const own = readTurn(turn);
    if ('code' in own) return Promise.resolve({ kind: 'failed', outcome: own });
    const changed = this.overrideTurnContext(change);
    const words = this.#submit(own);
    const ended = this.#submitTurn(
      own,
      words,
      changed.then((result) => (result.kind === 'refused' ? result : result.settings)),
    );
    // A refusal is known before the turn's place in the queue comes.
    return changed.then(async (result) => {
      if (result.kind !== 'refused') return ended;
      if (this.#inbox.refuse(words, result.outcome.code)) await this.#log.durable();
      return result;
    });
  }

  /** The words of a turn that has to wait for others are safe soon. */
  #submit({ input }: ThreadTurn): SubmittedWords {
    const words = this.#inbox.submit(input, { waits: this.#work.isBusy && !this.#closing.signal.aborted });
    // A lost disk is seen by the turn.
    if (words.id !== undefined) this.#log.durable().catch(() => {});
    return words;
  }

  #submitTurn(turn: ThreadTurn, words: SubmittedWords, settings: Promise<Settings>): Promise<TurnResult>;
  #submitTurn(
    turn: ThreadTurn,
    words: SubmittedWords,
    settings: Promise<Settings | Refused>,
  ): Promise<TurnResult | Refused>;
  #submitTurn(
    own: ThreadTurn,
    words: SubmittedWords,
    settings: Promise<Settings | Refused>,
  ): Promise<TurnResult | Refused> {
    /** Known once the turn is followed by a compaction: what is submitted has to wait for that as well. */
    let release: (() => void) | undefined;
    const onFull = (): void => {
      if (this.#foldsAfterTurns) release = this.#work.hold();
    };
    const run = async (known: Settings | Refused): Promise<TurnResult | Refused> => {
      if (isRefused(known)) return known;
      if (this.#closing.signal.aborted) return closedBefore(words);
      const ran = this.#run(own, words, known, onFull);
      this.#turning = ran.catch(() => {});
      return ran;
    };
    const result = this.#work.submit(settings, run);
    // The answer is there: the caller does not wait for what makes room for the next turn.
    const foldAfter = async (known: Settings | Refused): Promise<void> => {
      if (release === undefined || isRefused(known)) return;
      try {
        // A compaction that waits for its place makes the room.
        if (!this.#inbox.hasMissed) await this.#fold({ ...automatic, signal: this.#closing.signal }, known);
      } finally {
        release();
      }
    };
    if (this.#foldsAfterTurns) this.#work.add(settings, foldAfter).catch(() => {});
    return result;
  }

  /**
   * Words that the running turn takes in before its next request. The turn's envelope stays what it is. Resolves when the
   * words are durable: if the process dies before they enter history, the next turn takes them in.
   */
  async steer(steering: Steering): Promise<Steered> {
    const input = plainCopy(steering.input);
    if (input === notPlain || !isInput(input)) return { kind: 'refused', outcome: notData('The message') };
    const steered = steeringFor({ ...steering, input }, this.#running);
    if (steered.kind === 'refused') return steered;
    const full = waitingProblem(this.#log.state.waiting);
    if (full !== undefined) return { kind: 'refused', outcome: full };
    this.#inbox.accept({ kind: 'words', input });
    await this.#log.durable();
    return steered;
  }

  /**
   * A program's own item enters history before the next request, of the running turn or of the next one. Resolves when
   * it is durable.
   */
  async inject(given: Item): Promise<Injected> {
    const item = plainCopy(given);
    const problem =
      item === notPlain ? notData('The item') : (itemProblem(item) ?? waitingProblem(this.#log.state.waiting));
    if (problem !== undefined) return { kind: 'refused', outcome: problem };
    if (this.#closing.signal.aborted) return { kind: 'refused', outcome: closed };
    this.#inbox.accept({ kind: 'item', item: item as Item });
    await this.#log.durable();
    return { kind: 'injected' };
  }

  /**
   * Folds history. While a turn runs, it is done inside that turn at the next place where it can be; otherwise by
   * itself, after what was submitted before and under the settings of this moment. Resolves when it is done, or when
   * it is known that it cannot be. A tool of the thread is answered `compaction-follows` at once: it is made when the
   * tool has ended.
   */
  compact({ focus, signal }: CompactionRequest): Promise<CompactionResult> {
    const settings = this.#submitted;
    const asked = { ...(focus === undefined || focus.trim() === '' ? {} : { focus: focus.trim() }), signal };
    if (this.#running === undefined)
      return this.#work.submit(settings, (known) => this.#fold({ ...asked, ...manual }, known));
    const { promise, resolve } = Promise.withResolvers<CompactionResult>();
    this.#inbox.wish({ ...asked, settings, settle: resolve });
    // Such a tool would wait for its own end.
    void this.#answerOwnTool(resolve);
    // Its place in the queue, for the case that the turn ends before it comes to it.
    this.#work.submit(settings, (known) => this.#foldWished(settings, known)).catch(() => {});
    return promise;
  }

  async #answerOwnTool(settle: (result: CompactionResult) => void): Promise<void> {
    const { threadOfOwnCall } = await import('../tools/own-call.ts');
    if (threadOfOwnCall() === this.id) settle({ kind: 'failed', outcome: compactionFollows });
  }

  /**
   * Changes the settings of what is submitted from now on: all that is asked for, or nothing. Turns that run or wait
   * keep theirs. Resolves when the change is durable.
   */
  overrideTurnContext(change: unknown): Promise<Overridden> {
    const before = this.#submitted;
    const copy = plainCopy(change);
    if (copy === notPlain) return Promise.resolve({ kind: 'refused', outcome: notData('The change') });
    if (this.#closing.signal.aborted) return Promise.resolve({ kind: 'refused', outcome: closed });
    const result = before.then((settings) => this.#change(settings, copy));
    this.#submitted = result.then(
      (made) => (made.kind === 'refused' ? before : made.settings),
      () => before,
    );
    return result;
  }

  /**
   * Gives the thread up. Changes of settings that were submitted are made before. A turn or a compaction that runs is
   * interrupted, ends as such and is recorded. Turns that have not begun do not run; their messages wait for the next
   * turn of the thread. What is asked of the thread from here on is refused.
   */
  async close(): Promise<void> {
    this.#closing.abort('closing');
    this.#inbox.keepAll();
    await this.#submitted;
    await this.#turning;
    await this.#folding;
    await this.#log.close();
  }

  async #change(settings: Settings, change: unknown): Promise<Overridden> {
    const { catalogue } = await this.#parts.gatherFacts(settings);
    const { applyChange } = await import('../envelope/override.ts');
    const result = applyChange(settings, change, { catalogue, requirements: this.#parts.requirements });
    if (result.kind === 'refused' || result.changed.length === 0) return result;
    const missing = result.changed.includes('cwd') ? this.#parts.folderProblem(result.settings.cwd) : undefined;
    if (missing !== undefined) return { kind: 'refused', outcome: { ...missing, next: 'Make it, or choose another.' } };
    const envelope = await previewEnvelope(this.#parts, this.id, result.settings, this.#log.state);
    this.#settings = result.settings;
    this.#inForce = envelope;
    this.#log.record(settingsApplied(this.id, envelope));
    // Words that were submitted after the change are safe with it.
    this.#inbox.keepAll();
    this.#log.tell(settingsEvent('override', envelope));
    const told = result.changed.some((name) => name === 'model' || name === 'serviceTier');
    const notices = told ? modelNotices(catalogue, result.settings) : [];
    this.#log.tell(...notices.map((outcome) => ({ kind: 'warning', outcome }) as const));
    await this.#log.durable();
    return result;
  }

  /** Compactions that were asked for under these settings while a turn ran that did not come to them: one serves all. */
  async #foldWished(submitted: Promise<Settings>, settings: Settings): Promise<void> {
    const wish = this.#inbox.takeMissed(submitted);
    if (wish === undefined) return;
    const { focus, signal } = wish;
    const folded = this.#fold({ ...(focus === undefined ? {} : { focus }), ...manual, signal }, settings);
    wish.settle(folded);
    await folded;
  }

  /** Folds history in a turn of its own. A thread that is being closed begins none, and waits for the one that runs. */
  async #fold({ signal: asked, ...wanted }: AskedFold, settings: Settings): Promise<CompactionResult> {
    const closing = this.#closing.signal;
    if (closing.aborted) return { kind: 'aborted' };
    const isOutdated = (): boolean => this.#settings !== settings;
    const own = { threadId: this.id, settings, inbox: this.#inbox, warned: this.#warned, isOutdated };
    const signal = AbortSignal.any([asked, closing]);
    const folded = import('./fold-alone.ts').then(({ foldAlone }) =>
      foldAlone(this.#parts, this.#log, { ...own, signal }, wanted),
    );
    this.#folding = folded.catch(() => {});
    return folded;
  }

  async #run(
    { input: _input, signal, ...own }: ThreadTurn,
    words: SubmittedWords,
    settings: Settings,
    onFull: () => void,
  ): Promise<TurnResult> {
    const { outputSchema } = own;
    try {
      return await runTurn(this.#parts, this.#log, {
        threadId: this.id,
        settings: { ...settings, ...own },
        isOutdated: () => this.#settings !== settings,
        words,
        signal: AbortSignal.any([signal, this.#closing.signal]),
        inbox: this.#inbox,
        warned: this.#warned,
        onOpened: (turnId, { identity, window }) => {
          const { effective } = window;
          const schema = outputSchema === undefined ? {} : { outputSchema };
          this.#running = { turnId, effective, model: identity.model.slug, ...schema };
        },
        onFull,
        onEnding: () => {
          this.#running = undefined;
        },
      });
    } finally {
      this.#running = undefined;
      // Only a lost disk leaves any.
      this.#log.dropPreviews();
      this.#inbox.missWishes();
    }
  }
}

function subscribersOf({ listener }: ThreadOptions): Subscribers {
  const subscribers = new Subscribers();
  if (listener !== undefined) subscribers.add({ event: listener });
  return subscribers;
}

function isRefused(value: Settings | Refused): value is Refused {
  return 'outcome' in value;
}

const compactionFollows: Outcome = {
  code: 'compaction-follows',
  message: 'A tool asked for a compaction of its own thread. The compaction is made when the tool has ended.',
  next: 'Do not wait for it inside the tool: the events of the thread say what came of it.',
};
