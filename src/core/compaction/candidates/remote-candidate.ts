import type { HistoryEntry } from '../../history/entry.ts';
import { historyEntries as entriesOf } from '../../history/history.ts';
import { isCheckpointItem, isOpaque } from '../../history/sent-items.ts';
import { itemTokens } from '../../history/token-counts.ts';
import { messagesOfUserAndSetup } from '../../history/user-words.ts';
import { isMessage, type Item } from '../../../protocol/item.ts';
import { objectsAt, stringAt } from '../../../protocol/json.ts';
import type { ProviderName } from '../../../protocol/provider-name.ts';
import { type Candidate, type CandidateEntry, type FaultyAnswer, faultyAnswer } from './candidate.ts';
import { entriesTokens, recordsEntries, userMessagesEntry, shrinkToFit } from './build-candidate.ts';
import type { CompactionPlan, CompactionSource } from '../plan/compaction-plan.ts';

/** `unary`: the provider sends the new history, and we keep what is permitted. `stream`: it sends one opaque item. */
export function remoteCandidate(
  plan: CompactionPlan,
  source: CompactionSource,
  items: readonly Item[],
  form: 'unary' | 'stream',
): Candidate | FaultyAnswer {
  const others = form === 'unary' ? keptOutput(items) : opaqueItem(items);
  if ('faults' in others) return others;
  const all = messagesOfUserAndSetup(source.history, source);
  const asked = form === 'stream' ? fromAgents(entriesOf(source.history)) : [];
  return shrinkToFit(plan.budget, (budget) => {
    const words = userMessagesEntry(plan, all, { chosen: [] }, budget);
    const left = budget.words - entriesTokens(words.entries);
    const entries = [
      ...words.entries,
      ...newestThatFit(asked, left).map((entry) => ({ kind: 'kept', entry }) as const),
      ...recordsEntries(source.work, budget.records),
      ...others.map((item) => outputEntry(item, plan.provider)),
    ];
    const { counts } = words.choice;
    return { strategy: 'remote', entries, message: '', tokens: entriesTokens(entries), words: counts, mended: [] };
  });
}

/** Keeps words of the model and of agents, and opaque items. The rest may be stale, or we have it ourselves. */
function keptOutput(items: readonly Item[]): readonly Item[] | FaultyAnswer {
  const isAnswer = (item: Item): boolean =>
    item.type === 'agent_message' || (isMessage(item) && item.role === 'assistant');
  const kept = [...items.filter(isAnswer), ...items.filter(isCheckpointItem)];
  return kept.length === 0 ? faultyAnswer('The provider sent nothing that could be kept.') : kept;
}

function opaqueItem(items: readonly Item[]): readonly Item[] | FaultyAnswer {
  const found = items.filter(({ type }) => type === 'compaction');
  if (found.length !== 1) return faultyAnswer(`The provider sent ${found.length} compaction items instead of one.`);
  const { encrypted_content: content } = found[0]!;
  return typeof content === 'string' && content !== ''
    ? found
    : faultyAnswer('The compaction item of the provider is empty.');
}

function outputEntry(item: Item, provider: ProviderName | undefined): CandidateEntry {
  const origin = { family: 'model' } as const;
  const known = { origin, ...(provider === undefined || !isOpaque(item) ? {} : { maker: provider }) };
  if (typeof item['id'] === 'string') return { kind: 'kept', entry: { item, ...known } };
  return { kind: 'made', item: (id) => ({ ...item, id }), ...known };
}

const mostOfAgent = 10_000;

/** Requests of other agents: work that did not come from the user. */
const fromAgents = (all: readonly HistoryEntry[]): readonly HistoryEntry[] =>
  all.filter(({ item }) => item.type === 'agent_message' && itemTokens(item) <= mostOfAgent && !isReport(item));

function isReport(item: Item): boolean {
  const [text = ''] = objectsAt(item, 'content').flatMap((part) => stringAt(part, 'text') ?? []);
  if (text.startsWith('Message Type: FINAL_ANSWER\n')) return true;
  const { author, recipient } = item;
  const isBelow = typeof author === 'string' && typeof recipient === 'string' && author.startsWith(`${recipient}/`);
  return isBelow && text.startsWith('Message Type: MESSAGE\n');
}

function newestThatFit(asked: readonly HistoryEntry[], tokens: number): readonly HistoryEntry[] {
  let left = tokens;
  return asked
    .toReversed()
    .filter(({ item }) => {
      left -= itemTokens(item);
      return left >= 0;
    })
    .toReversed();
}
