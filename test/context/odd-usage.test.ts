import { expect, it } from 'vitest';
import { answer, say, type ScriptedUsage } from '../../src/testing/index.ts';
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

it.each(odd)('a provider that counts %s: the window is estimated, and room is made', async (_, usage) => {
  const live = await LiveThread.in(
    talk([answer({ items: [say(long)], usage: usage as ScriptedUsage }), says('Yes.')]),
    smallLimit,
  );
  await live.open({}, { foldsAfterTurns: false });
  await live.turn(task);
  const [told] = live.told('usage');
  expect(told!.tokens).toBeGreaterThan(20_000);
  expect(told!.measure).toBe('estimated');
  expect(told!.percentRemaining).toBeLessThan(95);
  await live.open({}, { foldsAfterTurns: false });
  await live.turn('Go on.');
  expect(requestKinds(live)).toEqual(['talk', 'fold', 'talk']);
});

it('a total of zero beside parts is their sum', async () => {
  const usage = { input: 100_000, cachedInput: 200_000, output: 1000, reasoningOutput: 5000, total: 0 };
  const live = await LiveThread.in(talk([answer({ items: [say('Yes.')], usage })]));
  await live.turn(task);
  expect(live.told('usage')[0]).toMatchObject({
    last: { input: 100_000, cachedInput: 100_000, output: 1000, reasoningOutput: 1000, total: 101_000 },
    tokens: 101_000,
    // (258,400 - 12,000 - 88,000) / (258,400 - 12,000), the reasoning of 1,000 tokens being gone
    percentRemaining: Math.round((100 * (258_400 - 100_000)) / (258_400 - 12_000)),
  });
});
