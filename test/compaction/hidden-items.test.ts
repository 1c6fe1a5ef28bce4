import { expect, test } from 'vitest';
import { answer, say, type ScriptedUsage } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { requestKinds, says, smallLimit, talk, task } from './talk.ts';

/** About 22,000 tokens that only the provider that made them can read. */
const thought = { type: 'reasoning', summary: [], encrypted_content: 'A'.repeat(120_000) };

/** A thread whose provider has thought much, and has counted it or not. */
async function thoughtful(usage: ScriptedUsage | 'none'): Promise<LiveThread> {
  const live = await LiveThread.in(talk([answer({ items: [thought, say('Yes.')], usage }), says('Done.')]), smallLimit);
  await live.open({}, { compactsAfterTurns: false });
  await live.turn(task);
  return live;
}

function withAnother({ model }: LiveThread): { readonly config: readonly string[] } {
  const provider = `{name = "Other", base_url = "${model.url}", wire_api = "responses", supports_websockets = false}`;
  return { config: [`model_providers.other=${provider}`, 'model_provider="other"'] };
}

const few = expect.toSatisfy((tokens: number) => tokens < 5000) as number;
const counted = { input: 3000, output: 22_000, reasoningOutput: 21_900, total: 25_000 };

test.each<readonly [string, ScriptedUsage | 'none']>([
  ['that it did not count', 'none'],
  ['that it counted', counted],
])(
  'thoughts of another provider %s weigh nothing: in the limit, in what is left, in what is shown',
  async (_, usage) => {
    const live = await thoughtful(usage);
    await live.open(withAnother(live), { compactsAfterTurns: false });
    await live.turn('Go on.');
    expect(requestKinds(live)).toEqual(['step', 'step']);
    expect(live.told('usage').at(-1)).toMatchObject({ tokens: few, percentRemaining: 100 });
    await live.close();
    const flags = withAnother(live).config.flatMap((each) => ['-c', each]);
    const { stdout } = await live.place.run('exec', 'resume', live.id, 'And on.', '--json', ...flags);
    expect(stdout).toContain('Done.');
    expect(requestKinds(live)).toEqual(['step', 'step', 'step']);
    const context = JSON.parse((await live.place.run('context', live.id, '--json')).stdout) as { total: number };
    expect(context.total).toEqual(few);
  },
);

test.each<readonly [string, ScriptedUsage | 'none']>([
  ['uncounted', 'none'],
  ['counted', counted],
])('the provider that made them still gets them, %s, and they fill its window', async (_, usage) => {
  const live = await thoughtful(usage);
  await live.turn('Go on.');
  expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
});
