import { expect, it } from 'vitest';
import { itemTokens } from '../../history/size.ts';
import type { ModelEvent } from '../../ports/model-client.ts';
import type { Prompt } from '../../ports/prompt.ts';
import type { Item } from '../../protocol/item.ts';
import { SpentCounter } from './spent.ts';

const options = { model: 'm', parallelToolCalls: true, cacheKey: 'k', labels: {} };
const prompt: Prompt = { options, instructions: '', tools: [], input: [] };
const cut: ModelEvent = {
  kind: 'failed',
  failure: { code: 'stream-cut', message: 'Cut.', next: 'Try again.', retry: {} },
};

/** The tokens that are estimated of an answer that broke off after these events. */
function estimated(...events: readonly ModelEvent[]): number {
  const spent = new SpentCounter(prompt, undefined);
  for (const event of events) spent.read(event);
  const ended = spent.read(cut);
  return (ended.kind === 'failed' && ended.spent?.estimated) || 0;
}

it('an answer that broke off counts each of its texts once: as an item, or as what came of it', () => {
  const text = 'word '.repeat(400);
  const delta: ModelEvent = { kind: 'text-delta', itemId: 'msg_1', delta: text };
  const item: Item = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] };
  const begun = estimated({ kind: 'created', responseId: 'r' });
  expect(estimated(delta) - begun).toBe(text.length / 4);
  expect(estimated(delta, { kind: 'item', item }) - begun).toBe(itemTokens(item));
  expect(estimated(delta, { kind: 'item', item }, delta) - begun).toBe(itemTokens(item) + text.length / 4);
});

it('a request to which nothing came back costs nothing', () => {
  expect(new SpentCounter(prompt, undefined).read(cut)).toEqual(cut);
});
