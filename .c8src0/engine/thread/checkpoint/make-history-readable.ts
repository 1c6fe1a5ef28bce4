import { turnProvider } from '../../../core/envelope/envelope.ts';
import { unreadableCheckpoints } from '../../../core/state/checkpoints/opaque-checkpoint.ts';
import type { WantedCompaction } from './compaction-result.ts';
import type { Turn, TurnEnding } from '../thread-parts.ts';
import type { UsableHistoryChoice, ReadableHistoryChoice } from './choose-readable-history.ts';

/** Undefined for nearly all turns: their model can read history. Records and sends nothing. */
export async function findReadableHistory(turn: Turn): Promise<ReadableHistoryChoice | undefined> {
  const { log, envelope, before = envelope } = turn;
  const hidden = unreadableCheckpoints(log.state, turnProvider(envelope), turnProvider(before));
  if (hidden.length === 0) return undefined;
  const { chooseReadableHistory } = await import('./choose-readable-history.ts');
  return chooseReadableHistory(turn, hidden);
}

/** Makes history readable before the first request of a turn. Returns the turn's ending if it cannot continue. */
export async function makeHistoryReadable(
  turn: Turn,
  way: UsableHistoryChoice | undefined,
): Promise<TurnEnding | undefined> {
  if (way === undefined) return undefined;
  const { applyReadableHistoryChoice } = await import('./choose-readable-history.ts');
  const wanted = { trigger: 'auto', reason: way.reason, phase: 'pre_turn' } as const;
  const result = await applyReadableHistoryChoice(turn, way, { wanted, freesSpace: true });
  if (result?.kind === 'failed') return { kind: 'failed', failure: result.outcome };
  return result?.kind === 'aborted' ? result : undefined;
}

/** For a compaction in a turn of its own. Returns the result if nothing is left to compact. */
export async function makeReadableForCompaction(
  turn: Turn,
  way: UsableHistoryChoice | undefined,
  wanted: WantedCompaction,
) {
  if (way === undefined) return undefined;
  const { applyReadableHistoryChoice } = await import('./choose-readable-history.ts');
  return applyReadableHistoryChoice(turn, way, { wanted, freesSpace: false });
}
