import type { AgentWait, WaitingCall } from '../ports/agents.ts';
import type { Clock } from '../ports/clock.ts';
import type { RecordedAgent } from '../protocol/agent.ts';

interface AgentsToWaitFor {
  /** As their parent knows them now. */
  now(): Promise<readonly RecordedAgent[]>;
  /** Settle when the work of one of them is over, as far as this process does it. */
  working(): readonly Promise<void>[];
}

interface EndedWait {
  readonly agents: readonly RecordedAgent[];
  readonly timedOut: boolean;
  readonly hasWords: boolean;
}

/** How often an agent is looked after that another program or client may continue. */
const lookAgainMs = 1000;
/** How soon words of the user end the wait. */
const lookForWordsMs = 200;

/** Or until it is time to look at the agents again. */
async function untilWords(hasWords: () => boolean, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let waited = 0; waited < lookAgainMs && !signal.aborted && !hasWords(); waited += lookForWordsMs)
    await clock.sleep(lookForWordsMs, signal);
}

/** Waits until one of the agents has ended its work, or all have, or time is up, or the user says something. */
export async function waitForAgents(
  { now, working }: AgentsToWaitFor,
  { until, timeoutMs }: Pick<AgentWait, 'until' | 'timeoutMs'>,
  { clock, signal, hasWords }: WaitingCall & { readonly clock: Clock },
): Promise<EndedWait> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  let isLate = false;
  void clock.sleep(timeoutMs, end).then(() => (isLate = !end.aborted));
  const isOver = ({ state }: RecordedAgent): boolean => state !== 'running';
  try {
    for (;;) {
      const agents = await now();
      const isDone = agents.length === 0 || (until === 'all' ? agents.every(isOver) : agents.some(isOver));
      const isCalled = !isDone && hasWords();
      if (isDone || isLate || isCalled || signal.aborted)
        return { agents, timedOut: !isDone && !isCalled && isLate, hasWords: isCalled };
      const pause = new AbortController();
      const enough = AbortSignal.any([end, pause.signal]);
      await Promise.race([...working(), untilWords(hasWords, clock, enough)]);
      pause.abort('over');
    }
  } finally {
    over.abort('over');
  }
}
