import type { AgentParent } from '../ports/agents.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { addUsage } from '../protocol/usage.ts';
import { agentLine, costOfReport } from '../state/agents.ts';
import { allowances, storedLimits } from '../state/spending.ts';
import type { Inbox } from './parts/inbox.ts';
import type { ThreadLog } from './parts/log.ts';

interface OpenThreadLog {
  readonly id: ThreadId;
  readonly log: ThreadLog;
  readonly inbox: Inbox;
}

/** A thread as its agents see it. A fork knows of the agents of the other thread, and does not speak for them. */
export function agentParent({ id, log, inbox }: OpenThreadLog): AgentParent {
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
    left: (beside) => allowances(log.state, storedLimits(log.state.envelope), beside),
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
      // A lost disk is seen by the next caller that needs it.
      log.durable().catch(() => {});
    },
  };
}
