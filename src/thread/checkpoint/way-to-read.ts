import { providerOfTurn } from '../../envelope/provider-of.ts';
import { hiddenFrom } from '../../state/behind.ts';
import type { CompactionResult, WantedCompaction } from '../parts/compaction-result.ts';
import type { Turn, TurnEnding } from '../parts/parts.ts';
import type { OpenWay, WayToRead } from './choose-way-to-read.ts';

/** Undefined for nearly all turns: their model can read what stands. Nothing is recorded or sent yet. */
export async function wayToRead(turn: Turn): Promise<WayToRead | undefined> {
  const { log, envelope, before = envelope } = turn;
  const hidden = hiddenFrom(log.state, providerOfTurn(envelope), providerOfTurn(before));
  if (hidden.length === 0) return undefined;
  const { chooseWay } = await import('./choose-way-to-read.ts');
  return chooseWay(turn, hidden);
}

/** Goes that way before the first request of a turn. Gives how the turn ends, if it cannot continue. */
export async function makeReadable(turn: Turn, way: OpenWay | undefined): Promise<TurnEnding | undefined> {
  if (way === undefined) return undefined;
  const { goThere } = await import('./choose-way-to-read.ts');
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
  const { goThere } = await import('./choose-way-to-read.ts');
  return goThere(turn, way, { wanted, freesSpace: false });
}
