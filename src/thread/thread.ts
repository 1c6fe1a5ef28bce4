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
import { settingsApplied } from '../state/turn-drafts.ts';
import type { CompactionResult, WantedCompaction } from './compaction-result.ts';
import { Inbox } from './inbox.ts';
import { itemProblem, notData, readTurn, type ThreadTurn } from './read-turn.ts';
import { ThreadLog } from './log.ts';
import type { ThreadParts, TurnInput } from './parts.ts';
import { previewEnvelope, settingsEvent } from './preview.ts';
import type { ResumedThread } from './resume.ts';
import { sessionMeta } from './session-meta.ts';
import type { TurnResult } from './settle.ts';
import { type RunningTurn, type Steered, type Steering, steeringFor } from './steering.ts';
import { EventStream, type ThreadNews } from './event-stream.ts';
import { Subscribers, type ThreadSubscriber } from './subscribers.ts';
import { runTurn } from './turn.ts';

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

/** Whether an item waits to enter history, or why it does not. */
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
  readonly #inbox = new Inbox();
  readonly #warned = new Set<string>();
  /** After the changes that were made so far. Frozen. */
  #settings: Settings;
  /** After the changes that were submitted so far: what is submitted next runs under these. Never rejects. */
  #submitted: Promise<Settings>;
  /** Settles when the turns and compactions that were submitted so far are over. Never rejects. */
  #queue: Promise<unknown> = Promise.resolve();
  #running: RunningTurn | undefined;
  readonly #foldsAfterTurns: boolean;
  /** Settles when the newest fold in a turn of its own is over. Never rejects. */
  #folding: Promise<unknown> = Promise.resolve();
  readonly #closing = new AbortController();

  private constructor(id: ThreadId, parts: ThreadParts, log: ThreadLog, { settings, foldsAfterTurns }: ThreadOptions) {
    this.id = id;
    this.#parts = parts;
    this.#log = log;
    this.#settings = deepFreeze(structuredClone(settings));
    this.#submitted = Promise.resolve(this.#settings);
    this.#foldsAfterTurns = foldsAfterTurns ?? true;
  }

  /** Begins a new thread. Its file appears with its first turn. */
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
    log.tell({ kind: 'thread-started', threadId: id }, settingsEvent('started', await envelope));
    return new Thread(id, parts, log, options);
  }

  /** Goes on with a thread that was folded from its file. */
  static async resume(
    parts: ThreadParts,
    { id, owned, state }: ResumedThread,
    options: ThreadOptions,
  ): Promise<Thread> {
    const { settings } = options;
    const envelope = await previewEnvelope(parts, id, settings, state);
    const subscribers = subscribersOf(options);
    subscribers.tell({ kind: 'thread-started', threadId: id });
    const restored = restoredFields(restoredSettings(state, settings));
    subscribers.tell({ ...settingsEvent('resumed', envelope), restored });
    return new Thread(id, parts, new ThreadLog(owned, state, subscribers), options);
  }

  get state(): ThreadState {
    return this.#log.state;
  }

  /** What a turn that is submitted now starts from, once the changes before it are made. Frozen, deeply. */
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

  /** Follows the thread from now on, until the function that it gives is called. */
  subscribe(subscriber: ThreadSubscriber): () => void {
    return this.#log.subscribe(subscriber);
  }

  /** The same at the reader's own pace: from now on, until the thread is closed or the reader stops. To be read once. */
  events(): AsyncIterable<ThreadNews> {
    const stream = new EventStream();
    const leave = this.subscribe(stream);
    async function* read(): AsyncGenerator<ThreadNews> {
      try {
        yield* stream.read();
      } finally {
        leave();
      }
    }
    return read();
  }

  /**
   * Runs one turn to its end, after what was submitted before, under the settings of this moment: changes that were
   * submitted before count, later ones do not. Aborting the signal ends it soon, and cleanly.
   */
  run(turn: ThreadTurn): Promise<TurnResult> {
    const own = readTurn(turn);
    return 'code' in own ? Promise.resolve({ kind: 'failed', outcome: own }) : this.#submitTurn(own, this.#submitted);
  }

  /** A change and a turn under it, with nothing in between. The change stays. If it is refused, there is no turn. */
  runWith(change: unknown, turn: ThreadTurn): Promise<TurnResult | Refused> {
    const own = readTurn(turn);
    if ('code' in own) return Promise.resolve({ kind: 'failed', outcome: own });
    const changed = this.overrideTurnContext(change);
    const ended = this.#submitTurn(
      own,
      changed.then((result) => (result.kind === 'refused' ? result : result.settings)),
    );
    // A refusal is known before the turn's place in the queue comes.
    return changed.then((result) => (result.kind === 'refused' ? result : ended));
  }

  #submitTurn(turn: ThreadTurn, settings: Promise<Settings>): Promise<TurnResult>;
  #submitTurn(turn: ThreadTurn, settings: Promise<Settings | Refused>): Promise<TurnResult | Refused>;
  #submitTurn(own: ThreadTurn, settings: Promise<Settings | Refused>): Promise<TurnResult | Refused> {
    let isFull = false;
    const onFull = (): void => {
      isFull = true;
    };
    const result = this.#enqueue(settings, async (known) => (isRefused(known) ? known : this.#run(own, known, onFull)));
    // The answer is there: the caller does not wait for what makes room for the next turn.
    const foldAfter = async (known: Settings | Refused): Promise<void> => {
      // A compaction that waits for its place makes the room.
      if (!isFull || this.#inbox.hasMissed || isRefused(known)) return;
      await this.#fold({ ...automatic, signal: this.#closing.signal }, known);
    };
    if (this.#foldsAfterTurns) this.#enqueue(settings, foldAfter).catch(() => {});
    return result;
  }

  /** Does the work when everything that was submitted before it is over, with the settings that it was submitted under. */
  #enqueue<Known, Result>(settings: Promise<Known>, work: (settings: Known) => Promise<Result>): Promise<Result> {
    const before = this.#queue;
    const result = Promise.all([settings, before] as const).then(([known]) => work(known));
    this.#queue = Promise.allSettled([before, result]).then(() => undefined);
    return result;
  }

  /** Words that the running turn takes in before its next request. The turn's envelope stays what it is. */
  steer(steering: Steering): Steered {
    const input = plainCopy(steering.input);
    if (input === notPlain) return { kind: 'refused', outcome: notData('The message') };
    const steered = steeringFor({ ...steering, input }, this.#running);
    if (steered.kind === 'steered') this.#inbox.put({ kind: 'words', input });
    return steered;
  }

  /** A program's own item enters history before the next request, of the running turn or of the next one. */
  inject(given: Item): Injected {
    const item = plainCopy(given);
    const problem = item === notPlain ? notData('The item') : itemProblem(item);
    if (problem !== undefined) return { kind: 'refused', outcome: problem };
    this.#inbox.put({ kind: 'item', item: item as Item });
    return { kind: 'injected' };
  }

  /**
   * Folds history. While a turn runs, it is done inside that turn at the next place where it can be; otherwise by
   * itself, after what was submitted before and under the settings of this moment. Resolves when it is done, or when
   * it is known that it cannot be.
   */
  compact({ focus, signal }: CompactionRequest): Promise<CompactionResult> {
    const settings = this.#submitted;
    const asked = { ...(focus === undefined || focus.trim() === '' ? {} : { focus: focus.trim() }), signal };
    if (this.#running === undefined)
      return this.#enqueue(settings, (known) => this.#fold({ ...asked, ...manual }, known));
    const { promise, resolve } = Promise.withResolvers<CompactionResult>();
    this.#inbox.wish({ ...asked, settings, settle: resolve });
    // Its place in the queue, for the case that the turn ends before it comes to it.
    this.#enqueue(settings, (known) => this.#foldWished(settings, known)).catch(() => {});
    return promise;
  }

  /**
   * Changes the settings of what is submitted from now on: all that is asked for, or nothing. Turns that run or wait
   * keep theirs. Resolves when the change is durable.
   */
  overrideTurnContext(change: unknown): Promise<Overridden> {
    const before = this.#submitted;
    const copy = plainCopy(change);
    if (copy === notPlain) return Promise.resolve({ kind: 'refused', outcome: notData('The change') });
    const result = before.then((settings) => this.#change(settings, copy));
    this.#submitted = result.then(
      (made) => (made.kind === 'refused' ? before : made.settings),
      () => before,
    );
    return result;
  }

  /**
   * Gives the thread up. Changes of settings that were submitted are made before; a compaction in a turn of its own
   * is interrupted and ends as such. Whoever runs a turn ends it first: what it would still write is refused.
   */
  async close(): Promise<void> {
    this.#closing.abort('closing');
    await this.#submitted;
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
    this.#log.record(settingsApplied(this.id, envelope));
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

  async #run({ input, signal, ...own }: ThreadTurn, settings: Settings, onFull: () => void): Promise<TurnResult> {
    const { outputSchema } = own;
    try {
      return await runTurn(this.#parts, this.#log, {
        threadId: this.id,
        settings: { ...settings, ...own },
        isOutdated: () => this.#settings !== settings,
        input,
        signal,
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
