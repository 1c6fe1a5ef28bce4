import type { BackgroundHost } from '../ports/background.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { addUsage } from '../protocol/usage.ts';
import { costForOthers, costOf } from '../state/turn-drafts.ts';
import type { ThreadLog } from './parts/log.ts';

interface HostThread {
  readonly id: ThreadId;
  readonly log: ThreadLog;
  /** Of the window that holds now, in tokens. */
  window(): number;
}

/** A thread, for work beside its turns. */
export function backgroundHost({ id, log, window }: HostThread): BackgroundHost {
  // A lost disk is seen by the next turn.
  const settle = (): void => void log.durable().catch(() => {});
  return {
    id,
    spend(usage) {
      if (usage.total === 0) return;
      const { total, last } = costOf(log.state.usage);
      log.record(costForOthers({ total: addUsage(total, usage), last, window: window() }));
      settle();
    },
    warn(outcome) {
      log.tellPassing({ kind: 'warning', outcome });
      settle();
    },
  };
}
