import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { readTurnItems } from '../../src/core/state/turns/turn-items.ts';
import { answer, callTool, hang, say, type ScriptStep } from '../../src/testing/index.ts';
import { type AgentRequest, agentScene } from './agent-scene.ts';

const done = answer({ items: [say('Done.')] });
const signal = new AbortController().signal;
const call = (name: string, given: JsonObject): ScriptStep => answer({ items: [callTool(name, given)] });
const spawning = (name: string, more: JsonObject = {}) =>
  callTool('spawn_agent', { message: `TASK ${name}: work`, name, ...more });
const inTurn =
  (...steps: readonly ScriptStep[]) =>
  ({ index }: AgentRequest): ScriptStep =>
    steps[index] ?? done;
const notificationsIn = (texts: readonly string[]) =>
  texts.filter((text) => text.startsWith('<subagent_notification>'));

it('what an agent answered can be asked for again, and names and calls are taken in order', async () => {
  const { begin, of } = await agentScene({
    root: inTurn(
      answer({ items: [spawning('a')] }),
      call('wait_agent', {}),
      call('list_agents', {}),
      call('wait_agent', { targets: ['a'] }),
      answer({
        items: [callTool('close_agent', { target: 'a' }), callTool('send_input', { target: 'a', message: 'More' })],
      }),
      answer({ items: [spawning('a', { model: 'no-such-model' })] }),
      answer({ items: [spawning('b', { reasoning_effort: 'endless' })] }),
      answer({ items: [spawning('b', { reasoning_effort: 'low' })] }),
      call('wait_agent', { until: 'all' }),
    ),
    a: () => answer({ items: [say('Forty-two.')] }),
    b: () => done,
  });
  const { thread } = await begin();
  await thread.run({ input: words('go'), signal });
  const outputs = of('root')
    .at(-1)!
    .filter((text) => /^(\{|Agent|The agent)/.test(text));
  expect(outputs.slice(1)).toEqual([
    '{"status":{"/root/a":"completed"},"timed_out":false}',
    '{"agents":[{"agent_path":"/root/a","agent_type":"default","status":"completed","tokens":110,"answer":"Forty-two."}]}',
    '{"status":{"/root/a":"completed"},"answers":{"/root/a":"Forty-two."},"timed_out":false}',
    '{"agent_path":"/root/a","previous_status":"completed"}',
    'Agent /root/a is closed. Start another one, under any name.',
    expect.stringMatching(/"agent_path":"\/root\/a","note":".*no-such-model/),
    expect.stringMatching(/The agent was not started\..*"endless".*Give it as reasoning_effort, or leave that out\.$/),
    expect.stringContaining('"agent_path":"/root/b"'),
    expect.stringContaining('"/root/b":"completed"'),
  ]);
  expect(of('a')[0]!.join('\n')).toContain('You are the agent /root/a. The agent /root started you');
});

it('an agent that is stopped by its parent reads so, and its parent hears of the new turn alone', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const steps = [
    answer({ items: [spawning('a')] }),
    call('send_input', { target: 'a', message: 'Instead', interrupt: true }),
    call('wait_agent', {}),
  ];
  const { begin, of } = await agentScene({
    root: async ({ index }) => {
      if (index === 1) await asked;
      return steps[index] ?? done;
    },
    a: ({ index }) => {
      ask();
      return index === 0 ? hang({ of: done, afterBytes: 10 }) : answer({ items: [say('Instead done.')] });
    },
  });
  const { thread } = await begin();
  await thread.run({ input: words('go'), signal });
  const last = of('root').at(-1)!;
  expect(last).toContain('{"agent_path":"/root/a","delivered":"the turn was interrupted, and a new one began"}');
  expect(notificationsIn(last)).toEqual([expect.stringContaining('"completed":"Instead done."')]);
  expect(of('a').at(-1)!.join('\n')).toContain('The agent that started you stopped the turn. No call was running.');
});

it('a message of the user ends a wait, and a checkpoint carries the agents that work', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>();
  const { begin, of } = await agentScene({
    root: ({ index, texts }) => {
      if (texts.join('\n').includes('VERBATIM_REQUEST'))
        return answer({ items: [say('A summary.\nRESUME_AT: the end')] });
      if (index === 0) return answer({ items: [spawning('slow')] });
      if (index === 2) return answer({ items: [say('Much was said. '.repeat(2000))] });
      if (index !== 1) return done;
      return call('wait_agent', { timeout_ms: 60_000 });
    },
    slow: async () => {
      await free;
      return done;
    },
  });
  const { thread } = await begin();
  thread.subscribe({
    event: (event) =>
      void (
        event.kind === 'item-started' &&
        event.item.kind === 'tool-call' &&
        event.item.tool === 'wait_agent' &&
        ask()
      ),
  });
  const ran = thread.run({ input: words('go'), signal });
  await asked;
  await thread.steer({ input: words('Hurry') });
  await ran;
  expect(of('root').at(-1)!).toContain(
    '{"status":{"/root/slow":"running"},"timed_out":false,"ended_by":"a new message of the user"}',
  );
  expect(await thread.compact({ signal })).toMatchObject({ kind: 'installed' });
  await thread.run({ input: words('and now'), signal });
  const after = of('root').at(-1)!.join('\n');
  expect(after).toContain('nothing runs but the sessions and agents that are listed apart');
  expect(after).toMatch(/<known_agents>\n.*:\n\/root\/slow \(default\): working\n<\/known_agents>/);
  letGo();
});

it('a text tells a fork which agents stay with the other conversation', async () => {
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>();
  const { begin, of } = await agentScene({
    root: inTurn(answer({ items: [spawning('slow')] })),
    slow: async () => {
      await free;
      return done;
    },
  });
  const { engine, thread } = await begin();
  await thread.run({ input: words('go'), signal });
  const forked = await engine.fork(thread.id, { kind: 'latest' }, {});
  if (forked.kind === 'refused') throw new Error(forked.outcome.message);
  await forked.thread.run({ input: words('one'), signal });
  await forked.thread.run({ input: words('two'), signal });
  const told = of('root')
    .at(-1)!
    .filter((text) => text.includes('<agents_elsewhere>'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('their answers do not come here: /root/slow.');
  await forked.thread.close();
  letGo();
});

it('what an agent costs after the turn is in the cost of that turn and of the thread, wherever it is read', async () => {
  const turnOver = Promise.withResolvers<void>();
  const { live, begin } = await agentScene({
    root: inTurn(answer({ items: [spawning('a')] })),
    a: async () => {
      await turnOver.promise;
      return answer({ items: [say('Late.')] });
    },
  });
  const { thread, engine } = await begin();
  await thread.run({ input: words('one'), signal });
  turnOver.resolve();
  await expect.poll(() => thread.state.usage.total.total).toBe(3 * 110);
  const costs = async () => {
    const { lines } = await engine.stored.read(thread.id, () => {});
    const { turns, usage } = readTurnItems(lines);
    return [usage.total, ...turns.map((turn) => turn.usage?.total)];
  };
  expect(await costs()).toEqual([3 * 110, 3 * 110]);
  await thread.run({ input: words('two'), signal });
  expect(await costs()).toEqual([4 * 110, 3 * 110, 110]);
  expect(thread.state.usage.total.total).toBe(4 * 110);
  await engine.close();
  expect((await live.place.run('threads', 'show', thread.id)).stdout).toContain('400 in (80 cached), 40 out');
});
