import { abortSignalOption, stringOption, functionOption, validateOptions } from '../../core/envelope/read-options.ts';
import type { OptionReaders } from '../../core/envelope/read-options.ts';
import type { SettingsChange } from '../../core/envelope/read-settings-change.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import type { AgentsOfThread } from '../../ports/agents.ts';
import type { OpenRefused } from '../../ports/thread-store.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import { threadClosesReason } from '../../protocol/abort.ts';
import type { ThreadState } from '../../core/state/thread-state.ts';
import { waitingWords } from '../../core/state/fold/waiting-messages.ts';
import type { CompactionResult } from './checkpoint/compaction-result.ts';
import type { FilesChangedInSideConversation, RestoredFiles } from '../../protocol/turn-item.ts';
import { acceptMessage, answerQuestion, injectItem, steerTurn } from './client-input.ts';
import type { Answered, Injected, InjectOptions, Steered, Steering } from './client-input.ts';
import { validateTurn, type ThreadTurn, turnOptions } from './read-turn.ts';
import { type ThreadUsage, usageNow } from './context/window-use.ts';
import type { TurnResult } from './turn/settle-turn.ts';
import { EventStream, iterateNews, type LineSubscriber, subscribeOptions, type ThreadNews } from './event-stream.ts';
import { type CompactionByHand, ThreadCompactions } from './thread-compactions.ts';
import { ThreadFallback } from './thread-fallback.ts';
import type { Overridden, RefusedChange } from './thread-settings.ts';
import { ThreadTurns } from './thread-turns.ts';
import { agentParent, backgroundHost, createThreadCore, type ThreadCore } from './thread-core.ts';
import { openNew, openResumed, type ThreadOpening } from './thread-opening.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { isSuspended, pendingQuestions, questionsToAsk } from '../../core/state/questions/pending-questions.ts';
import type { RunningCommandSession } from './running-commands.ts';
import type { UserShell, UserShellRan } from './user-shell.ts';

/**
 * A conversation that this process may write. Turns and compactions run one after the other, in order of submission,
 * each under the settings after the changes submitted before it and no later ones. After a Fault the thread is
 * unusable: close it and open it again, which folds its state from the disk.
 */
export class Thread {
  readonly id: ThreadId;
  readonly #core: ThreadCore;
  readonly #turns: ThreadTurns;
  readonly #compactions: ThreadCompactions;
  readonly #closing = new AbortController();

