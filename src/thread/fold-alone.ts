import { anythingToFold, askedByHand } from '../compaction/anything-to-fold.ts';
import { nothingToCompact } from '../compaction/refusals.ts';
import { turnAborted, turnComplete } from '../state/turn-drafts.ts';
import { hookAgainst } from './checkpoint-hooks.ts';
import { fold } from './compact.ts';
import type { CompactionResult, WantedCompaction } from './compaction-result.ts';
import { lookAround } from './enter-step.ts';
import type { ThreadLog } from './log.ts';
import { beginTurn, prepareTurn } from './open-turn.ts';
import type { ThreadParts, Turn, TurnInput } from './parts.ts';
import { compactReadable, wayToRead } from './way-to-read.ts';

/** Folds history in a turn of its own, in which nobody says anything. */
export async function foldAlone(
  parts: ThreadParts,
  log: ThreadLog,
  own: Pick<TurnInput, 'threadId' | 'settings' | 'signal' | 'inbox' | 'warned' | 'isOutdated'>,
  given: WantedCompaction,
): Promise<CompactionResult> {
  const wanted = askedByHand(given, log.state, own.settings.compaction);
  if (!anythingToFold(wanted, log.state)) return { kind: 'failed', outcome: nothingToCompact };
  const quiet = { onOpened: () => {}, onEnding: () => {}, onFull: () => {} };
  const turn = await prepareTurn(parts, log, { ...own, ...quiet });
  const stopped = await hookAgainst(turn, wanted, turn.signal);
  if (stopped !== undefined || own.signal.aborted) {
    // There was no turn; what people are told goes out all the same.
    await log.durable();
    return stopped === undefined ? { kind: 'aborted' } : { kind: 'failed', outcome: stopped };
  }
  const way = await wayToRead(turn);
  if (way?.kind === 'refused') return { kind: 'failed', outcome: way.outcome };
  await beginTurn(turn, quiet);
  const result = (await compactReadable(turn, way, wanted)) ?? (await fold(turn, await lookAround(turn, 0), wanted));
  await end(turn, result);
  return result;
}

async function end({ log, parts, turnId, envelope }: Turn, result: CompactionResult): Promise<void> {
  const ended = { envelope, endedAt: parts.clock.now() };
  if (result.kind === 'aborted') {
    log.record(turnAborted(ended));
    log.tell({ kind: 'turn-aborted', turnId });
  } else if (result.kind === 'failed') {
    log.record(turnComplete(ended, result.outcome));
    log.tell({ kind: 'turn-failed', turnId, outcome: result.outcome });
  } else {
    log.record(turnComplete(ended));
    log.tell({ kind: 'turn-completed', turnId, usage: log.state.usage.total });
  }
  await log.durable();
}
