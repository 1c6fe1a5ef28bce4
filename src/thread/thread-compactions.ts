import type { Settings } from '../envelope/settings.ts';
import { defined } from '../protocol/defined.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { CompactionResult, WantedCompaction } from './parts/compaction-result.ts';
import type { TurnInput } from './parts/parts.ts';
import { type ThreadCore, turnUnder } from './thread-core.ts';

/** What a compaction by hand shall keep in view, if anything. */
export interface CompactionByHand extends Pick<TurnInput, 'signal'> {
  readonly focus?: string;
}

type OwnCompaction = WantedCompaction & Pick<TurnInput, 'signal'>;

const manual = { trigger: 'manual', reason: 'user_requested', phase: 'standalone_turn' } as const;
const automatic = { trigger: 'auto', reason: 'context_limit', phase: 'post_turn' } as const;

/** The compactions of one thread that are made between its turns, and the wishes for one that a turn is asked to make. */
export class ThreadCompactions {
  readonly #thread: ThreadCore;
  #newest: Promise<unknown> = Promise.resolve();

  constructor(thread: ThreadCore) {
    this.#thread = thread;
  }

  /** Settles when the newest one in a turn of its own is over. Never rejects. */
  get over(): Promise<unknown> {
    return this.#newest;
  }

  /** In a turn of its own, after what was submitted before. */
  submit(asked: CompactionByHand): Promise<CompactionResult> {
    const { work, settings } = this.#thread;
    return work.submit(settings.submitted, (known) => this.#compact({ ...trimmed(asked), ...manual }, known));
  }

  /** Inside the turn that runs, or in one of its own if that turn does not come to it. */
  wish(asked: CompactionByHand): Promise<CompactionResult> {
    const { work, settings, inbox } = this.#thread;
    const { submitted } = settings;
    const { promise, resolve } = Promise.withResolvers<CompactionResult>();
    inbox.wish({ ...trimmed(asked), settings: submitted, settle: resolve });
    // A tool of the thread that waits for it would wait for its own end.
    void this.#answerOwnTool(resolve);
    // Its place in the queue, for the case that the turn ends before it comes to it.
    work.submit(submitted, (known) => this.#compactMissed(submitted, known)).catch(() => {});
    return promise;
  }

  /** After a turn that leaves too little space, unless a compaction that waits for its place frees it. */
  async afterTurn(settings: Settings): Promise<void> {
    const { inbox, closing } = this.#thread;
    if (!inbox.hasMissed) await this.#compact({ ...automatic, signal: closing }, settings);
  }

  async #answerOwnTool(settle: (result: CompactionResult) => void): Promise<void> {
    const { threadOfOwnCall } = await import('../tools/own-call.ts');
    if (threadOfOwnCall.getStore() === this.#thread.id) settle({ kind: 'failed', outcome: compactionFollows });
  }

  /** Compactions that were asked for under these settings while a turn ran that did not come to them: one serves all. */
  async #compactMissed(submitted: Promise<Settings>, settings: Settings): Promise<void> {
    const wish = this.#thread.inbox.takeMissed(submitted);
    if (wish === undefined) return;
    const { focus, signal } = wish;
    const compacted = this.#compact({ ...defined({ focus }), ...manual, signal }, settings);
    wish.settle(compacted);
    await compacted;
  }

  /** In a turn of its own. A thread that is being closed begins none, and waits for the one that runs. */
  async #compact({ signal, ...wanted }: OwnCompaction, settings: Settings): Promise<CompactionResult> {
    const { parts, log, closing } = this.#thread;
    if (closing.aborted || signal.aborted) return { kind: 'aborted' };
    const turn = turnUnder(this.#thread, settings, { signal });
    const compacted = import('./turn/compact-alone.ts').then(({ compactAlone }) =>
      compactAlone(parts, log, turn, wanted),
    );
    this.#newest = compacted.catch(() => {});
    return compacted;
  }
}

function trimmed({ focus, signal }: CompactionByHand): CompactionByHand {
  return { ...(focus === undefined || focus.trim() === '' ? {} : { focus: focus.trim() }), signal };
}

const compactionFollows: Outcome = {
  code: 'compaction-follows',
  message: 'A tool asked to compact its own thread. Capstan compacts it after the tool returns.',
  next: 'Do not wait for the compaction inside the tool; the events of the thread report the result.',
};
