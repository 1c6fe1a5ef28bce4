import type { Settings, TurnSettings } from '../envelope/settings.ts';
import { defined } from '../protocol/defined.ts';
import type { SubmittedWords } from './parts/inbox.ts';
import type { OpenQuestions } from './parts/open-questions.ts';
import type { TurnInput } from './parts/parts.ts';
import type { SubmittedSettings } from './parts/submitted-settings.ts';
import type { ChangedThread, ThreadSettings } from './thread-settings.ts';
import type { WorkQueue } from './work-queue.ts';

/** What the settings, the turns and the compactions of one thread share. */
export interface ThreadCore extends ChangedThread {
  readonly settings: ThreadSettings;
  readonly work: WorkQueue;
  readonly questions: OpenQuestions;
  /** Problems that the thread has reported already: one that lasts is reported once. */
  readonly warned: Set<string>;
  readonly savedRules: TurnInput['savedRules'];
  readonly sessions: TurnInput['sessions'];
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
