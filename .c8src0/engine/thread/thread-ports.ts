import { costForOthersLine, threadCostOf } from '../../core/state/drafts/turn-lines.ts';
import { agentLine, costOfReport } from '../../core/state/fold/agents.ts';
import { spendingAllowances, storedSpendingLimits } from '../../core/state/usage-and-limits.ts';
import type { AgentParent } from '../../ports/agents.ts';
import type { BackgroundHost } from '../../ports/threads.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { addUsage } from '../../protocol/usage.ts';
import type { ThreadLog } from './log.ts';
import type { ThreadCore } from './thread-core.ts';

/** A fork knows the agents of the source thread, but does not speak for them. */
export function agentParent({ id, log, inbox }: Pick<ThreadCore, 'id' | 'log' | 'inbox'>): AgentParent {
  return {
    id,
    get turnId() {
      return log.state.openTurn?.id;
    },
    get agents() {
      return log.state.agents.filter(({ parentId }) => parentId === id);
    },
    get unread() {
      return inbox.waiting.flatMap((mail) => (mail.kind === 'agent' ? mail.report.agentId : []));
    },
    left: (beside) => spendingAllowances(log.state, storedSpendingLimits(log.state.envelope), beside),
    async note(note) {
      log.record(agentLine(note));
      await log.durable();
    },
    async report(report) {
      const total = addUsage(log.state.usage.total, costOfReport(log.state.agents, report));
      inbox.accept({ kind: 'agent', report, total });
      await log.durable();
    },
    tell(event) {
      log.tellPassing(event);
      // A lost disk is reported by the next caller that needs it.
      log.durable().catch(() => {});
    },
  };
}

/** `window`: the current one, in tokens. */
export function backgroundHost(id: ThreadId, log: ThreadLog, window: () => number): BackgroundHost {
  // A lost disk is reported by the next turn.
  const settle = (): void => void log.durable().catch(() => {});
  return {
    id,
    spend(usage) {
      if (usage.total === 0) return;
      const { total, last } = threadCostOf(log.state.usage);
      log.record(costForOthersLine({ total: addUsage(total, usage), last, window: window() }));
      settle();
    },
    warn(outcome) {
      log.tellPassing({ kind: 'warning', outcome });
      settle();
    },
  };
}
