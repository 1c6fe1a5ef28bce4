import { expect, it } from 'vitest';
import { liveThreads, words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { agentScene } from './agent-scene.ts';

const { signal } = new AbortController();
const done = answer({ items: [say('Done.')] });

it.each([true, false])(
  'an agent can begin with the conversation only where that is kept (ephemeral: %s)',
  async (ephemeral) => {
    const bodies: JsonObject[] = [];
    const forking = callTool('spawn_agent', { message: 'TASK a: x', name: 'a', fork_context: true });
    const { begin, of } = await agentScene(
      {
        root: ({ body, index }) => {
          bodies.push(body);
          if (index === 0) return answer({ items: [forking] });
          return index === 1 && !ephemeral ? answer({ items: [callTool('wait_agent', {})] }) : done;
        },
        a: () => done,
      },
      { open: { ephemeral } },
    );
    const { thread } = await begin();
    await thread.run({ input: words('go'), signal });
    const tools = bodies[0]!['tools'] as unknown as readonly JsonObject[];
    const spawn = JSON.stringify(tools.find(({ name }) => name === 'spawn_agent'));
    expect(spawn.includes('fork_context')).toBe(!ephemeral);
    expect(of('a')).toHaveLength(ephemeral ? 0 : 1);
    const items = bodies[1]!['input'] as unknown as readonly JsonObject[];
    const output = String(items.find(({ type }) => type === 'function_call_output')?.['output']);
    expect(output).toContain(ephemeral ? 'Put what the agent needs to know into `message`.' : '/root/a');
  },
);

it('agents of an ephemeral thread are forgotten with it', async () => {
  const spawning = callTool('spawn_agent', { message: 'TASK a: x', name: 'a' });
  const scene = await agentScene({
    root: ({ index }) => (index === 0 ? answer({ items: [spawning] }) : done),
    a: () => hang({ afterBytes: 0, of: done }),
  });
  const engine = await scene.engine();
  const threads = liveThreads(engine);
  const thread = await threads.start({ cwd: scene.live.place.workspace, ephemeral: true });
  if (thread.kind === 'refused') throw new Error(thread.outcome.message);
  await thread.submit({ input: words('go') });
  await expect.poll(() => threads.loaded.length).toBe(2);
  const ids = threads.loaded.map(({ id }) => id);
  await thread.close();
  expect([threads.loaded, engine.threads, ids.filter((id) => threads.knows(id))]).toEqual([[], [], []]);
});
