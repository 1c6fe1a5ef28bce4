import { expect, test } from 'vitest';
import { answer, overflow, say, type ScriptStep } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { long, says, saysLong, talk, task } from './talk.ts';

/** Tokens of `long`, with instructions, tools and context. */
const aboutLong = expect.toSatisfy((tokens: number) => tokens > 25_000 && tokens < 32_000) as number;
const little = expect.toSatisfy((tokens: number) => tokens > 1000 && tokens < 4000) as number;

const counted: ScriptStep = answer({ items: [say(long)], usage: { input: 3000, output: 25_000, total: 28_000 } });

test.each<[string, ScriptStep]>([
  ['that is not counted', saysLong()],
  ['that is counted', counted],
])('a history %s and is refused is shown as large as it is, before and after', async (_, first) => {
  const live = await LiveThread.in(talk([first, overflow('incomplete'), says('Done.')]));
  await live.turn(task);
  const from = live.events.length;
  await live.turn('Go on.');
  const told = live.events.slice(from).flatMap((event) => {
    if (event.kind === 'usage') return [['usage', event.tokens, event.percentRemaining]];
    if (event.kind === 'checkpoint-started') return [['started', event.tokens]];
    if (event.kind !== 'checkpoint-installed') return [];
    return [['installed', event.report.tokensBefore, event.report.tokensAfter]];
  });
  expect(told).toEqual([
    ['usage', aboutLong, 0],
    ['started', aboutLong],
    ['installed', aboutLong, little],
    ['usage', little, 100],
  ]);
  expect(told[1]![1]).toBe(told[2]![1]);
  // The cost that a refused request would have had is in no total.
  const [started] = live.told('turn-completed').slice(-1);
  expect(started!.usage.input).toBe((first === counted ? 3000 : 0) + 100);
});

test('a request that is refused twice is shown as large as it is, in the failure, by usage and in the next turn', async () => {
  const live = await LiveThread.in(talk([saysLong(), overflow('incomplete'), overflow('incomplete'), says('Yes.')]));
  await live.turn(task);
  const result = await live.turn('Go on.');
  const [, said = ''] = /about ([\d,]+) tokens by Capstan's estimate/.exec(JSON.stringify(result)) ?? [];
  expect(Number(said.replace(',', ''))).toEqual(little);
  expect(live.told('usage').map(({ tokens }) => tokens)).toEqual([aboutLong, aboutLong, little]);
  await live.open();
  await live.turn('And now?');
  expect(live.told('usage').at(-1)!.tokens).toEqual(little);
  await live.close();
  const { stdout } = await live.place.run('context', live.id);
  const [, shown = ''] = /^About ([\d,]+) tokens/m.exec(stdout) ?? [];
  expect(Number(shown.replaceAll(',', ''))).toEqual(little);
});

test('when no checkpoint could be made, the next turn says what it compacts, and not what the window holds', async () => {
  const refused = { reason: 'Not now.' };
  let isAgainst = true;
  const live = await LiveThread.in(talk([saysLong(), overflow('incomplete'), says('Yes.')]));
  await live.open({}, { checkpointHooks: { before: async () => (isAgainst ? refused : undefined) } });
  await live.turn(task);
  expect(await live.turn('Go on.')).toMatchObject({
    kind: 'failed',
    outcome: { next: expect.stringMatching(/about 2[5-9],\d{3} tokens by Capstan's estimate/) },
  });
  isAgainst = false;
  await live.turn('And now?');
  expect(live.told('checkpoint-started').map(({ tokens, reason }) => [reason, tokens])).toEqual([
    ['context_limit', aboutLong],
  ]);
});
