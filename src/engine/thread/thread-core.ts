import { defined } from '../../base/objects.ts';
import type { Settings, TurnSettings } from '../../core/envelope/settings.ts';
import { Inbox, type SubmittedWords } from './inbox.ts';
import { OpenQuestions } from './open-questions.ts';
import { recordInForce } from './record/record-context.ts';
import { ThreadSessions } from './running-commands.ts';
import type { SubmittedSettings } from './submitted-settings.ts';
import type { ThreadOpening } from './thread-opening.ts';
import type { TurnInput } from './thread-parts.ts';
import { type ChangedThread, ThreadSettings } from './thread-settings.ts';

/** What the settings, the turns and the compactions of one thread share. */
export interface ThreadCore extends ChangedThread {
  readonly settings: ThreadSettings;
  readonly work: WorkQueue;
  readonly questions: OpenQuestions;
  /** Problems that the thread has reported already: one that lasts is reported once. */
  readonly warned: Set<string>;
  readonly savedRules: TurnInput['savedRules'];
  readonly sessions: ThreadSessions;
}

/** Made once for a thread. `closing` aborts when the thread is given up. */
export function createThreadCore(
  { id, parts, log, inForce, options }: ThreadOpening,
  closing: AbortSignal,
): ThreadCore {
  const inbox = new Inbox(log, parts.ids, () => recordInForce(log, id, settings.inForce));
  // No subscriber hears of a turn whose words could be lost.
  log.beforeDurable(() => inbox.keep());
  const sessions = new ThreadSessions({ table: parts.sessions, log, clock: parts.clock, threadId: id });
  const shared = { id, parts, log, inbox, closing };
  const settings = new ThreadSettings(shared, options.settings, inForce);
  const noted = { warned: new Set<string>(), savedRules: { prefixes: [], hosts: [], tools: [] } };
  return { ...shared, settings, sessions, questions: new OpenQuestions(), work: new WorkQueue(), ...noted };
}

/** A turn as it is asked for. */
export interface AskedTurn {
  readonly signal: AbortSignal;
  readonly words?: SubmittedWords;
  /** What holds for this turn alone. */
  readonly own?: Omit<TurnSettings, keyof Settings>;
  readonly continues?: TurnInput['continues'];
  /** Of the thread's settings, by the turn. */
  readonly change?: SubmittedSettings;
}

/** A turn of the thread under settings that it was submitted with. It ends when the thread is closed. */
export function turnUnder(core: ThreadCore, submitted: Settings, asked: AskedTurn): TurnInput {
  const { id, inbox, questions, settings, warned, savedRules, sessions, closing } = core;
  const { signal, words, own, continues, change } = asked;
  return {
    threadId: id,
    settings: { ...submitted, ...own },
    isOutdated: () => settings.current !== submitted,
    ...defined({ words, continues }),
    ...(change && { begin: (start: () => void) => settings.begin(change, start) }),
    signal: AbortSignal.any([signal, closing]),
    inbox,
    questions,
    warned,
    savedRules,
    sessions,
  };
}

/** The turns and compactions of one thread: one after the other, in the order in which they were submitted. */
class WorkQueue {
  /** Settles when all that was added so far is over. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  #holds = 0;

  /** Whether what is submitted now has to wait. */
  get isBusy(): boolean {
    return this.#holds > 0;
  }

  /** Does the work when all that was added before it is over, with what is known by then. */
  add<Known, Result>(known: Promise<Known>, work: (known: Known) => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const result = Promise.all([known, before] as const).then(([value]) => work(value));
    this.#last = Promise.allSettled([before, result]).then(() => undefined);
    return result;
  }

  /** The same. What is submitted until it is over has to wait. */
  submit<Known, Result>(known: Promise<Known>, work: (known: Known) => Promise<Result>): Promise<Result> {
    const release = this.hold();
    const result = this.add(known, work);
    result.then(release, release);
    return result;
  }

  /** What is submitted has to wait until the function that it gives is called. */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
    };
  }
}
