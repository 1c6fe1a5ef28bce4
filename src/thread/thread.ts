import { resolveEnvelope } from '../envelope/envelope.ts';
import type { Settings } from '../envelope/settings.ts';
import type { OpenRefused } from '../ports/rollout-store.ts';
import type { ThreadId, TurnId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import { emptyState, type ThreadState } from '../state/thread-state.ts';
import { ThreadLog } from './log.ts';
import type { ThreadParts, TurnInput } from './parts.ts';
import { sessionMeta } from './session-meta.ts';
import type { TurnResult } from './settle.ts';
import { type ResumedThread } from './resume.ts';
import { runTurn } from './turn.ts';

export interface ThreadOptions {
  readonly settings: Settings;
  /** Told in order, and only what is durable. Must not throw. */
  readonly listener: (event: ThreadEvent) => void;
}

/** One turn of a thread. */
export type ThreadTurn = Pick<TurnInput, 'input' | 'signal' | 'outputSchema'>;

/**
 * A conversation that this process may write. One turn at a time. After a Fault the thread is of no more use: close it
 * and open it again, which folds its state from the disk.
 */
export class Thread {
  readonly id: ThreadId;
  readonly #parts: ThreadParts;
  readonly #log: ThreadLog;
  readonly #settings: Settings;
  #running = false;

  private constructor(id: ThreadId, parts: ThreadParts, log: ThreadLog, settings: Settings) {
    this.id = id;
    this.#parts = parts;
    this.#log = log;
    this.#settings = settings;
  }

  /** Begins a new thread. Its file appears with its first turn. */
  static async start(
    parts: ThreadParts,
    options: ThreadOptions,
    git: JsonObject | undefined,
  ): Promise<Thread | OpenRefused> {
    const id = parts.ids.uuid() as ThreadId;
    const { settings, listener } = options;
    const describe = async (): Promise<JsonObject> => {
      const envelope = resolveEnvelope({
        threadId: id,
        turnId: id as string as TurnId,
        facts: await parts.gatherFacts(settings),
        settings,
        instructionsSoFar: {},
        tools: parts.router.names,
      });
      return sessionMeta({ id, windowId: parts.ids.uuid(), envelope, git });
    };
    // Later than the call: the lock is being taken before anything is looked at.
    const owned = await parts.store.create(id, Promise.resolve().then(describe));
    if (owned.kind === 'refused') return owned;
    const log = new ThreadLog(owned, emptyState, listener);
    log.tell({ kind: 'thread-started', threadId: id });
    return new Thread(id, parts, log, settings);
  }

  /** Goes on with a thread that was folded from its file. */
  static resume(parts: ThreadParts, { id, owned, state }: ResumedThread, options: ThreadOptions): Thread {
    const { settings, listener } = options;
    const log = new ThreadLog(owned, state, listener);
    listener({ kind: 'thread-started', threadId: id });
    return new Thread(id, parts, log, settings);
  }

  get state(): ThreadState {
    return this.#log.state;
  }

  /** The rollout file. */
  get path(): string {
    return this.#log.path;
  }

  /** Runs one turn to its end. Aborting the signal ends it soon, and cleanly. */
  async run({ input, signal, outputSchema }: ThreadTurn): Promise<TurnResult> {
    if (this.#running) throw new TypeError('a thread runs one turn at a time');
    this.#running = true;
    try {
      return await runTurn(this.#parts, this.#log, {
        threadId: this.id,
        settings: this.#settings,
        input,
        signal,
        ...(outputSchema === undefined ? {} : { outputSchema }),
      });
    } finally {
      this.#running = false;
    }
  }

  async close(): Promise<void> {
    await this.#log.close();
  }
}
