import type { Settings } from '../../../envelope/settings.ts';
import type { Usage } from '../../../protocol/usage.ts';
import type { Question } from '../../../protocol/question.ts';
import { ownCost } from '../../../state/agents.ts';
import { type LastSettings, lastSettings } from '../../../state/resumed-settings.ts';
import type { Thread } from '../../../thread/thread.ts';
import type { ThreadUsage } from './live-thread.ts';

/** What stays known of a thread that is not loaded. */
export interface LastKnown {
  readonly settings: Settings;
  readonly takesPictures: boolean;
  readonly last: LastSettings;
  readonly isEmpty: boolean;
  readonly questions: readonly Question[];
  readonly isSuspended: boolean;
  readonly usage: ThreadUsage;
  readonly cost: Usage;
}

export function knownOf(thread: Thread): LastKnown {
  const { settings, takesPictures, questions, isSuspended, usage } = thread;
  const isEmpty = thread.state.turns === 0;
  return {
    settings,
    takesPictures,
    last: lastSettings(thread.state),
    isEmpty,
    questions,
    isSuspended,
    usage,
    cost: costOfThread(thread),
  };
}

/** Without what an agent took over from the conversation of its parent. */
export function costOfThread({ state }: Thread): Usage {
  return ownCost(state.usage.total, state.meta);
}
