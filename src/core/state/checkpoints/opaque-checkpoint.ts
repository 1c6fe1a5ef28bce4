import type { HistoryEntry } from '../../history/entry.ts';
import { historyEntries, type History, historyOf } from '../../history/history.ts';
import { isOpaqueCheckpoint } from '../../history/sent-items.ts';
import { asItem } from '../../../protocol/item.ts';
import { arrayAt, type JsonObject } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import { type ProviderName, canReadOpaqueItems } from '../../../protocol/provider-name.ts';
import { noTokenCount } from '../../history/token-counts.ts';
import { baselineAfterCheckpoint, mcpProblemsInBaseline } from '../../world/tell-world.ts';
import type { HistoryBehindCheckpoint, ThreadState } from '../thread-state.ts';

export function historyBehindCheckpoint(before: ThreadState, checkpoint: readonly HistoryEntry[]) {
  const isOpaque = checkpoint.some(({ item }) => isOpaqueCheckpoint(item));
  return isOpaque ? { history: reopened(before), replaced: checkpoint.length } : undefined;
}

/** True if only a provider can read part of the result: a fold may not begin at that `compacted` line. */
export function hasOpaqueItems(payload: JsonObject): boolean {
  const items = (arrayAt(payload, 'replacement_history') ?? []).flatMap((value) => asItem(value) ?? []);
  return items.some(isOpaqueCheckpoint);
}

function reopened({ history, behind }: Pick<ThreadState, 'history' | 'behind'>): History {
  if (behind === undefined) return history;
  return historyOf([...historyEntries(behind.history), ...historyEntries(history).slice(behind.replaced)]);
}

/** Opaque checkpoints that this reader needs and cannot read. `before` replaces an unrecorded compatibility. */
export function unreadableCheckpoints(
  { history, behind }: ThreadState,
  reader: ProviderName,
  before: ProviderName = reader,
): readonly HistoryEntry[] {
  const all = historyEntries(history);
  return all.filter((entry, place) => {
    if (!isOpaqueCheckpoint(entry.item)) return false;
    const { maker } = entry;
    const { compatibility = before.compatibility } = maker ?? {};
    if (maker !== undefined && canReadOpaqueItems(reader, { ...maker, compatibility })) return false;
    // A checkpoint that a provider added in between only repeats what is there.
    return place < (behind?.replaced ?? 0) || !saysAnything(all.slice(0, place));
  });
}

/** True if every provider can read a history: each opaque item only repeats readable content. */
export function isReadableByAll({ history }: HistoryBehindCheckpoint): boolean {
  const all = historyEntries(history);
  const first = all.findIndex(({ item }) => isOpaqueCheckpoint(item));
  return saysAnything(first === -1 ? all : all.slice(0, first));
}

const saysAnything = (all: readonly HistoryEntry[]): boolean =>
  all.some(({ item, origin }) => origin.family !== 'context' && !isOpaqueCheckpoint(item));

export function reopenedLine(turnId: string, reader: ProviderName): LineDraft {
  return { type: lineType.reopened, payload: { turn_id: turnId, provider: { ...reader } } };
}

/** Folds that line. The next model has not seen that history, and no provider has counted it. */
export function foldReopened(state: ThreadState): ThreadState {
  if (state.behind === undefined) return state;
  return {
    ...state,
    behind: undefined,
    posted: undefined,
    prefill: undefined,
    history: reopened(state),
    baseline: baselineAfterCheckpoint(mcpProblemsInBaseline(state.baseline)),
    sent: { kind: 'gone', why: 'reopened' },
    usage: { total: state.usage.total, newest: noTokenCount },
    checkpoints: { ...state.checkpoints, seen: undefined },
  };
}
