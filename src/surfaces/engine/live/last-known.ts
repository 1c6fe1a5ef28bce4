import type { Settings } from '../../../envelope/settings.ts';
import type { Question } from '../../../protocol/question.ts';
import { type LastSettings, lastSettings } from '../../../state/resumed-settings.ts';
import type { Thread } from '../../../thread/thread.ts';
import type { ThreadUsage } from './live-thread.ts';

/** What stays known of a thread that is not loaded. */
export interface LastKnown {
  readonly settings: Settings;
  readonly last: LastSettings;
  readonly isEmpty: boolean;
  readonly questions: readonly Question[];
  readonly isSuspended: boolean;
  readonly usage: ThreadUsage;
}

export function knownOf(thread: Thread): LastKnown {
  const { settings, questions, isSuspended, usage } = thread;
  const isEmpty = thread.state.turns === 0;
  return { settings, last: lastSettings(thread.state), isEmpty, questions, isSuspended, usage };
}
