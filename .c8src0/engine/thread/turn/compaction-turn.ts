import { anythingToCompact, allowGrowthByHand } from '../../../core/compaction/plan/compaction-plan.ts';
import { nothingToCompact } from '../../../core/compaction/plan/failure-messages.ts';
import { checkpointHookObjection, findCompactionRefusal, runCompaction } from '../checkpoint/compact.ts';
import type { CompactionResult, WantedCompaction } from '../checkpoint/compaction-result.ts';
import { internalError, settle } from './settle-turn.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { isSuspended } from '../../../core/state/questions/pending-questions.ts';
import { gatherNextStep } from '../context/current-step.ts';
import type { ThreadLog } from '../log.ts';
import { beginTurn, prepareTurn } from './open-turn.ts';
import type { ThreadParts, TurnInput, TurnEnding } from '../thread-parts.ts';
import { makeReadableForCompaction, findReadableHistory } from '../checkpoint/make-history-readable.ts';

export async function runCompactionTurn(
  parts: ThreadParts,
  log: ThreadLog,
  own: Omit<TurnInput, 'words'>,
  given: WantedCompaction,
): Promise<CompactionResult> {
  if (isSuspended(log.state)) return { kind: 'failed', outcome: waitsForAnswer };
  const wanted = allowGrowthByHand(given, log.state, own.settings.compaction);
  if (!anythingToCompact(wanted, log.state)) return { kind: 'failed', outcome: nothingToCompact };
  const turn = await prepareTurn(parts, log, own);
  const refused = findCompactionRefusal(turn, await gatherNextStep(turn, 0), wanted);
  if (refused !== undefined) {
    await log.durable();
    return { kind: 'failed', outcome: refused };
  }
  const stopped = await checkpointHookObjection(turn, wanted, turn.signal);
  if (stopped !== undefined || own.signal.aborted) {
    // There was no turn, but news for the user must still go out.
    await log.durable();
    return stopped === undefined ? { kind: 'aborted' } : { kind: 'failed', outcome: stopped };
  }
  const way = await findReadableHistory(turn);
  if (way?.kind === 'refused') return { kind: 'failed', outcome: way.outcome };
  await beginTurn(turn);
  const work = async (): Promise<CompactionResult> =>
    (await makeReadableForCompaction(turn, way, wanted)) ?? runCompaction(turn, await gatherNextStep(turn, 0), wanted);
  const result = await work().catch((error: unknown) => ({ kind: 'failed', outcome: internalError(error) }) as const);
  const ending: TurnEnding =
    result.kind === 'failed'
      ? { kind: 'failed', failure: result.outcome }
      : { kind: result.kind === 'aborted' ? 'aborted' : 'done' };
  await settle(turn, ending, undefined);
  return result;
}

const waitsForAnswer: Outcome<'turn-suspended'> = {
  code: 'turn-suspended',
  message: 'The last turn waits for your answer, so the history cannot be compacted.',
  next: 'Answer the question or send a new message first.',
};
