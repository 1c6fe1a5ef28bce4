import type { StartedProcess, Survival } from '../../ports/processes.ts';
import type { Seals } from '../../ports/seals.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { callProcess, type CallStart } from '../../state/call-start.ts';
import { claimIn, sealSubject, sealText } from '../../state/sealed-lines.ts';
import type { OpenTurn } from '../../state/thread-state.ts';
import type { Turn } from '../parts/parts.ts';

/** Ends processes of calls that a dead program left in flight, and warns the user. By call. */
export async function endSurvivors(
  { log, parts, threadId: ours }: Turn,
  { id: turnId, calls = [] }: OpenTurn,
): Promise<ReadonlyMap<string, Survival>> {
  const subject = sealSubject(ours, log.state.meta);
  const survivals = await Promise.all(
    calls.map(async (call) => {
      const { threadId, callId, process } = call;
      // The writer of our own thread is dead, since we are that now; of other threads nothing is known. What a file
      // says about processes counts only if this home wrote it: it could name any process of this machine.
      const isOurs = threadId === ours && isSealed(parts.seals, subject, turnId, call);
      const survival = process === undefined || !isOurs ? 'gone' : await parts.processes.end(process);
      if (process !== undefined && survival !== 'gone') tellSurvivor(log, process, survival);
      return [callId, survival] as const;
    }),
  );
  return new Map(survivals);
}

function isSealed(seals: Seals, subject: string, turnId: TurnId, { callId, process, processSeal }: CallStart): boolean {
  const said = process === undefined ? undefined : claimIn(callProcess(turnId, callId, process));
  if (said === undefined || processSeal === undefined) return false;
  return seals.holds(sealText(subject, said.claim), processSeal);
}

function tellSurvivor(log: Turn['log'], { pid }: StartedProcess, survival: 'ended' | 'running'): void {
  const found = `A command of the turn that was cut off was still running (process ${pid})`;
  const outcome =
    survival === 'ended'
      ? { message: `${found} and has been ended.`, next: 'Look at what it did before it is repeated.' }
      : { message: `${found} and could not be ended.`, next: `End it yourself, for instance with \`kill -9 ${pid}\`.` };
  log.tell({ kind: 'warning', outcome: { code: 'command-survived', ...outcome } });
}
