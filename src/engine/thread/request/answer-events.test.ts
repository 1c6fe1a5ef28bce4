import { expect, it } from 'vitest';
import { itemTokens } from '../../../core/history/token-counts.ts';
import type { ModelPrompt } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import { CostCounter } from './answer-events.ts';

const options = { model: 'm', parallelToolCalls: true, cacheKey: 'k', labels: {} };
const prompt: ModelPrompt = { options, instructions: '', tools: [], input: [] };
const cut = {
  kind: 'failed',
  failure: { code: 'stream-cut', message: 'Cut.', next: 'Try again.', retry: {} },
} as const;

/** The tokens that are estimated of an answer that broke off after these events. */
function estimated(...events: readonly Parameters<CostCounter['read']>[0][]): number {
  const spent = new CostCounter(prompt);
  for (const event of events) spent.read(event);
  return spent.end(cut, undefined).spent?.estimated ?? 0;
}

it('an answer that broke off counts each of its texts once: as an item, or as what came of it', () => {
  const text = 'word '.repeat(400);
  const delta = { kind: 'text-delta', itemId: 'msg_1', delta: text } as const;
  const item: Item = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] };
  const begun = estimated({ kind: 'created', responseId: 'r' });
  expect(estimated(delta) - begun).toBe(text.length / 4);
  expect(estimated(delta, { kind: 'item', item }) - begun).toBe(itemTokens(item));
  expect(estimated(delta, { kind: 'item', item }, delta) - begun).toBe(itemTokens(item) + text.length / 4);
});

it('a request to which nothing came back costs nothing', () => {
  expect(new CostCounter(prompt).end(cut, undefined)).toEqual(cut);
});
