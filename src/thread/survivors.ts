import type { StartedProcess, Survival } from '../ports/processes.ts';
import type { CallStart } from '../state/call-start.ts';
import type { Turn } from './parts.ts';

/** Ends processes of calls that a dead program left in flight, and tells the user. By call. */
export async function endSurvivors(
  { log, parts, threadId: ours }: Turn,
  calls: readonly CallStart[],
): Promise<ReadonlyMap<string, Survival>> {
  const survivals = await Promise.all(
    calls.map(async ({ threadId, callId, process }) => {
      // The writer of our own thread is dead, since we are that now. Of any other thread nobody knows.
      const survival = process === undefined || threadId !== ours ? 'gone' : await parts.processes.end(process);
      if (process !== undefined && survival !== 'gone') tellSurvivor(log, process, survival);
      return [callId, survival] as const;
    }),
  );
  return new Map(survivals);
}

function tellSurvivor(log: Turn['log'], { pid }: StartedProcess, survival: 'ended' | 'running'): void {
  const found = `A command of the turn that was cut off was still running (process ${pid})`;
  const outcome =
    survival === 'ended'
      ? { message: `${found} and has been ended.`, next: 'Look at what it did before it is repeated.' }
      : { message: `${found} and could not be ended.`, next: `End it yourself, for instance with \`kill -9 ${pid}\`.` };
  log.tell({ kind: 'warning', outcome: { code: 'command-survived', ...outcome } });
}
