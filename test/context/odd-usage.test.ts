import { expect, it } from 'vitest';
import { itemTokens } from '../../src/core/history/token-counts.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, type ItemDraft, say, type ScriptedUsage } from '../../src/testing/index.ts';
import { long, requestKinds, says, smallLimit, talk, task } from '../compaction/talk.ts';
import { LiveThread } from '../harness/live-thread.ts';

/** Counts that say nothing of a request that holds about 25,000 tokens. */
const odd: readonly [string, unknown][] = [
  ['nothing', 'none'],
  ['all zero', 'zero'],
  ['no input', { input: 0, output: 30, total: 0 }],
  ['negative', { input: -5, output: -1, total: -6 }],
  ['texts', { input: '4', output: '5', total: '9' }],
  ['beyond any window', { input: 1e300, output: 1e300, total: 1e300 }],
];

it.each(odd)('a provider that counts %s: the window is estimated, and space is freed', async (_, usage) => {
  const live = await LiveThread.in(
    talk([answer({ items: [say(long)], usage: usage as ScriptedUsage }), says('Yes.')]),
    smallLimit,
  );
  await live.open({}, { compactsAfterTurns: false });
  await live.turn(task);
  const [told] = live.told('usage');
  expect(told!.tokens).toBeGreaterThan(20_000);
  expect(told!.measure).toBe('estimated');
  expect(told!.percentRemaining).toBeLessThan(95);
  await live.open({}, { compactsAfterTurns: false });
  await live.turn('Go on.');
  expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
});

it('a total of zero beside parts is their sum', async () => {
  const usage = { input: 100_000, cachedInput: 200_000, output: 1000, reasoningOutput: 5000, total: 0 };
  const live = await LiveThread.in(talk([answer({ items: [say('Yes.')], usage })]));
  await live.turn(task);
  expect(live.told('usage')[0]).toMatchObject({
    last: { input: 100_000, cachedInput: 100_000, output: 1000, reasoningOutput: 1000, total: 101_000 },
    // The reasoning of 1,000 tokens is gone.
    tokens: 100_000,
    percentRemaining: Math.round((100 * (258_400 - 100_000)) / (258_400 - 12_000)),
  });
});

it('a total alone is what the request and its answer weigh', async () => {
  const usage = { input: 0, output: 0, total: 50_000 };
  const live = await LiveThread.in(talk([answer({ items: [say('Yes.')], usage })]));
  await live.turn(task);
  expect(live.told('usage')[0]).toMatchObject({
    last: { input: 50_000, output: 0, total: 50_000 },
    total: { total: 50_000 },
    tokens: 50_000,
    percentRemaining: Math.round((100 * (258_400 - 50_000)) / (258_400 - 12_000)),
  });
});

it('a count far below what was sent is not believed: the window is estimated, and its cost is still counted', async () => {
  const usage = { input: 4, output: 30, total: 34 };
  const live = await LiveThread.in(talk([answer({ items: [say('Yes.')], usage }), says('Yes.')]), smallLimit);
  await live.open({}, { compactsAfterTurns: false });
  await live.turn(long);
  const [told] = live.told('usage');
  expect(told).toMatchObject({ last: { input: 4 }, total: { total: 34 }, measure: 'estimated' });
  expect(told!.tokens).toBeGreaterThan(20_000);
  const shown = JSON.parse((await live.place.run('context', live.id, '--json')).stdout) as JsonObject;
  expect(shown).toMatchObject({ total: told!.tokens, measure: 'estimated' });
  await live.open({}, { compactsAfterTurns: false });
  await live.turn('Go on.');
  expect(requestKinds(live).slice(-2)).toEqual(['checkpoint', 'step']);
});

const thoughts: readonly [string, readonly ItemDraft[]][] = [
  ['nothing of it', []],
  ['a summary of it', [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }]],
  ['it encrypted', [{ type: 'reasoning', summary: [], encrypted_content: 'x'.repeat(40_000) }]],
  ['it in words', [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm '.repeat(900) }] }]],
];

it.each(thoughts)('tokens and percent left are one number, with %s in history', async (_, items) => {
  const usage = { input: 30_000, output: 9000, reasoningOutput: 8000, total: 39_000 };
  const script = [1, 2, 3].map(() => answer({ items: [...items, say('Yes.')], usage }));
  const live = await LiveThread.in(talk(script));
  for (const words of [task, 'Go on.', 'And on.']) await live.turn(words);
  for (const { tokens, percentRemaining } of live.told('usage')) {
    expect(percentRemaining).toBe(Math.round((100 * (258_400 - tokens)) / (258_400 - 12_000)));
  }
  const { total } = JSON.parse((await live.place.run('context', live.id, '--json')).stdout) as { total: number };
  expect(total).toBe(live.told('usage').at(-1)!.tokens);
});

it.each(thoughts)('a provider that stops counting: tokens grow from the last count on, with %s', async (_, items) => {
  const uncounted = (text: string) => answer({ items: [...items, say(text)], usage: 'none' });
  const usage = { input: 20_000, output: 100, reasoningOutput: 0, total: 20_100 };
  const counted = answer({ items: [say('Yes.')], usage });
  const words = 'word '.repeat(2000);
  const live = await LiveThread.in(talk([counted, ...[1, 2, 3].map(() => uncounted(words)), uncounted('Yes.')]));
  for (const said of [task, 'Go on.', 'And on.', 'And on again.']) await live.turn(said);
  // A process that reads the thread again continues from the same count.
  await live.open();
  await live.turn('Once more.');
  const told = live.told('usage');
  expect(told[0]).toMatchObject({ tokens: 20_100, measure: 'exact' });
  const grown = told.map(({ tokens }, at) => tokens - (told[at - 1]?.tokens ?? 0)).slice(1);
  const ofThoughts = items.reduce((sum, item) => sum + itemTokens(item), 0);
  const about = (tokens: number) =>
    expect.toSatisfy((more: number) => more > tokens + ofThoughts && more < tokens + ofThoughts + 300) as number;
  expect(grown).toEqual([about(2000), about(2000), about(2000), about(0)]);
  expect(told.slice(1).every(({ measure }) => measure === 'estimated')).toBe(true);
  expect(live.thread.usage.tokens).toBe(told.at(-1)!.tokens);
  const { total } = JSON.parse((await live.place.run('context', live.id, '--json')).stdout) as { total: number };
  expect(total).toBe(told.at(-1)!.tokens);
});
