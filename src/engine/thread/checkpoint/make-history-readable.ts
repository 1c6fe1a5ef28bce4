import { turnProvider } from '../../../core/envelope/envelope.ts';
import { unreadableCheckpoints } from '../../../core/state/checkpoints/opaque-checkpoint.ts';
import type { CompactionResult, WantedCompaction } from './compaction-result.ts';
import type { Turn, TurnEnding } from '../thread-parts.ts';
import type { OpenWay, WayToRead } from './choose-readable-history.ts';

/** Undefined for nearly all turns: their model can read what stands. Nothing is recorded or sent yet. */
export async function wayToRead(turn: Turn): Promise<WayToRead | undefined> {
  const { log, envelope, before = envelope } = turn;
  const hidden = unreadableCheckpoints(log.state, turnProvider(envelope), turnProvider(before));
  if (hidden.length === 0) return undefined;
  const { chooseWay } = await import('./choose-readable-history.ts');
  return chooseWay(turn, hidden);
}

/** Goes that way before the first request of a turn. Gives how the turn ends, if it cannot continue. */
export async function makeReadable(turn: Turn, way: OpenWay | undefined): Promise<TurnEnding | undefined> {
  if (way === undefined) return undefined;
  const { goThere } = await import('./choose-readable-history.ts');
  const wanted = { trigger: 'auto', reason: way.reason, phase: 'pre_turn' } as const;
  const result = await goThere(turn, way, { wanted, freesSpace: true });
  if (result?.kind === 'failed') return { kind: 'failed', failure: result.outcome };
  return result?.kind === 'aborted' ? result : undefined;
}

/** The same for a compaction in a turn of its own. Gives what came of it if nothing is left to compact. */
export async function compactReadable(
  turn: Turn,
  way: OpenWay | undefined,
  wanted: WantedCompaction,
): Promise<CompactionResult | undefined> {
  if (way === undefined) return undefined;
  const { goThere } = await import('./choose-readable-history.ts');
  return goThere(turn, way, { wanted, freesSpace: false });
}
