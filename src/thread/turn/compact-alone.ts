import { anythingToCompact, askedByHand } from '../../compaction/plan/anything-to-compact.ts';
import { nothingToCompact } from '../../compaction/plan/refusals.ts';
import { hookAgainst } from '../checkpoint/checkpoint-hooks.ts';
import { refusedAhead, runCompaction } from '../checkpoint/compact.ts';
import type { CompactionResult, WantedCompaction } from '../parts/compaction-result.ts';
import { internalError, settle } from './settle.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { isSuspended } from '../../state/questions.ts';
import { lookAround } from '../contract/step-now.ts';
import type { ThreadLog } from '../parts/log.ts';
import { beginTurn, prepareTurn } from './open-turn.ts';
import type { ThreadParts, TurnInput, TurnEnding } from '../parts/parts.ts';
import { compactReadable, wayToRead } from '../checkpoint/way-to-read.ts';

/** Compacts history in a turn of its own, in which the user says nothing. */
export async function compactAlone(
  parts: ThreadParts,
  log: ThreadLog,
  own: Omit<TurnInput, 'words'>,
  given: WantedCompaction,
): Promise<CompactionResult> {
  if (isSuspended(log.state)) return { kind: 'failed', outcome: waitsForAnswer };
  const wanted = askedByHand(given, log.state, own.settings.compaction);
  if (!anythingToCompact(wanted, log.state)) return { kind: 'failed', outcome: nothingToCompact };
  const turn = await prepareTurn(parts, log, own);
  const refused = refusedAhead(turn, await lookAround(turn, 0), wanted);
  if (refused !== undefined) {
    await log.durable();
    return { kind: 'failed', outcome: refused };
  }
  const stopped = await hookAgainst(turn, wanted, turn.signal);
  if (stopped !== undefined || own.signal.aborted) {
    // There was no turn; what the user is shown goes out all the same.
    await log.durable();
    return stopped === undefined ? { kind: 'aborted' } : { kind: 'failed', outcome: stopped };
  }
  const way = await wayToRead(turn);
  if (way?.kind === 'refused') return { kind: 'failed', outcome: way.outcome };
  await beginTurn(turn);
  const work = async (): Promise<CompactionResult> =>
    (await compactReadable(turn, way, wanted)) ?? runCompaction(turn, await lookAround(turn, 0), wanted);
  const result = await work().catch((error: unknown) => ({ kind: 'failed', outcome: internalError(error) }) as const);
  await settle(turn, endingOf(result), undefined);
  return result;
}

const waitsForAnswer: Outcome<'turn-suspended'> = {
  code: 'turn-suspended',
  message: 'The last turn waits for your answer, so the history cannot be compacted.',
  next: 'Answer the question or send a new message first.',
};

function endingOf(result: CompactionResult): TurnEnding {
  if (result.kind === 'failed') return { kind: 'failed', failure: result.outcome };
  return { kind: result.kind === 'aborted' ? 'aborted' : 'done' };
}
