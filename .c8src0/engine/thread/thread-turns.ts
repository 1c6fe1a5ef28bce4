import type { Settings } from '../../core/envelope/settings.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { SubmittedWords } from './inbox.ts';
import { prepareTurn } from './turn/open-turn.ts';
import type { Turn, TurnInput } from './thread-parts.ts';
import type { ValidatedTurn } from './read-turn.ts';
import type { TurnResult } from './turn/settle-turn.ts';
import type { ThreadCompactions } from './thread-compactions.ts';
import { type TurnRequest, type ThreadCore, createTurnInput } from './thread-core.ts';
import type { FallbackContinuation, FallbackModel, ThreadFallback } from './thread-fallback.ts';
import type { SubmittedSettings } from './submitted-settings.ts';
import { threadClosedOutcome, type RefusedChange } from './thread-settings.ts';
import { runTurn } from './turn/run-turn.ts';

type RanTurn = { readonly result: TurnResult; readonly leaves: Turn['memory']['leaves'] };

export class ThreadTurns {
  readonly #thread: ThreadCore;
  readonly #compactions: ThreadCompactions;
  readonly #fallback: ThreadFallback;
  /** A turn that leaves too little space for the next one is followed by a compaction. */
  readonly #compactsAfter: boolean;
  #running: { readonly turn: Turn; readonly settings: Settings } | undefined;
  #newest: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(thread: ThreadCore, compactions: ThreadCompactions, fallback: ThreadFallback, compactsAfter: boolean) {
    this.#thread = thread;
    this.#compactions = compactions;
    this.#fallback = fallback;
    this.#compactsAfter = compactsAfter;
  }

  /** The turn that has begun and is not about to end. */
  get open(): Turn | undefined {
    return this.#running?.turn.memory.phase === 'open' ? this.#running.turn : undefined;
  }
  /** The settings of the open turn, whatever changed since it was submitted. */
  get openSettings(): Settings | undefined {
    return this.open === undefined ? undefined : this.#running?.settings;
  }
  /** The open turn, unless it was asked to end: later words belong to the next turn. */
  get steerable(): Turn | undefined {
    return this.open?.signal.aborted === true ? undefined : this.open;
  }
  get standIn(): Settings | undefined {
    return this.#fallback.standIn(this.#thread.settings.current);
  }
  get runs(): boolean {
    return this.#count > 0;
  }

  /** Settles when the newest turn is over and, unless the session goes on, its end hooks have run. Never rejects. */
  async end({ sessionGoesOn = false }: { readonly sessionGoesOn?: boolean } = {}): Promise<void> {
    await this.#newest;
    if (!sessionGoesOn) await this.endSession();
    await this.#thread.parts.hooks?.close();
  }

  /** Never rejects. */
  async endSession(): Promise<void> {
    const { id, parts, log, settings } = this.#thread;
    // An agent is no session of its own.
    if (parts.hooks === undefined || parts.agent !== undefined) return;
    const { runSessionEndHooks } = await import('./hooks/turn-hooks.ts');
    const transcript = parts.isEphemeral === true ? null : log.location;
    await runSessionEndHooks(parts.hooks, { id, cwd: settings.current.cwd, transcript });
  }

  submitAlone(own: ValidatedTurn): Promise<TurnResult> {
    return this.#submit<never>(own, this.#submitWords(own), this.#thread.settings.submitted.ready);
  }

  submitWith(change: unknown, own: ValidatedTurn): Promise<TurnResult | RefusedChange> {
    const { settings: all, inbox, log } = this.#thread;
    const { overridden: changed, settings } = all.change(change);
    const words = this.#submitWords(own);
    const ended = this.#submit(
      own,
      words,
      changed.then((result) => (result.kind === 'refused' ? result : settings)),
      settings,
    );
    // Report a refusal before the turn's place in the queue comes.
    return changed.then(async (result) => {
      if (result.kind !== 'refused') return ended;
      if (inbox.refuse(words, result.outcome.code)) await log.durable();
      return result;
    });
  }

  /** Words of a turn that has to wait become durable soon. */
  #submitWords({ input }: ValidatedTurn): SubmittedWords {
    const { inbox, work, log, closing } = this.#thread;
    const words = inbox.submit(input, { waits: work.isBusy && !closing.aborted });
    // A lost disk is reported by the turn.
    if (words.id !== undefined) log.durable().catch(() => {});
    return words;
  }

  /** `change`: the turn's own; dropped unless the turn begins. */
  #submit<Refused extends RefusedChange>(
    own: ValidatedTurn,
    words: SubmittedWords,
    settings: Promise<SubmittedSettings | Refused>,
    change?: SubmittedSettings,
  ): Promise<TurnResult | Refused> {
    const { work, closing } = this.#thread;
    const cancelled = this.#withdrawnWhen(own.signal, words, change);
    /** Set if a compaction follows the turn: new submissions must wait for that as well. */
    let release: (() => void) | undefined;
    const run = async (known: SubmittedSettings | Refused): Promise<TurnResult | Refused> => {
      if ('outcome' in known) return known;
      if (words.isWithdrawn === true) return withdrawn;
      if (closing.aborted) return closedBefore(words);
      const { input: _input, signal, ...rest } = own;
      const ran = this.#runWithFallback(known.now(), { signal, words, own: rest, change }).finally(
        () => change?.waits === true && change.withdraw(),
      );
      this.#newest = ran.catch(() => {});
      const { result, leaves } = await ran;
      if (leaves === 'too-little' && this.#compactsAfter) {
        release = work.hold();
        this.#compactions.announce();
      }
      return result;
    };
    const result = this.#counted(Promise.race([cancelled.promise, work.submit(settings, run)])).finally(cancelled.end);
    // The caller has the answer: it does not wait for the compaction.
    const compactAfter = async (known: SubmittedSettings | Refused): Promise<void> => {
      if (release !== undefined && !('outcome' in known)) await this.#compactions.afterTurn(known).finally(release);
    };
    if (this.#compactsAfter) work.add(settings, compactAfter).catch(() => {});
    return result;
  }

  /** Withdraws words at once if their turn is cancelled while it waits: no crash may send them. Resolves only then. */
  #withdrawnWhen(signal: AbortSignal, words: SubmittedWords, change?: SubmittedSettings) {
    const { inbox, log } = this.#thread;
    const { promise, resolve, reject } = Promise.withResolvers<TurnResult>();
    const cancel = (): void => {
      if (!inbox.withdraw(words)) return;
      change?.withdraw();
      const kept = words.id === undefined ? Promise.resolve() : log.durable();
      kept.then(() => resolve(withdrawn), reject);
    };
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    return { promise, end: () => signal.removeEventListener('abort', cancel) };
  }

  continue(signal: AbortSignal, settings: Promise<SubmittedSettings>): Promise<TurnResult | RefusedChange> {
    const { work, closing } = this.#thread;
    const run = async (submitted: SubmittedSettings): Promise<TurnResult | RefusedChange> => {
      if (closing.aborted) return { kind: 'refused', outcome: threadClosedOutcome };
      const known = submitted.now();
      const { prepareSuspended } = await import('./turn/suspended-turn.ts');
      const prepared = await prepareSuspended(this.#thread, known, { ends: signal.aborted });
      if ('outcome' in prepared) return { kind: 'refused', outcome: prepared.outcome };
      const { settings: narrowed, continues } = prepared;
      const asked = createTurnInput(this.#thread, narrowed, { signal, continues });
      // Settings narrower than the thread's are for this turn alone.
      const ran = this.#run(narrowed === known ? asked : { ...asked, isOutdated: () => true });
      this.#newest = ran.catch(() => {});
      return (await ran).result;
    };
    return this.#counted(work.submit(settings, run));
  }

  #counted<Result>(turn: Promise<Result>): Promise<Result> {
    this.#count++;
    return turn.finally(() => {
      this.#count--;
      this.#thread.questions.turnOver();
    });
  }

  /** Runs a turn, and one by the model of `model_fallback` if it fails for a cause that this model may not have. */
  async #runWithFallback(settings: Settings, asked: TurnRequest): Promise<RanTurn> {
    const { log, inbox } = this.#thread;
    if (this.#thread.parts.fallback === undefined) return this.#run(createTurnInput(this.#thread, settings, asked));
    const instead = await this.#fallback.instead(settings);
    if (instead !== undefined) return this.#runElsewhere(instead, asked);
    const before = log.state.usage.total;
    const { signal } = asked;
    let next: FallbackContinuation | undefined;
    // Decide this before the end is recorded: programs that wait for the answer must not take this end for the last.
    const passOn = async (outcome: Outcome): Promise<string | undefined> => {
      next = await this.#fallback.after({ outcome, before, signal }, settings);
      return next?.settings.model;
    };
    const ran = await this.#run({ ...createTurnInput(this.#thread, settings, asked), passOn });
    if (next === undefined) return ran;
    log.tell({ kind: 'warning', outcome: next.notice });
    const { change: _change, ...own } = asked;
    return this.#runElsewhere(next, { ...own, words: inbox.submit(next.input, { waits: false }) });
  }

  /** The settings are for this turn alone: the next turn and a resume use the thread's own. */
  async #runElsewhere({ settings, parts }: FallbackModel, asked: TurnRequest): Promise<RanTurn> {
    const ran = await this.#run({ ...createTurnInput(this.#thread, settings, asked), isOutdated: () => true }, parts);
    // A compaction would ask the thread's own model, which may have space enough, or no quota. The next turn compacts
    // if it lacks space.
    return { ...ran, leaves: 'enough' };
  }

  async #run(asked: TurnInput, parts = this.#thread.parts): Promise<RanTurn> {
    const { log, inbox, sessions } = this.#thread;
    try {
      const turn = await prepareTurn(parts, log, asked);
      this.#running = { turn, settings: asked.settings };
      const result = await runTurn(turn);
      return { result, leaves: turn.memory.leaves };
    } finally {
      this.#running = undefined;
      // Unless the disk was lost, only commands that still run have previews left.
      log.dropPreviews((itemId) => !sessions.owns(itemId));
      inbox.missWishes();
    }
  }
}

const withdrawn: TurnResult = { kind: 'aborted', isWithdrawn: true };

function closedBefore({ id }: SubmittedWords): TurnResult {
  const message = 'The thread was closed before the turn began.';
  const again = 'Reopen the thread and send the message again.';
  const next = id === undefined ? again : 'The message is saved and becomes part of the next turn.';
  return { kind: 'failed', outcome: { ...threadClosedOutcome, message, next } };
}
