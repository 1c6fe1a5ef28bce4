import { expect, it } from 'vitest';
import { answer, say, type ScriptedUsage } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const says = (usage: ScriptedUsage | 'none') => answer({ items: [say('Yes.')], usage });
const counted = { input: 4000, cachedInput: 0, output: 50, total: 4050 };
const estimated = expect.stringMatching(
  /^tokens about [\d,]+ \(estimated: the provider did not count them\)$/,
) as unknown as string;

/** The figures of each turn, without how long it took. */
function figures(page: string): readonly string[] {
  return [...page.matchAll(/^ {2}[\d.]+ m?s(?: · (.*?))?(?: {2,}.*)?$/gm)].map(([, words = '']) => words);
}

it('a cost that no provider counted is not zero, in show, in exports and after exec', async () => {
  const live = await LiveThread.in([says(counted), says('none'), says('none'), says('none'), says('none')]);
  for (const words of ['one', 'two', 'three', 'four']) await live.turn(words);
  await live.close();
  const { stdout: page } = await live.place.run('threads', 'show', live.id);
  expect(figures(page)).toEqual(['4,000 in (0 cached), 50 out', estimated, estimated, estimated]);
  expect(page).toMatch(
    / {2}4,000 in \(0 cached\), 50 out, and 3 requests that the provider did not count \(about [\d,]+ tokens\), cost unknown {3}/,
  );
  const { stdout: json } = await live.place.run('threads', 'show', live.id, '--json', '--full');
  const { turns } = JSON.parse(json) as { turns: readonly { usage?: object; uncounted?: number }[] };
  expect(turns.map(({ usage, uncounted }) => [usage === undefined, uncounted])).toEqual([
    [false, undefined],
    [false, 1],
    [false, 1],
    [false, 1],
  ]);
  const { stdout: markdown } = await live.place.run('threads', 'export', live.id, '--format', 'markdown');
  expect(markdown.match(/\*Tokens: .*\*/g)).toEqual([
    '*Tokens: 4,000 in (0 cached), 50 out*',
    ...[2, 3, 4].map(() => expect.stringMatching(/^\*Tokens: about [\d,]+ \(estimated: .*\)\*$/) as unknown),
  ]);
  const { stderr } = await live.place.run('exec', 'resume', live.id, 'five');
  expect(stderr).toMatch(
    /tokens used: about [\d,]+ in this turn \(estimated: the provider did not count them\), 4,050 in the thread\n/,
  );
});

it('in a thread without any count, nothing is zero', async () => {
  const live = await LiveThread.in([says('none'), says('none')]);
  for (const words of ['one', 'two']) await live.turn(words);
  await live.close();
  const { stdout: page } = await live.place.run('threads', 'show', live.id);
  expect(figures(page)).toEqual([estimated, estimated]);
  expect(page).toMatch(/\n {2}tokens about [\d,]+ \(estimated: .*\), cost unknown\n/);
  expect(page).not.toContain('0 in');
});
