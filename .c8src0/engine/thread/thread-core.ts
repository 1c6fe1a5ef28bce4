import type { Settings, TurnSettings } from '../../core/envelope/settings.ts';
import { Inbox, type SubmittedWords } from './inbox.ts';
import { OpenQuestions } from './open-questions.ts';
import { recordInForce } from './record/record-context.ts';
import { ThreadCommandSessions } from './running-commands.ts';
import type { SubmittedSettings } from './submitted-settings.ts';
import type { ThreadOpening } from './thread-opening.ts';
import type { TurnInput } from './thread-parts.ts';
import { type ThreadBase, ThreadSettings } from './thread-settings.ts';

export interface ThreadCore extends ThreadBase {
  readonly settings: ThreadSettings;
  readonly work: WorkQueue;
  readonly questions: OpenQuestions;
  readonly warned: Set<string>;
  readonly savedRules: TurnInput['savedRules'];
  readonly sessions: ThreadCommandSessions;
}

/** Called once per thread. `closing` aborts when the thread is given up. */
export function createThreadCore(
  { id, parts, log, inForce, options }: ThreadOpening,
  closing: AbortSignal,
): ThreadCore {
  const inbox = new Inbox(log, parts.ids, () => recordInForce(log, id, settings.inForce));
  // Subscribers must not hear of a turn whose words could be lost.
  log.beforeDurable(() => inbox.keep());
  const sessions = new ThreadCommandSessions(parts, log, id);
  const shared = { id, parts, log, inbox, closing };
  const settings = new ThreadSettings(shared, options.settings, inForce);
  const noted = { warned: new Set<string>(), savedRules: { prefixes: [], hosts: [], tools: [] } };
  return { ...shared, settings, sessions, questions: new OpenQuestions(), work: new WorkQueue(), ...noted };
}

export interface TurnRequest {
  readonly signal: AbortSignal;
  readonly words?: SubmittedWords;
  readonly own?: Omit<TurnSettings, keyof Settings>;
  readonly continues?: TurnInput['continues'];
  readonly change?: SubmittedSettings;
}

/** A turn under the settings at its submission. It ends when the thread is closed. */
export function createTurnInput(core: ThreadCore, submitted: Settings, asked: TurnRequest): TurnInput {
  const { id, inbox, questions, settings, warned, savedRules, sessions, closing } = core;
  const { signal, words, own, continues, change } = asked;
  return {
    threadId: id,
    settings: { ...submitted, ...own },
    isOutdated: () => settings.current !== submitted,
    words,
    continues,
    begin: change && ((start) => settings.begin(change, start)),
    signal: AbortSignal.any([signal, closing]),
    inbox,
    questions,
    warned,
    savedRules,
    sessions,
  };
}

/** Runs the turns and compactions of one thread one after the other, in order of submission. */
class WorkQueue {
  /** Settles when all work added so far is over. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  #holds = 0;

  get isBusy(): boolean {
    return this.#holds > 0;
  }

  /** Runs the work after all work added before it, with the value of `known`. */
  add<Known, Result>(known: Promise<Known>, work: (known: Known) => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const result = Promise.all([known, before] as const).then(([value]) => work(value));
    this.#last = Promise.allSettled([before, result]).then(() => undefined);
    return result;
  }

  /** Makes later submissions wait until the work is over. */
  submit<Known, Result>(known: Promise<Known>, work: (known: Known) => Promise<Result>): Promise<Result> {
    const release = this.hold();
    const result = this.add(known, work);
    result.then(release, release);
    return result;
  }

  /** Submissions have to wait until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    return () => void (this.#holds -= 1);
  }
}
