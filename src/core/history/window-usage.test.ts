import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { activeTokens, droppedReasoning, requestTokens } from './window-usage.ts';
import { entryFromLine } from './entry.ts';
import { historyOf } from './history.ts';
import { itemTokens, type NewestTokenCount, noTokenCount } from './token-counts.ts';

const user = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const said = (text: string): Item => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const reasoning = (length: number): Item => ({
  type: 'reasoning',
  summary: [],
  encrypted_content: 'x'.repeat(length),
});
const output: Item = { type: 'function_call_output', call_id: 'a', output: 'fine' };
const mail: Item = { type: 'agent_message', author: '/root', recipient: '/root/a', content: [] };
const last = { ...noUsage, input: 90, output: 10, total: 100 };
const counted = (usage: Usage, upTo = 9): NewestTokenCount => ({ kind: 'counted', usage, upTo });
const base = {
  instructions: 'Be brief.',
  tools: [{ type: 'function', name: 'look' }],
  newest: counted(last),
  reasoningCounted: false,
};
const of = (...items: readonly Item[]) => historyOf(items.map((item) => entryFromLine(item, undefined)));

describe('activeTokens', () => {
  it('is what the provider counted while nothing was added', () => {
    expect(activeTokens({ ...base, history: of(user('a'), said('b')) })).toEqual({ tokens: 100, measure: 'exact' });
  });

  it('adds estimates for what came after the model spoke', () => {
    const added = [user('next'), output];
    expect(activeTokens({ ...base, history: of(user('a'), said('b'), ...added) })).toEqual({
      tokens: 100 + itemTokens(added[0]!) + itemTokens(output),
      measure: 'estimated',
    });
    expect(activeTokens({ ...base, history: of(said('b'), mail) })).toEqual({
      tokens: 100 + itemTokens(mail),
      measure: 'estimated',
    });
  });

  it('adds the reasoning of earlier turns, unless the provider counts it', () => {
    const history = of(user('a'), reasoning(900), reasoning(1000), user('b'), reasoning(4000), said('c'));
    expect(activeTokens({ ...base, history })).toEqual({ tokens: 132, measure: 'estimated' });
    expect(activeTokens({ ...base, history, reasoningCounted: true })).toEqual({ tokens: 100, measure: 'exact' });
  });

  it('is the larger of count and estimate where nothing that the model made is left', () => {
    const few = [user('a'), user('b')];
    const many = [user('a'), user('Look again, and then once more. '.repeat(100))];
    const estimate = requestTokens({ ...base, input: many });
    expect(estimate).toBeGreaterThan(100);
    expect(activeTokens({ ...base, history: of(...few) })).toEqual({ tokens: 100, measure: 'estimated' });
    expect(activeTokens({ ...base, history: of(...many) })).toEqual({ tokens: estimate, measure: 'estimated' });
  });

  it('adds up the parts of a count that has no total', () => {
    const history = of(user('a'), said('b'));
    const newest = counted({ ...last, total: 0 });
    expect(activeTokens({ ...base, history, newest })).toEqual({ tokens: 100, measure: 'exact' });
  });

  it('estimates everything when the provider counted nothing', () => {
    const items = [user('a'), said('b')];
    const everything = { tokens: requestTokens({ ...base, input: items }), measure: 'estimated' };
    expect(activeTokens({ ...base, history: of(...items), newest: noTokenCount })).toEqual(everything);
    const outputAlone = { kind: 'estimated', tokens: 1, upTo: 2 } as const;
    expect(activeTokens({ ...base, history: of(...items), newest: outputAlone })).toEqual(everything);
  });

  it.each(['full', 'estimated'] as const)(
    'goes by a total without counts that is %s as far as it says more',
    (kind) => {
      const items = [user('a'.repeat(4000))];
      const everything = requestTokens({ ...base, input: items });
      const withTotal = (tokens: number) =>
        activeTokens({ ...base, history: of(...items), newest: { kind, tokens, upTo: 1 } });
      expect(withTotal(258_400)).toEqual({ tokens: 258_400, measure: 'estimated' });
      expect(withTotal(100)).toEqual({ tokens: everything, measure: 'estimated' });
    },
  );

  it('adds what was not counted to an older count or estimate: answers, and what came between', () => {
    const counts = [user('a'), said('b')];
    const later = [user('c'), reasoning(2000), said('d'.repeat(400)), user('e'), said('f')];
    const added = later.reduce((sum, item) => sum + itemTokens(item), 0);
    const history = of(...counts, ...later);
    expect(activeTokens({ ...base, history, newest: counted(last, 2) })).toEqual({
      tokens: 100 + added,
      measure: 'estimated',
    });
    expect(activeTokens({ ...base, history, newest: { kind: 'estimated', tokens: 90_000, upTo: 2 } })).toEqual({
      tokens: 90_000 + added,
      measure: 'estimated',
    });
  });

  it('adds output that was recorded before the count, and counted reasoning that became earlier since', () => {
    const counts = [user('a'), reasoning(2000), said('b'), output];
    const later = [user('c'), said('d')];
    const sum = [reasoning(2000), output, ...later].reduce((tokens, item) => tokens + itemTokens(item), 0);
    const history = of(...counts, ...later);
    expect(activeTokens({ ...base, history, newest: counted(last, 4) }).tokens).toBe(100 + sum);
  });

  it('never shrinks while history grows and nothing is counted', () => {
    const kinds = [user('Go on, and look at it once more.'), said('Fine. '.repeat(50)), reasoning(3000), output, mail];
    const newest = fc.oneof(
      fc.nat(50_000).map((tokens): NewestTokenCount => ({ kind: 'estimated', tokens, upTo: 2 })),
      fc.nat(50_000).map((input) => counted({ ...noUsage, input: input + 1, output: 9, total: input + 10 }, 2)),
    );
    fc.assert(
      fc.property(newest, fc.array(fc.constantFrom(...kinds), { maxLength: 12 }), (from, added) => {
        const sizes = added.map((_, at) => {
          const history = of(user('a'), said('b'), ...added.slice(0, at + 1));
          return activeTokens({ ...base, history, newest: from }).tokens;
        });
        expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('reasoning that the next request does not carry', () => {
  const usage = { ...noUsage, output: 800, reasoningOutput: 700 };
  const inWords: Item = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] };
  const summary: Item = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], content: null };
  const dropped = (...items: readonly Item[]) => droppedReasoning({ history: of(...items) }, usage);

  it('is none when the thoughts stand in history', () => {
    expect([dropped(user('a'), reasoning(900)), dropped(user('a'), inWords, said('b'))]).toEqual([0, 0]);
    expect(dropped(user('a'), inWords, said('b'), user('c'))).toBe(0);
  });

  it('is all of it when they do not, and after a boundary, from which on encrypted ones are estimated', () => {
    expect([dropped(user('a')), dropped(user('a'), summary, said('b'))]).toEqual([700, 700]);
    expect(dropped(user('a'), reasoning(900), said('b'), user('c'))).toBe(700);
    expect(dropped(user('a'), inWords, said('b'), user('c'), said('d'))).toBe(700);
  });

  it('is not part of what the window holds', () => {
    const newest = counted({ ...last, reasoningOutput: 8 });
    expect(activeTokens({ ...base, newest, history: of(user('a'), said('b')) })).toEqual({
      tokens: 92,
      measure: 'exact',
    });
    expect(activeTokens({ ...base, newest, history: of(user('a'), reasoning(900), said('b')) })).toEqual({
      tokens: 100,
      measure: 'exact',
    });
  });
});
