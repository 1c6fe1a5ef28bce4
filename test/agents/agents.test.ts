import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, hang, say, type ScriptStep } from '../../src/testing/index.ts';
import { type AgentRequest, agentScene } from './agent-scene.ts';

const done = answer({ items: [say('Done.')] });
const signal = new AbortController().signal;
const call = (name: string, given: JsonObject): ScriptStep => answer({ items: [callTool(name, given)] });
const spawn = (name: string, more: JsonObject = {}): ScriptStep =>
  call('spawn_agent', { message: `TASK ${name}: work`, name, ...more });
const inTurn =
  (...steps: readonly ScriptStep[]) =>
  ({ index }: AgentRequest): ScriptStep =>
    steps[index] ?? done;

it('an agent is started, waited for, and its answer enters the history of its parent once', async () => {
  const { begin, of, live } = await agentScene({
    root: inTurn(spawn('counter'), call('wait_agent', {})),
    counter: () => answer({ items: [say('One two three.')] }),
  });
  const { thread } = await begin();
  expect(await thread.run({ input: words('go'), signal })).toMatchObject({ kind: 'completed' });
  const last = of('root').at(-1)!;
  expect(last.filter((text) => text.includes('agent_path'))).toEqual([
    expect.stringMatching(/^\{"agent_id":"[0-9a-f-]+","agent_path":"\/root\/counter"\}$/),
    '<subagent_notification>\n{"agent_path":"/root/counter","status":{"completed":"One two three."}}\n</subagent_notification>',
  ]);
  expect(last).toContain('{"status":{"/root/counter":"completed"},"timed_out":false}');
  expect(thread.state.agents).toMatchObject([{ path: '/root/counter', state: 'idle', last: 'completed' }]);
  // Three requests of its own, one of the agent.
  expect(thread.state.usage.total.total).toBe(4 * 110);
  expect(live.place.rollouts()).toHaveLength(2);
});

it('an interrupt of the turn reaches its agents', async () => {
  const stop = new AbortController();
  const { begin } = await agentScene({
    root: inTurn(spawn('a'), call('wait_agent', {})),
    a: () => {
      setTimeout(() => stop.abort('enough'), 50);
      return hang({ of: done, afterBytes: 10 });
    },
  });
  const { thread } = await begin();
  expect(await thread.run({ input: words('go'), signal: stop.signal })).toMatchObject({ kind: 'aborted' });
  expect(thread.state.agents).toMatchObject([{ state: 'idle', last: 'interrupted' }]);
});

it('words of the user end a wait, and are read with the next request', async () => {
  const release = Promise.withResolvers<ScriptStep>();
  const { begin, of } = await agentScene({
    root: inTurn(spawn('a'), call('wait_agent', { until: 'all' })),
    a: async () => {
      await thread.steer({ input: words('Enough.') });
      return release.promise;
    },
  });
  const { thread } = await begin();
  expect(await thread.run({ input: words('go'), signal })).toMatchObject({ kind: 'completed' });
  release.resolve(done);
  expect(of('root')[2]!.slice(-2)).toEqual([
    '{"status":{"/root/a":"running"},"timed_out":false,"ended_by":"a new message of the user"}',
    'Enough.',
  ]);
});

it('an agent is sent more, listed and closed, and takes no input after that', async () => {
  const { begin, of } = await agentScene({
    root: inTurn(
      spawn('a'),
      call('wait_agent', { targets: ['a'], until: 'all' }),
      call('send_input', { target: '/root/a', message: 'And four?' }),
      call('wait_agent', {}),
      call('list_agents', {}),
      call('close_agent', { target: 'a' }),
      call('send_input', { target: 'a', message: 'Five?' }),
      call('send_input', { target: 'b', message: 'Hello?' }),
    ),
    a: ({ index }) => answer({ items: [say(index === 0 ? 'One.' : 'Four.')] }),
  });
  const { thread } = await begin();
  await thread.run({ input: words('go'), signal });
  const outputs = of('root')
    .at(-1)!
    .filter((text) => /^(\{|Agent|There)/.test(text));
  expect(outputs.slice(2)).toEqual([
    '{"agent_path":"/root/a","delivered":"a new turn began"}',
    '{"status":{"/root/a":"completed"},"timed_out":false}',
    '{"agents":[{"agent_path":"/root/a","agent_type":"default","status":"completed","tokens":220,"answer":"Four."}]}',
    '{"agent_path":"/root/a","previous_status":"completed"}',
    'Agent /root/a is closed. Start another one, under any name.',
    'There is no agent "b". You have no agents.',
  ]);
  expect(of('a')[1]!.slice(-3)).toEqual(['TASK a: work', 'One.', 'And four?']);
});

it('limits hold: depth, number and tokens', async () => {
  const tools = (body: JsonObject) => (body['tools'] as JsonObject[]).map(({ name }) => name);
  const seen: unknown[] = [];
  // Both work until the third was asked for.
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { begin, of } = await agentScene(
    {
      root: ({ index }) => {
        if (index === 0) {
          const spawns = ['a', 'b', 'c'].map((name) => callTool('spawn_agent', { message: `TASK ${name}: x`, name }));
          return answer({ items: spawns });
        }
        ask();
        if (index === 1) return call('wait_agent', { until: 'all' });
        return index === 2 ? call('spawn_agent', { message: 'TASK c: x', name: 'c' }) : done;
      },
      a: async ({ body }) => {
        seen.push(...tools(body));
        await asked;
        return done;
      },
      b: async () => {
        await asked;
        return answer({ items: [callTool('update_plan', { plan: [] })], usage: { input: 90_000 } });
      },
    },
    { config: '[agents]\nmax_threads = 2\nmax_tokens = 80000\n' },
  );
  const { thread } = await begin();
  await thread.run({ input: words('go'), signal });
  const last = of('root').at(-1)!.join('\n');
  expect(seen).not.toContain('spawn_agent');
  expect(last).toContain('2 agents work already, which is the limit.');
  expect(last).toMatch(/"\/root\/b","status":\{"errored":"The agents of \/root may use 80,000 tokens together/);
  expect(last).toMatch(/\nThe agents of \/root may use 80,000 tokens together, and have used 9\d,\d{3}/);
  expect(of('b')).toHaveLength(1);
});

it('an agent may do what the turn may that gives it work, and no more', async () => {
  const { begin, of } = await agentScene({
    root: inTurn(
      spawn('a'),
      call('wait_agent', {}),
      done,
      call('send_input', { target: 'a', message: 'Again' }),
      call('wait_agent', {}),
    ),
    a: () => done,
  });
  const { thread } = await begin();
  await thread.overrideTurnContext({ sandbox: 'danger-full-access' });
  await thread.run({ input: words('go'), signal });
  await thread.overrideTurnContext({ sandbox: 'read-only' });
  await thread.run({ input: words('again'), signal });
  const modes = of('a').map((texts) =>
    texts.flatMap((text) => /<sandbox_mode>([a-z-]+)</.exec(text)?.[1] ?? []).at(-1),
  );
  expect(modes).toEqual(['danger-full-access', 'read-only']);
});
