import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../protocol/item.ts';
import { type Entry, isBoundary, isModelMade, type Origin } from './entry.ts';
import { append, emptyHistory, entries, type History } from './history.ts';
import { type HistoryWeight, historyTokens, weightOf } from './history-weight.ts';
import { itemTokens } from './size.ts';

/** The same, each number found by looking at everything. */
function fromScratch(all: readonly Entry[]): HistoryWeight & { readonly total: number } {
  const tokens = (some: readonly Entry[]) => some.reduce((sum, { item }) => sum + itemTokens(item), 0);
  const boundary = all.findLastIndex(isBoundary);
  const made = all.findLastIndex(isModelMade);
  const spoken = all.slice(all.slice(0, Math.max(0, made)).findLastIndex(isBoundary) + 1, made + 1);
  const encrypted = ({ item }: Entry) => item.type === 'reasoning' && typeof item['encrypted_content'] === 'string';
  const worded = ({ item }: Entry) => item.type === 'reasoning' && ((item['content'] ?? []) as unknown[]).length > 0;
  return {
    total: tokens(all),
    afterModel: made === -1 ? undefined : tokens(all.slice(made + 1)),
    earlierReasoning: tokens(all.slice(0, Math.max(0, boundary)).filter(encrypted)),
    newReasoning: tokens(all.slice(Math.max(0, boundary)).filter(encrypted)),
    thoughtKept: all.slice(boundary + 1).some(encrypted) || spoken.some((entry) => isModelMade(entry) && worded(entry)),
  };
}

const weighed = (history: History) => ({ ...weightOf(history), total: historyTokens(history) });

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.string({ maxLength: 40 }).map((output) => ({ type: 'function_call_output', call_id: 'a', output })),
  fc.nat(2000).map((length) => ({ type: 'reasoning', summary: [], encrypted_content: 'x'.repeat(length) })),
  fc.constantFrom<Item>(
    { type: 'reasoning', summary: [], content: null },
    { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] },
    { type: 'agent_message', author: 'a', recipient: 'b', content: [] },
  ),
);
const origin = fc.constantFrom<Origin>({ family: 'user' }, { family: 'model' }, { family: 'tool' });
const entry: fc.Arbitrary<Entry> = fc.record({ item, origin });

describe('the weight of a history', () => {
  it('grown step by step is what it is from scratch, for every value on the way and every branch', () => {
    const step = fc.record({ goBack: fc.option(fc.nat(), { freq: 4 }), batch: fc.array(entry, { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const values: History[] = [emptyHistory()];
        for (const { goBack, batch } of steps) {
          const from = goBack === null ? values.at(-1)! : values[goBack % values.length]!;
          const grown = batch.reduce(append, from);
          expect(weighed(grown)).toEqual(fromScratch(entries(grown)));
          values.push(grown);
        }
        for (const value of values) expect(weighed(value)).toEqual(fromScratch(entries(value)));
      }),
    );
  });
});
