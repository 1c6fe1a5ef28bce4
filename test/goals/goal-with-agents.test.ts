import { expect, it } from 'vitest';
import { type Thread, words } from '../../src/index.ts';
import { answer, callTool, say, type ScriptStep } from '../../src/testing/index.ts';
import { agentScene } from '../agents/agent-scene.ts';

const { signal } = new AbortController();
const features = 'goals = true\n';
const call = (name: string, args: Parameters<typeof callTool>[1]): ScriptStep =>
  answer({ items: [callTool(name, args)] });
const done = (text: string): ScriptStep => answer({ items: [say(text)] });
const idle = 'Still waiting.';
const first = [
  call('create_goal', { objective: 'All folders are read' }),
  call('spawn_agent', { message: 'TASK a read', name: 'a' }),
  done('The agent works.'),
];

/** Calls back after the second answer without anything new: before its next request the thread waits for its agent. */
function whenIdle(thread: Thread, then: () => void): void {
  thread.subscribe({
    event: (event) => {
      const isIdle = event.kind === 'item-completed' && event.item.kind === 'agent-message' && event.item.text === idle;
      if (isIdle) setImmediate(then);
    },
  });
}

it('a goal whose model has nothing to do waits for its agent, and does not rest meanwhile', async () => {
  const agent = Promise.withResolvers<ScriptStep>();
  const { begin, of } = await agentScene(
    {
      root: ({ index, texts }) => {
        if (texts.some((text) => text.includes('It is read.')))
          return index === 4 ? call('update_goal', { status: 'complete' }) : done('All is read.');
        return first[index] ?? done(idle);
      },
      a: () => agent.promise,
    },
    { features },
  );
  const { thread } = await begin();
  const warned: string[] = [];
  whenIdle(thread, () => agent.resolve(done('It is read.')));
  thread.subscribe({ event: (event) => void (event.kind === 'warning' && warned.push(event.outcome.code)) });
  expect(await thread.run({ input: words('Set a goal.'), signal })).toEqual({
    kind: 'completed',
    lastMessage: 'All is read.',
  });
  expect([of('root').length, warned, thread.state.goal?.status]).toEqual([6, [], 'complete']);
  expect(of('root')[4]!.at(-1)).toContain('<subagent_notification>');
});

it.each(['a message', 'an interrupt'])('%s ends the wait', async (by) => {
  const agent = Promise.withResolvers<ScriptStep>();
  const waits = Promise.withResolvers<void>();
  const { begin, of } = await agentScene(
    {
      root: ({ index, texts }) => {
        if (texts.includes('Enough.'))
          return index === 4 ? call('update_goal', { status: 'complete' }) : done('I stop.');
        return first[index] ?? done(idle);
      },
      a: () => agent.promise,
    },
    { features },
  );
  const { thread } = await begin();
  const stop = new AbortController();
  whenIdle(thread, () => waits.resolve());
  const turn = thread.run({ input: words('Set a goal.'), signal: stop.signal });
  await waits.promise;
  if (by === 'an interrupt') stop.abort();
  else await thread.steer({ input: words('Enough.') });
  const ended = await turn;
  agent.resolve(done('Late.'));
  expect([ended.kind, of('root').length, thread.state.goal?.status]).toEqual(
    by === 'an interrupt' ? ['aborted', 4, 'paused'] : ['completed', 6, 'complete'],
  );
});
