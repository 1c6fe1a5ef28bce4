import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { agentScene } from './agent-scene.ts';

it('threads show --tree shows a thread with its agents and theirs, with what all have cost', async () => {
  const steps = (first: string) => [
    answer({ items: [callTool('spawn_agent', { message: `TASK ${first}: x`, name: first })] }),
    answer({ items: [callTool('wait_agent', {})] }),
  ];
  const done = answer({ items: [say('Done.')] });
  const { live, begin } = await agentScene(
    { root: ({ index }) => steps('a')[index] ?? done, a: ({ index }) => steps('b')[index] ?? done, b: () => done },
    { config: '[agents]\nmax_depth = 2\n' },
  );
  const { thread, engine } = await begin();
  await thread.run({ input: words('go'), signal: new AbortController().signal });
  expect(thread.state.usage.total.total).toBe(7 * 110);
  const tree = await engine.stored.agents(thread.id);
  expect(tree).toMatchObject({
    path: '/root',
    tokens: 770,
    used: 630,
    agents: [{ path: '/root/a', tokens: 440, agents: [{ path: '/root/a/b', tokens: 110, status: 'completed' }] }],
  });
  expect((await engine.stored.summary(thread.id)) as object).toMatchObject({ totalTokens: 770 });
  await engine.close();
  const shown = await live.place.run('threads', 'show', thread.id, '--tree');
  expect(shown.stdout.replaceAll(/ {2}[0-9a-f-]{36}/g, '')).toBe(
    '/root  completed, 630 tokens used\n  a  completed, 360 tokens used\n    b  completed, 90 tokens used\n',
  );
});
