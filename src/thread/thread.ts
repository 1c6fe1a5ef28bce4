import type { Settings, TurnSettings } from '../envelope/settings.ts';
import { modelNotices } from '../envelope/model-notices.ts';
import type { OpenRefused } from '../ports/rollout-store.ts';
import type { ThreadId, TurnId } from '../protocol/ids.ts';
import type { Item } from '../protocol/item.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import { restoredFields, restoredSettings } from '../state/restored-settings.ts';
import { emptyState, type ThreadState } from '../state/thread-state.ts';
import { settingsApplied } from '../state/turn-drafts.ts';
import type { CompactionResult, WantedCompaction } from './compaction-result.ts';
import { Inbox } from './inbox.ts';
import { inputProblem } from './input-problem.ts';
import { ThreadLog } from './log.ts';
import type { ThreadParts, TurnInput } from './parts.ts';
import { previewEnvelope, settingsEvent } from './preview.ts';
import type { ResumedThread } from './resume.ts';
import { sessionMeta } from './session-meta.ts';
import type { TurnResult } from './settle.ts';
import { type RunningTurn, type Steered, type Steering, steeringFor } from './steering.ts';
import { runTurn } from './turn.ts';

export interface ThreadOptions {
  readonly settings: Settings;
  /** Told in order, and only what is durable. Must not throw. */
  readonly listener: (event: ThreadEvent) => void;
  /**
   * A turn that leaves too little room for the next one is followed by a compaction, so that the next one need not
   * wait. True unless said otherwise; without it the next turn makes the room.
   */
  readonly foldsAfterTurns?: boolean;
}

/** What a compaction by hand shall keep in view, if anything. */
export interface CompactionRequest extends Pick<TurnInput, 'signal'> {
  readonly focus?: string;
}

type AskedFold = WantedCompaction & Pick<TurnInput, 'signal'>;

const manual = { trigger: 'manual', reason: 'user_requested', phase: 'standalone_turn' } as const;

/** One turn of a thread, and what holds for it alone. */
export interface ThreadTurn extends Required<Pick<TurnInput, 'input' | 'signal'>>, Omit<TurnSettings, keyof Settings> {}

export type Overridden =
  | { readonly kind: 'changed'; readonly settings: Settings; readonly changed: readonly string[] }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

/**
 * A conversation that this process may write. Turns run one after the other, in the order in which they were asked for.
 * After a Fault the thread is of no more use: close it and open it again, which folds its state from the disk.
 */
export class Thread {
  readonly id: ThreadId;
  readonly #parts: ThreadParts;
  readonly #log: ThreadLog;
  readonly #inbox = new Inbox();
  readonly #warned = new Set<string>();
  #settings: Settings;
  /** Settles when the turns that were asked for so far are over. Never rejects. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Settles when the turn that is beginning, if any, has recorded its contract. Never rejects. */
  #entered: Promise<unknown> = Promise.resolve();
  /** Settles when the changes of settings that were asked for so far are made or refused. Never rejects. */
  #changes: Promise<unknown> = Promise.resolve();
  #running: RunningTurn | undefined;
  readonly #foldsAfterTurns: boolean;
  /** The newest turn left less room than the next one should find. */
  #isFull = false;
  /** Settles when the newest fold in a turn of its own is over. Never rejects. */
  #folding: Promise<unknown> = Promise.resolve();
  readonly #closing = new AbortController();

  private constructor(id: ThreadId, parts: ThreadParts, log: ThreadLog, { settings, foldsAfterTurns }: ThreadOptions) {
    this.id = id;
    this.#parts = parts;
    this.#log = log;
    this.#settings = settings;
    this.#foldsAfterTurns = foldsAfterTurns ?? true;
  }

