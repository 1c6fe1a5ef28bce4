import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import { requestTokens } from './window-usage.ts';
import { comparePrefix, type SentRequest } from './prefix-cache.ts';
import { instructionsTokens, itemTokens } from './token-counts.ts';

const message = (text: string, id?: string): Item => ({
  type: 'message',
  ...(id === undefined ? {} : { id }),
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const look = { type: 'function', name: 'look', parameters: {} };
const search = { type: 'web_search' };
const items = ['one', 'two', 'three'].map((text, index) => message(text, `msg_${index}`));
const sent: SentRequest = {
  instructions: 'Be brief.',
  toolSet: 'a',
  tools: [look, search],
  input: items,
  model: 'gpt-5.5',
  settings: { effort: 'high', cacheKey: 'k' },
};
const tokensOf = (input: readonly Item[]) => input.reduce((sum, item) => sum + itemTokens(item), 0);
const whole = requestTokens(sent);

describe('comparePrefix', () => {
  it('keeps all of a request that only grew', () => {
    const now = { ...sent, input: [...items, message('four')] };
    expect(comparePrefix(sent, now)).toEqual({ kept: { items: 3 }, breaks: [] });
    expect(comparePrefix(sent, sent)).toEqual({ kept: { items: 3 }, breaks: [] });
  });

  it('does not mind other objects with the same bytes, and minds another order of keys', () => {
    const copy = structuredClone(items);
    expect(comparePrefix(sent, { ...sent, input: copy }).breaks).toEqual([]);
    const turned = Object.fromEntries(Object.entries(items[1]!).toReversed()) as Item;
    expect(comparePrefix(sent, { ...sent, input: items.with(1, turned) }).breaks).toEqual([
      { kind: 'entry', index: 1, itemId: 'msg_1', what: 'changed', tokens: tokensOf(items.slice(1)) },
    ]);
  });

  it.each([
    ['an edit', items.with(1, message('other', 'msg_1')), 1, 'changed'],
    ['another item in its place', items.with(1, message('other', 'msg_9')), 1, 'changed'],
    ['an insertion', items.toSpliced(1, 0, message('new')), 1, 'changed'],
    ['a swap', [items[0]!, items[2]!, items[1]!], 1, 'changed'],
    ['a removal', items.toSpliced(1, 1), 1, 'removed'],
    ['a removal of the last', items.slice(0, 2), 2, 'removed'],
    ['a removal of all', [], 0, 'removed'],
  ] as const)('reports %s', (_name, input, index, what) => {
    const report = comparePrefix(sent, { ...sent, input });
    const anew = tokensOf(input.slice(index));
    expect(report).toEqual({
      kept: { items: index, tokens: whole - tokensOf(items.slice(index)) },
      breaks: [{ kind: 'entry', index, itemId: `msg_${index}`, what, tokens: anew }],
    });
  });

  it('names the tools that came, went and changed', () => {
    const tools = [
      { ...look, description: 'new' },
      { type: 'function', name: 'write' },
    ];
    const now = { ...sent, toolSet: 'b', tools };
    const kept = instructionsTokens(sent.instructions);
    expect(comparePrefix(sent, now)).toEqual({
      kept: { items: 0, tokens: kept },
      breaks: [
        {
          kind: 'tools',
          added: ['write'],
          removed: ['web_search'],
          changed: ['look'],
          tokens: requestTokens(now) - kept,
        },
      ],
    });
    expect(comparePrefix(sent, { ...sent, toolSet: 'c', tools: [search, look] }).breaks).toEqual([
      { kind: 'tools', added: [], removed: [], changed: [], tokens: whole - kept },
    ]);
  });

  it('names settings, instructions and items that changed together, in their order', () => {
    const now: SentRequest = {
      ...sent,
      model: 'other',
      settings: { effort: 'low', cacheKey: 'k', tier: 'fast' },
      instructions: 'Be long.',
      input: items.slice(1),
    };
    const tokens = requestTokens(now);
    expect(comparePrefix(sent, now)).toEqual({
      kept: { items: 0, tokens: 0 },
      breaks: [
        { kind: 'setting', name: 'model', tokens },
        { kind: 'setting', name: 'effort', tokens },
        { kind: 'setting', name: 'tier', tokens },
        { kind: 'instructions', tokens },
        { kind: 'entry', index: 0, itemId: 'msg_0', what: 'removed', tokens: tokensOf(items.slice(1)) },
      ],
    });
  });
});

describe('laws', () => {
  const input = fc.array(
    fc.string({ maxLength: 8 }).map((text) => message(text)),
    { maxLength: 12 },
  );
  const encoded = (item: Item | undefined) => JSON.stringify(item);

  it('appending never breaks, however often', () => {
    fc.assert(
      fc.property(fc.array(input, { minLength: 2, maxLength: 6 }), (batches) => {
        let before: SentRequest = { ...sent, input: [] };
        for (const batch of batches) {
          const now = { ...sent, input: [...before.input, ...batch] };
          expect(comparePrefix(before, now)).toEqual({ kept: { items: before.input.length }, breaks: [] });
          before = now;
        }
      }),
    );
  });

  it('anything else is reported at the first index that differs', () => {
    fc.assert(
      fc.property(input, input, (before, now) => {
        const differs = before.findIndex((item, index) => encoded(item) !== encoded(now[index]));
        const { kept, breaks } = comparePrefix({ ...sent, input: before }, { ...sent, input: now });
        expect(breaks.map((each) => (each.kind === 'entry' ? each.index : each.kind))).toEqual(
          differs === -1 ? [] : [differs],
        );
        expect(kept.items).toBe(differs === -1 ? before.length : differs);
        const weighed = requestTokens({ ...sent, input: now.slice(0, kept.items) });
        expect(kept.tokens).toBe(differs === -1 ? undefined : weighed);
      }),
    );
  });
});
