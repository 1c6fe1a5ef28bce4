import type { AgentWait, AgentWaitEnd, WaitedAgents } from '../ports/agents.ts';
import type { Clock } from '../ports/clock.ts';
import type { RecordedAgent } from '../protocol/agent.ts';

interface AgentsToWaitFor {
  /** As their parent knows them now. */
  now(): Promise<readonly RecordedAgent[]>;
  /** Settle when the work of one of them is over, as far as this process does it. */
  working(): readonly Promise<void>[];
}

/** How often an agent is looked after that another program or client may continue. */
const lookAgainMs = 1000;

/** Waits until one of the agents has ended its work, or all have, or time is up, or the user says something. */
export async function waitForAgents(
  { now, working }: AgentsToWaitFor,
  { until, timeoutMs }: Pick<AgentWait, 'until' | 'timeoutMs'>,
  { clock, signal, hasWords }: AgentWaitEnd & { readonly clock: Clock },
): Promise<Pick<WaitedAgents, 'timedOut' | 'interrupted'> & { readonly agents: readonly RecordedAgent[] }> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  let isLate = false;
  void clock.sleep(timeoutMs, end).then(() => (isLate = !end.aborted));
  const isOver = ({ state }: RecordedAgent): boolean => state !== 'running';
  try {
    for (;;) {
      const agents = await now();
      const isDone = agents.length === 0 || (until === 'all' ? agents.every(isOver) : agents.some(isOver));
      const interrupted = !isDone && hasWords?.() === true;
      if (isDone || isLate || interrupted || signal.aborted)
        return { agents, timedOut: !isDone && isLate, interrupted };
      const pause = new AbortController();
      const soon = clock.sleep(Math.min(lookAgainMs, timeoutMs), AbortSignal.any([end, pause.signal]));
      await Promise.race([...working(), soon]);
      pause.abort('over');
    }
  } finally {
    over.abort('over');
  }
}