  /** Begins a new thread. Its file appears with its first turn. */
  static async start(
    parts: ThreadParts,
    options: ThreadOptions,
    git: JsonObject | undefined,
  ): Promise<Thread | OpenRefused> {
    const { settings, listener } = options;
    const id = parts.ids.uuid() as ThreadId;
    // Later than the call: the lock is being taken before anything is looked at.
    const envelope = Promise.resolve().then(() => previewEnvelope(parts, id, settings, emptyState));
    const meta = envelope.then((known) => sessionMeta({ id, windowId: parts.ids.uuid(), envelope: known, git }));
    const owned = await parts.store.create(id, meta);
    if (owned.kind === 'refused') return owned;
    const log = new ThreadLog(owned, emptyState, listener);
    log.tell({ kind: 'thread-started', threadId: id }, settingsEvent('started', await envelope));
    return new Thread(id, parts, log, options);
  }

  /** Goes on with a thread that was folded from its file. */
  static async resume(
    parts: ThreadParts,
    { id, owned, state }: ResumedThread,
    options: ThreadOptions,
  ): Promise<Thread> {
    const { settings, listener } = options;
    const envelope = await previewEnvelope(parts, id, settings, state);
    listener({ kind: 'thread-started', threadId: id });
    const restored = restoredFields(restoredSettings(state, settings));
    listener({ ...settingsEvent('resumed', envelope), restored });
    return new Thread(id, parts, new ThreadLog(owned, state, listener), options);
  }

  get state(): ThreadState {
    return this.#log.state;
  }

  /** What the next turn starts from. */
  get settings(): Settings {
    return this.#settings;
  }

  /** The rollout file. */
  get path(): string {
    return this.#log.path;
  }

  /** The turn that runs, if one does. */
  get turnId(): TurnId | undefined {
    return this.#running?.turnId;
  }

