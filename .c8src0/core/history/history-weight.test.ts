import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import type { ProviderName } from '../../protocol/provider-name.ts';
import { type HistoryEntry, isTurnBoundary, isModelMade, type EntryOrigin } from './entry.ts';
import { appendEntry, emptyHistory, historyEntries, type History } from './history.ts';
import { type HistoryWeight, historyTokens, weighHistory } from './window-usage.ts';
import { itemForProvider } from './sent-items.ts';
import { itemTokens } from './token-counts.ts';

/** The same, each number found by looking at everything. */
function fromScratch(all: readonly HistoryEntry[], reader?: ProviderName): HistoryWeight & { readonly total: number } {
  const isSent = ({ item, maker }: HistoryEntry) =>
    reader === undefined || itemForProvider(item, maker, reader) !== undefined;
  const weigh = (some: readonly HistoryEntry[]) => some.reduce((sum, { item }) => sum + itemTokens(item), 0);
  const tokens = (some: readonly HistoryEntry[]) => weigh(some.filter(isSent));
  const boundary = all.findLastIndex(isTurnBoundary);
  const made = all.findLastIndex(isModelMade);
  const spoken = all.slice(all.slice(0, Math.max(0, made)).findLastIndex(isTurnBoundary) + 1, made + 1);
  const encrypted = ({ item, ...entry }: HistoryEntry) =>
    isSent({ item, ...entry }) && item.type === 'reasoning' && typeof item['encrypted_content'] === 'string';
  const worded = ({ item, ...entry }: HistoryEntry) =>
    isSent({ item, ...entry }) && item.type === 'reasoning' && ((item['content'] ?? []) as unknown[]).length > 0;
  return {
    total: tokens(all),
    afterModel: made === -1 ? undefined : tokens(all.slice(made + 1)),
    upToModel: made + 1,
    earlierReasoning: tokens(all.slice(0, Math.max(0, boundary)).filter(encrypted)),
    newReasoning: tokens(all.slice(Math.max(0, boundary)).filter(encrypted)),
    hidden: weigh(all.filter((entry) => !isSent(entry))),
    thoughtKept: all.slice(boundary + 1).some(encrypted) || spoken.some((entry) => isModelMade(entry) && worded(entry)),
  };
}

const weighed = (history: History, reader?: ProviderName) => ({
  ...weighHistory(history, { reader }),
  total: historyTokens(history, { reader }),
});

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.string({ maxLength: 40 }).map((output) => ({ type: 'function_call_output', call_id: 'a', output })),
  fc.nat(2000).map((length) => ({ type: 'reasoning', summary: [], encrypted_content: 'x'.repeat(length) })),
  fc.constantFrom<Item>(
    { type: 'reasoning', summary: [], content: null },
    { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] },
    { type: 'agent_message', author: 'a', recipient: 'b', content: [] },
  ),
);
const origin = fc.constantFrom<EntryOrigin>({ family: 'user' }, { family: 'model' }, { family: 'tool' });
const [maker, other] = [{ id: 'a', address: 'https://a.example/v1' }, { id: 'b' }];
const entry: fc.Arbitrary<HistoryEntry> = fc.record(
  { item, origin, maker: fc.constantFrom<ProviderName>(maker, other) },
  { requiredKeys: ['item', 'origin'] },
);
const readers = [undefined, maker, other];

describe('the weight of a history', () => {
  it('grown step by step is what it is from scratch, for every value on the way and every branch', () => {
    const step = fc.record({ goBack: fc.option(fc.nat(), { freq: 4 }), batch: fc.array(entry, { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const values: History[] = [emptyHistory()];
        for (const { goBack, batch } of steps) {
          const from = goBack === null ? values.at(-1)! : values[goBack % values.length]!;
          const grown = batch.reduce(appendEntry, from);
          for (const reader of readers) {
            expect(weighed(grown, reader)).toEqual(fromScratch(historyEntries(grown), reader));
          }
          values.push(grown);
        }
        for (const reader of readers) {
          for (const value of values)
            expect(weighed(value, reader)).toEqual(fromScratch(historyEntries(value), reader));
        }
      }),
    );
  });
});
