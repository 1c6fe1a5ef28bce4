import type { Settings } from '../../core/envelope/settings.ts';
import type { TurnId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CompactionResult, WantedCompaction } from './checkpoint/compaction-result.ts';
import type { TurnInput } from './thread-parts.ts';
import type { SubmittedSettings } from './thread-settings.ts';
import { type ThreadCore, createTurnInput } from './thread-core.ts';
import type { ThreadFallback } from './thread-fallback.ts';

export type CompactionByHand = Pick<TurnInput, 'signal'> & { readonly focus?: string };
type OwnCompaction = WantedCompaction & Pick<TurnInput, 'signal'>;
const manual = { trigger: 'manual', reason: 'user_requested', phase: 'standalone_turn' } as const;
const automatic = { trigger: 'auto', reason: 'context_limit', phase: 'post_turn' } as const;

export class ThreadCompactions {
  readonly #thread: ThreadCore;
  readonly #fallback: Pick<ThreadFallback, 'instead'>;
  #over: Promise<unknown> = Promise.resolve();
  /** The automatic compaction after a turn, from the end of that turn until the compaction is over. */
  #following: { readonly stopping: AbortController; readonly over: PromiseWithResolvers<boolean> } | undefined;

  constructor(thread: ThreadCore, fallback: Pick<ThreadFallback, 'instead'>) {
    this.#thread = thread;
    this.#fallback = fallback;
  }

  /** Settles when the newest compaction in a turn of its own is over. Never rejects. */
  get over(): Promise<unknown> {
    return this.#over;
  }

  submit(asked: CompactionByHand): Promise<CompactionResult> {
    const { work, settings } = this.#thread;
    return work.submit(settings.submitted.ready, (known) => this.#compact({ ...trimmed(asked), ...manual }, known));
  }

  /** Runs inside the current turn, or in a turn of its own if that turn does not do it. */
  wish(asked: CompactionByHand): Promise<CompactionResult> {
    const { work, settings, inbox } = this.#thread;
    const { submitted } = settings;
    const { promise, resolve } = Promise.withResolvers<CompactionResult>();
    inbox.wish({ ...trimmed(asked), settings: submitted, settle: resolve });
    // The compaction begins after the tool calls, so a tool of this thread that waited for it would wait for itself.
    void this.#answerOwnTool(resolve);
    // A place in the queue in case the turn ends before serving the wish.
    work.submit(submitted.ready, (known) => this.#compactMissed(known)).catch(() => {});
    return promise;
  }

  /** A turn that leaves too little space has ended. `afterTurn` is called later, when its place in the queue comes. */
  announce(): void {
    this.#following = { stopping: new AbortController(), over: Promise.withResolvers() };
  }

  /** Does nothing if a queued compaction frees the space. */
  async afterTurn(settings: SubmittedSettings): Promise<void> {
    const following = this.#following;
    const signal = following?.stopping.signal ?? this.#thread.closing;
    let isStopped = false;
    try {
      if (!this.#thread.inbox.hasMissed)
        isStopped = (await this.#compact({ ...automatic, signal }, settings)).kind === 'aborted';
    } finally {
      this.#following = undefined;
      following?.over.resolve(isStopped);
    }
  }

  get isFollowing(): boolean {
    return this.#following !== undefined;
  }

  /** See `Thread`. */
  async stopFollowing(): Promise<TurnId | undefined> {
    const { stopping, over } = this.#following ?? {};
    const turnId = this.#thread.log.state.openTurn?.id;
    stopping?.abort('interrupted by the user');
    return (await over?.promise) === true ? turnId : undefined;
  }

  async #answerOwnTool(settle: (result: CompactionResult) => void): Promise<void> {
    const { ownToolThreadStorage } = await import('../../adapters/tools/own-tool-call-thread.ts');
    if (ownToolThreadStorage.getStore() === this.#thread.id) settle({ kind: 'failed', outcome: compactionFollows });
  }

  /** Serves, by one compaction, all wishes with these settings that the running turn did not serve. */
  async #compactMissed(settings: SubmittedSettings): Promise<void> {
    const wish = this.#thread.inbox.takeMissed(settings);
    if (wish === undefined) return;
    const { settle, ...asked } = wish;
    const compacted = this.#compact({ ...asked, ...manual }, settings);
    settle(compacted);
    await compacted;
  }

  /** Runs in a turn of its own. A closing thread begins none, and waits for the one that runs. */
  async #compact(asked: OwnCompaction, settings: SubmittedSettings): Promise<CompactionResult> {
    if (this.#thread.closing.aborted || asked.signal.aborted) return { kind: 'aborted' };
    const compacted = this.#compactUnder(asked, settings.now());
    this.#over = compacted.catch(() => {});
    return compacted;
  }

  /** If the quota of the model is used up, the model that replaces it is asked instead, as for a turn. */
  async #compactUnder({ signal, ...wanted }: OwnCompaction, settings: Settings): Promise<CompactionResult> {
    const { parts, log } = this.#thread;
    const { runCompactionTurn } = await import('./turn/compaction-turn.ts');
    const instead = await this.#fallback.instead(settings);
    const turn = createTurnInput(this.#thread, instead?.settings ?? settings, { signal });
    if (instead === undefined) return runCompactionTurn(parts, log, turn, wanted);
    return runCompactionTurn(instead.parts, log, { ...turn, isOutdated: () => true }, wanted);
  }
}

function trimmed({ focus, signal }: CompactionByHand): CompactionByHand {
  return { focus: focus?.trim() || undefined, signal };
}

const compactionFollows: Outcome = {
  code: 'compaction-follows',
  message: 'A tool asked to compact its own thread. Capstan compacts it after the tool returns.',
  next: 'Do not wait for the compaction inside the tool; the events of the thread report the result.',
};