  private constructor(opening: ThreadOpening) {
    const core = createThreadCore(opening, this.#closing.signal);
    const { parts } = core;
    this.id = core.id;
    this.#core = core;
    const fallback = new ThreadFallback(core);
    this.#compactions = new ThreadCompactions(core, fallback);
    this.#turns = new ThreadTurns(core, this.#compactions, fallback, opening.options.compactsAfterTurns ?? true);
    parts.agents?.attach(agentParent(core));
    parts.background?.attach(backgroundHost(core, () => this.usage.effectiveWindow));
  }

  /** Begins a thread. Its file appears with its first turn, or with input accepted before it. */
  static async start(...given: Parameters<typeof openNew>): Promise<Thread | OpenRefused> {
    const opened = await openNew(...given);
    return opened.kind === 'refused' ? opened : new Thread(opened);
  }

  /** Continues a thread whose state was folded from its file. */
  static async resume(...given: Parameters<typeof openResumed>): Promise<Thread> {
    return new Thread(await openResumed(...given));
  }

  get state(): ThreadState {
    return this.#core.log.state;
  }
  /** Items of which a preview was sent and that are not complete. */
  get previewed(): Iterable<string> {
    return this.#core.log.subscribers.previewed;
  }
  /** The current settings, without changes of turns that have not begun. Frozen, deeply. */
  get settings(): Settings {
    return this.#core.settings.current;
  }
  /** Messages that wait for the next request, each in one line, except words of turns that have not begun. */
  get waiting(): readonly string[] {
    return this.#core.inbox.waiting.map((mail) => waitingWords(mail, 60));
  }
  /** The place of its lines, for people to read. */
  get location(): string {
    return this.#core.log.location;
  }
  get turnId(): TurnId | undefined {
    return this.#turns.open?.turnId;
  }
  /** The settings of the running turn: later changes do not affect it. */
  get turnSettings(): Settings | undefined {
    return this.#turns.openSettings;
  }
  /** The settings of a fallback for the next message, while the quota of the thread's own model is used up. */
  get standIn(): Settings | undefined {
    return this.#turns.standIn;
  }
  get isBusy(): boolean {
    return this.#core.work.isBusy;
  }
  /** Running commands that outlived their calls. */
  get sessions(): readonly RunningCommandSession[] {
    return this.#core.sessions.running;
  }
  /** Undefined: it starts none. */
  get agents(): AgentsOfThread | undefined {
    return this.#core.parts.agents;
  }
  /** True if an automatic compaction after a turn runs, or is about to. */
  get isCompactingItself(): boolean {
    return this.#compactions.isFollowing;
  }

  /** Ends command sessions for the user. The model learns of it with its next request. Resolves at their end. */
  endSessions(ids: readonly number[]): Promise<void> {
    return this.#core.sessions.end(ids, 'stopped');
  }

  /** Ends the automatic compaction. Resolves with its turn when that is over; undefined if it ended or never began. */
  stopCompactingItself(): Promise<TurnId | undefined> {
    return this.#compactions.stopFollowing();
  }

  get takesPictures(): boolean {
    return this.#core.settings.inForce.capabilities.modalities.includes('image');
  }

  get usage(): ThreadUsage {
    const { parts, log, settings } = this.#core;
    return usageNow(this.#turns.open ?? { parts, log, envelope: settings.inForce });
  }

  /** Subscribes until the returned function is called. Throws for an invalid subscriber: it would wait for ever. */
  subscribe(subscriber: LineSubscriber): () => void {
    const read = validateOptions({ subscriber }, subscribeOptions, 'subscribe()');
    if ('code' in read) throw new TypeError(`${read.message} ${read.next}`);
    return this.#core.log.subscribers.add(subscriber);
  }

  /** Follows the thread at the reader's own pace, until the thread is closed or the reader stops. Can be read once. */
  events(): AsyncIterable<ThreadNews> {
    const stream = new EventStream();
    const unsubscribe = this.subscribe(stream);
    const leave = (): void => {
      unsubscribe();
      stream.stop();
    };
    return iterateNews(() => stream.next(), leave);
  }

  /**
   * Runs one turn to its end, after earlier submissions, under the settings of this moment. Aborting the signal ends it
   * soon, and cleanly. A message that has to wait is recorded: if the process dies, or the thread is closed, before its
   * turn comes, the next turn takes it in.
   */
  run(turn: ThreadTurn): Promise<TurnResult> {
    const own = validateTurn(turn, 'run()');
    if ('code' in own) return Promise.resolve({ kind: 'failed', outcome: own });
    return this.#turns.submitAlone(own);
  }

  /** Submits a change and a turn under it, with nothing in between. If the change is refused, no turn runs. */
  runWith(change: SettingsChange, turn: ThreadTurn): Promise<TurnResult | RefusedChange> {
    const own = validateTurn(turn, 'runWith()');
    if ('code' in own) return Promise.resolve({ kind: 'failed', outcome: own });
    return this.#turns.submitWith(change, own);
  }

  /** Questions that wait for the user, in the order of the calls: of a running turn, or of a suspended one. */
  get questions(): readonly Question[] {
    const own = (this.#turns.runs ? pendingQuestions : questionsToAsk)(this.#core.log.state);
    return [...own, ...(this.agents?.questions ?? [])];
  }

  /** True if the last turn can be continued: it waits for an answer or to use one, and no turn runs or is about to. */
  get isSuspended(): boolean {
    return !this.#turns.runs && isSuspended(this.#core.log.state);
  }

  /** Answers a question of the running turn by its id. Resolves when it is durable. Of two answers the first counts. */
  answer(id: string, given: Answer): Promise<Answered> {
    if (this.agents?.answer(id, given) === true) return Promise.resolve({ kind: 'answered' });
    return answerQuestion(this.#core, this.#turns.runs, id, given);
  }

  /**
   * Continues a turn that was suspended when the thread was given up, or its program died: asks its questions, or uses
   * the recorded answers, and continues with the model. Refused, without changes, when there is none, or no one to ask.
   * If the signal is aborted already, the turn ends at once under any policy, and its questions lapse.
   */
  continue(asked: Pick<ThreadTurn, 'signal'> = {}): Promise<TurnResult | RefusedChange> {
    const read = validateOptions<Pick<ThreadTurn, 'signal'>>(asked, { signal: turnOptions.signal }, 'continue()');
    if ('code' in read) return Promise.resolve({ kind: 'refused', outcome: read });
    const { signal = new AbortController().signal } = read;
    return this.#turns.continue(signal, this.#core.settings.submitted.ready);
  }

  /**
   * Adds words to the running turn before its next request, under its envelope. Resolves when they are durable: if the
   * process dies before they are used, the next turn takes them in. A turn that was asked to end takes no more.
   */
  steer(steering: Steering): Promise<Steered> {
    return steerTurn(this.#core, this.#turns.steerable, steering);
  }

  /** Takes words of `steer` back that have not entered history. Resolves, when durable, with those messages. */
  async withdraw(messageIds: readonly string[]): Promise<readonly string[]> {
    const taken = this.#core.inbox.takeBack(messageIds);
    if (taken.length > 0) await this.#core.log.durable();
    return taken;
  }

  /** Adds a program's own item to history before the next request, of any turn. Resolves when it is durable. */
  inject(given: Item, options?: InjectOptions): Promise<Injected> {
    return injectItem(this.#core, given, options);
  }

  /** Records file changes by a side conversation: the model reads it with its next request. Resolves when durable. */
  tellChangedBeside(files: FilesChangedInSideConversation): Promise<Injected> {
    return acceptMessage(this.#core, { kind: 'beside', files });
  }

  /** Records files that were restored from the record of another thread. Resolves when durable. */
  tellPutBack(files: RestoredFiles): Promise<Injected> {
    return acceptMessage(this.#core, { kind: 'files', files });
  }

  /** Runs a user's command in the thread's folder, outside the sandbox. The model reads it with the next request. */
  async shell(asked: UserShell): Promise<UserShellRan> {
    const read = validateOptions<UserShell>(asked, shellOptions, 'shell()');
    if ('code' in read) return { kind: 'refused', outcome: read };
    const { runUserShell } = await import('./user-shell.ts');
    return runUserShell(this.#core.parts, this, read);
  }

  /**
   * Compacts history: inside a running turn at the next possible place, otherwise in the queue, under the settings of
   * this moment. Resolves when it is done, or known to be impossible. A tool of the thread gets `compaction-follows` at
   * once: the compaction is made when the tool has ended.
   */
  compact(asked: CompactionByHand): Promise<CompactionResult> {
    const read = validateOptions<CompactionByHand>(asked, compactionOptions, 'compact()');
    if ('code' in read) return Promise.resolve({ kind: 'failed', outcome: read });
    return this.#turns.open === undefined ? this.#compactions.submit(read) : this.#compactions.wish(read);
  }

  /** Changes all the settings asked for, or nothing, for later submissions. Resolves when the change is durable. */
  overrideTurnContext(change: SettingsChange): Promise<Overridden> {
    return this.#core.settings.override(change);
  }

  /**
   * Gives the thread up, after the submitted changes of settings. Running work is interrupted and recorded as such; a
   * turn that waits for the user is suspended. Messages of turns that have not begun wait for the next turn. Later
   * calls are refused. Rejects with a Fault if lines are lost; the thread is closed all the same.
   */
  async close(how: { readonly sessionGoesOn?: boolean } = {}): Promise<void> {
    const { inbox, settings, sessions, parts, log } = this.#core;
    this.#closing.abort(threadClosesReason);
    try {
      inbox.keepAll();
    } finally {
      await settings.submitted.ready;
      await this.#turns.end(how);
      await this.#compactions.over;
      await sessions.close();
      await parts.release?.();
      parts.provider.client.close?.();
      await log.close();
    }
  }

  /** For a thread that was closed with `sessionGoesOn` and is not opened again. */
  endSession(): Promise<void> {
    return this.#turns.endSession();
  }
}

const compactionOptions = {
  focus: { type: stringOption },
  signal: { type: abortSignalOption, required: true },
} as const satisfies OptionReaders<CompactionByHand>;

const shellOptions = {
  command: { type: stringOption, required: true },
  signal: { type: abortSignalOption, required: true },
  output: { type: functionOption() },
  recordedAs: { type: functionOption() },
} as const satisfies OptionReaders<UserShell>;