  /** Runs one turn to its end, after those that were asked for before. Aborting the signal ends it soon, and cleanly. */
  run(turn: ThreadTurn): Promise<TurnResult> {
    const odd = inputProblem(turn);
    if (odd !== undefined) return Promise.resolve({ kind: 'failed', outcome: odd });
    const result = this.#enqueue(() => this.#run(turn));
    // The answer is there: nobody waits for what makes room for the next turn.
    if (this.#foldsAfterTurns) this.#enqueue(() => this.#foldAfter()).catch(() => {});
    return result;
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    // A change that was asked for before holds for it.
    const result = Promise.all([this.#queue, this.#changes]).then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  /** A turn with settings of its own, which stay the thread's. If they are refused, there is no turn. */
  async runWith(change: unknown, turn: ThreadTurn): Promise<TurnResult | Extract<Overridden, { kind: 'refused' }>> {
    const changed = await this.overrideTurnContext(change);
    return changed.kind === 'refused' ? changed : this.run(turn);
  }

  /** Words that the running turn takes in before its next request. The turn's envelope stays what it is. */
  steer(steering: Steering): Steered {
    const steered = steeringFor(steering, this.#running);
    if (steered.kind === 'steered') this.#inbox.put({ kind: 'words', input: steering.input });
    return steered;
  }

  /** A program's own item enters history before the next request, of the running turn or of the next one. */
  inject(item: Item): void {
    this.#inbox.put({ kind: 'item', item });
  }

  /**
   * Folds history. While a turn runs, it is done inside that turn at the next place where it can be; otherwise by
   * itself, after what was asked for before. Resolves when it is done, or when it is known that it cannot be.
   */
  compact({ focus, signal }: CompactionRequest): Promise<CompactionResult> {
    const wish = focus === undefined || focus.trim() === '' ? {} : { focus: focus.trim() };
    if (this.#running === undefined) return this.#enqueue(() => this.#fold({ ...wish, ...manual, signal }));
    const { promise, resolve } = Promise.withResolvers<CompactionResult>();
    this.#inbox.wish({ ...wish, signal, settle: resolve });
    return promise;
  }

  /**
   * Changes what turns start from, from the next one on: all that is asked for, or nothing. A running turn is not
   * touched. Resolves when the change is durable.
   */
  overrideTurnContext(change: unknown): Promise<Overridden> {
    const result = this.#changes.then(() => this.#change(change));
    this.#changes = result.catch(() => {});
    return result;
  }

  /**
   * Gives the thread up. Changes of settings that were asked for are made before; a compaction in a turn of its own
   * is interrupted and ends as such. Whoever runs a turn ends it first: what it would still write is refused.
   */
  async close(): Promise<void> {
    this.#closing.abort('closing');
    // Whoever asked for a change before may count on it.
    await this.#changes;
    await this.#folding;
    await this.#log.close();
  }

  async #change(change: unknown): Promise<Overridden> {
    const { catalogue } = await this.#parts.gatherFacts(this.#settings);
    const { applyChange } = await import('../envelope/override.ts');
    const result = applyChange(this.#settings, change, { catalogue, requirements: this.#parts.requirements });
    if (result.kind === 'refused' || result.changed.length === 0) return result;
    const missing = result.changed.includes('cwd') ? this.#parts.folderProblem(result.settings.cwd) : undefined;
    if (missing !== undefined) return { kind: 'refused', outcome: { ...missing, next: 'Make it, or choose another.' } };
    const envelope = await previewEnvelope(this.#parts, this.id, result.settings, this.#log.state);
    await this.#turnEntered();
    this.#settings = result.settings;
    this.#log.record(settingsApplied(this.id, envelope));
    this.#log.tell(settingsEvent('override', envelope));
    const told = result.changed.some((name) => name === 'model' || name === 'serviceTier');
    const notices = told ? modelNotices(catalogue, result.settings) : [];
    this.#log.tell(...notices.map((outcome) => ({ kind: 'warning', outcome }) as const));
    await this.#log.durable();
    return result;
  }

  /** A turn that is beginning records its own contract first: the newest record is what resume goes by. */
  async #turnEntered(): Promise<void> {
    for (let entered: Promise<unknown> | undefined; entered !== this.#entered;) {
      entered = this.#entered;
      await entered;
    }
  }

  /** Makes room for the next turn, if the one that has ended left too little. */
  async #foldAfter(): Promise<void> {
    if (!this.#isFull) return;
    this.#isFull = false;
    const wanted = { trigger: 'auto', reason: 'context_limit', phase: 'post_turn' } as const;
    await this.#fold({ ...wanted, signal: this.#closing.signal });
  }

  /** Folds history in a turn of its own. A thread that is being closed begins none, and waits for the one that runs. */
  async #fold(asked: AskedFold): Promise<CompactionResult> {
    const closing = this.#closing.signal;
    if (closing.aborted) return { kind: 'aborted' };
    const folded = this.#foldAlone({ ...asked, signal: AbortSignal.any([asked.signal, closing]) });
    this.#folding = folded.catch(() => {});
    return folded;
  }

  async #foldAlone({ signal, ...wanted }: AskedFold): Promise<CompactionResult> {
    const { foldAlone } = await import('./fold-alone.ts');
    const own = { threadId: this.id, settings: this.#settings, signal, inbox: this.#inbox, warned: this.#warned };
    return foldAlone(this.#parts, this.#log, own, wanted);
  }

  async #run({ input, signal, ...own }: ThreadTurn): Promise<TurnResult> {
    const { outputSchema } = own;
    const { promise: entered, resolve: onEntered } = Promise.withResolvers<void>();
    this.#entered = entered;
    try {
      return await runTurn(this.#parts, this.#log, {
        threadId: this.id,
        settings: { ...this.#settings, ...own },
        input,
        signal,
        inbox: this.#inbox,
        warned: this.#warned,
        onOpened: (turnId) => {
          this.#running = { turnId, ...(outputSchema === undefined ? {} : { outputSchema }) };
        },
        onEntered,
        onFull: () => {
          this.#isFull = true;
        },
        onEnding: () => {
          this.#running = undefined;
        },
      });
    } finally {
      onEntered();
      this.#running = undefined;
      const wish = this.#inbox.takeWishes();
      if (wish !== undefined) {
        const focus = wish.focus === undefined ? {} : { focus: wish.focus };
        // It makes the room that the turn did not leave.
        this.#isFull = false;
        wish.settle(this.#enqueue(() => this.#fold({ ...focus, ...manual, signal: wish.signal })));
      }
    }
  }
}
