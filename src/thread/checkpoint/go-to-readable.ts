import { providerOfTurn } from '../../envelope/provider-of.ts';
import { sentence } from '../../protocol/outcome.ts';
import { reopenedLine } from '../../state/behind.ts';
import { compact } from './compact.ts';
import type { CompactionResult, WantedCompaction } from '../parts/compaction-result.ts';
import { lookAround } from '../contract/look-around.ts';
import { compactAfterReopening } from './compact-when-full.ts';
import type { Turn } from '../parts/parts.ts';
import type { WayToRead } from './readable-way.ts';

export interface GoingThere {
  /** What is wanted of a checkpoint, if its maker is asked for one. */
  readonly wanted: WantedCompaction;
  /** A history that is used again and is too long is compacted. False: that is done anyway. */
  readonly freesSpace: boolean;
}

/** Makes the history readable. Undefined when the history behind the checkpoint is used. */
export async function goThere(
  turn: Turn,
  way: Exclude<WayToRead, { kind: 'refused' }>,
  { wanted, freesSpace }: GoingThere,
): Promise<CompactionResult | undefined> {
  if (way.kind === 'ask') {
    const { provider, by } = way.maker;
    const step = await lookAround(turn, 0);
    const result = await compact(turn, step, { ...wanted, by, provider, only: true, mayGrow: true });
    if (result.kind !== 'failed') return result;
    if (!way.hasBehind) {
      const { message } = way.otherwise;
      const why = `${message} That provider was asked for a summary, in vain: ${sentence(result.outcome.message)}`;
      return { kind: 'failed', outcome: { ...way.otherwise, message: why } };
    }
  }
  const { log, turnId, envelope } = turn;
  const before = log.state.history.length;
  const reader = providerOfTurn(envelope);
  log.record(reopenedLine(turnId, reader));
  log.tell({ kind: 'warning', outcome: usedAgain(log.state.history.length - before, reader.id) });
  if (freesSpace) await compactAfterReopening(turn, await lookAround(turn, 0));
  return undefined;
}

function usedAgain(items: number, provider: string) {
  return {
    code: 'history-reopened',
    message: `The newest checkpoint of this thread can be read only by the provider that made it, and "${provider}" takes over. Capstan uses the history behind it instead, ${items} items more.`,
    next: 'Nothing is lost, and nothing needs to be done.',
  };
}
