import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { agentScene } from './agent-scene.ts';
import { withoutSandbox } from '../harness/scene.ts';

const signal = new AbortController().signal;
const done = answer({ items: [say('Done.')] });
const spawn = (name: string, more: JsonObject = {}) =>
  callTool('spawn_agent', { message: `TASK ${name}: x`, name, ...more });

it('roles come from tables and files, fix what they say, and never open more', async () => {
  const bodies = new Map<string, JsonObject>();
  const says = (name: string) => ({
    [name]: ({ body }: { readonly body: JsonObject }) => {
      bodies.set(name, body);
      return done;
    },
  });
  const { live, begin, of } = await agentScene(
    {
      root: ({ index, body }) => {
        bodies.set('root', body);
        const items = [
          spawn('a', { agent_type: 'explorer' }),
          spawn('b', { agent_type: 'critic', model: 'gpt-5.2' }),
          spawn('c', { model: 'gpt-5.4' }),
          spawn('d', { agent_type: 'poet' }),
        ];
        return index === 0
          ? answer({ items })
          : index === 1
            ? answer({ items: [callTool('wait_agent', { until: 'all' })] })
            : done;
      },
      ...says('a'),
      ...says('b'),
      ...says('c'),
    },
    {
      config: `
developer_instructions = "Be kind."
[agents.critic]
description = "finds faults."
config_file = "critic.toml"
[agents.nothing]
model = "gpt-5.4"
`,
    },
  );
  const { home } = live.place;
  writeFileSync(
    join(home, 'critic.toml'),
    'developer_instructions = "Find faults."\nmodel = "gpt-5.4"\nsandbox_mode = "danger-full-access"\n',
  );
  mkdirSync(join(home, 'agents'));
  writeFileSync(join(home, 'agents/writer.toml'), 'name = "writer"\ndescription = "writes."\nmodle = "x"\n');
  // The value at fault may be the one that limits the role.
  writeFileSync(join(home, 'agents/odd.toml'), 'name = "odd"\ndescription = "x"\nsandbox_mode = "readonly"\n');
  writeFileSync(join(home, 'agents/torn.toml'), 'name = "wri');
  writeFileSync(join(home, 'agents/nameless.toml'), 'description = "x"\n');
  const warned: string[] = [];
  const { thread } = await begin();
  thread.subscribe({ event: (event) => void (event.kind === 'warning' && warned.push(event.outcome.code)) });
  await thread.run({ input: words('go'), signal });
  const tool = (bodies.get('root')!['tools'] as JsonObject[]).find(({ name }) => name === 'spawn_agent')!;
  const { agent_type: type } = (tool['parameters'] as JsonObject)['properties'] as { readonly agent_type: JsonObject };
  expect(type['enum']).toEqual(['default', 'explorer', 'worker', 'critic', 'writer']);
  expect(type['description']).toContain('critic: finds faults. (fixed: model gpt-5.4)');
  expect(warned.toSorted()).toEqual([
    'agent-role',
    'agent-role',
    'agent-role',
    'config-syntax',
    'config-unknown-key',
    'config-wrong-value',
  ]);
  const sandbox = (name: string) => /<sandbox_mode>([a-z-]+)</.exec(of(name)[0]!.join('\n'))?.[1];
  expect(['a', 'b', 'c'].map((name) => [bodies.get(name)!['model'], sandbox(name)])).toEqual([
    ['gpt-5.5', 'read-only'],
    ['gpt-5.4', 'workspace-write'],
    ['gpt-5.4', 'workspace-write'],
  ]);
  expect(of('b')[0]!.join('\n')).toContain('Be kind.\n\nFind faults.');
  expect(of('root').at(-1)!.join('\n')).toContain(
    '`agent_type` must be one of default, explorer, worker, critic, writer.',
  );
});

it('an agent that is forked begins with the conversation, its results included, and is no part of its parent', async () => {
  const { live, begin, of, engine } = await agentScene(
    {
      root: ({ index }) =>
        [
          answer({ items: [callTool('exec_command', { cmd: 'echo 4711' })] }),
          answer({ items: [spawn('a', { fork_context: true })] }),
          answer({ items: [callTool('wait_agent', {})] }),
        ][index] ?? done,
      a: () => answer({ items: [say('I know.')] }),
    },
    { config: withoutSandbox },
  );
  const { thread, engine: first } = await begin();
  await thread.run({ input: words('go'), signal });
  const [told] = of('a');
  expect(told!.join('\n')).toContain('4711');
  expect(told!.at(-1)).toBe('TASK a: x');
  expect(of('root').at(-1)!.join('\n')).toContain('"status":{"completed":"I know."}');
  const [agent] = thread.state.agents;
  expect(agent).toMatchObject({ path: '/root/a', used: { total: 110 } });
  expect(thread.state.usage.total.total).toBe(5 * 110);
  expect(live.place.rollouts()).toHaveLength(2);
  await first.close();
  // A fork knows of the agents of the other thread, and does not report for them.
  const again = await engine();
  const forked = await again.fork(thread.id, { kind: 'latest' }, {});
  if (forked.kind === 'refused') throw new Error(forked.outcome.message);
  await forked.thread.run({ input: words('and now?'), signal });
  expect((await again.stored.agents(forked.thread.id)).agents).toEqual([]);
});

it('a trusted project adds roles and replaces none; of another one nothing is read', async () => {
  const offered = async (trust: 'trusted' | 'untrusted') => {
    let tools: readonly JsonObject[] = [];
    const { live, begin } = await agentScene({
      root: ({ body }) => {
        tools = body['tools'] as readonly JsonObject[];
        return done;
      },
    });
    const { home, workspace } = live.place;
    appendFileSync(join(home, 'config.toml'), `\n[projects."${workspace}"]\ntrust_level = "${trust}"\n`);
    mkdirSync(join(workspace, '.codex/agents'), { recursive: true });
    writeFileSync(join(workspace, '.codex/agents/a.toml'), 'name = "tester"\ndescription = "runs the tests."\n');
    writeFileSync(join(workspace, '.codex/agents/b.toml'), 'name = "explorer"\ndescription = "writes."\n');
    const warned: string[] = [];
    const { thread } = await begin();
    thread.subscribe({ event: (event) => void (event.kind === 'warning' && warned.push(event.outcome.message)) });
    await thread.run({ input: words('go'), signal });
    const tool = tools.find(({ name }) => name === 'spawn_agent')!;
    const { agent_type: type } = (tool['parameters'] as JsonObject)['properties'] as {
      readonly agent_type: JsonObject;
    };
    return { roles: type['enum'], warned };
  };
  expect(await offered('trusted')).toEqual({
    roles: ['default', 'explorer', 'worker', 'tester'],
    warned: [expect.stringContaining('b.toml has the name "explorer", which is taken, so it is left out.')],
  });
  expect(await offered('untrusted')).toMatchObject({ roles: ['default', 'explorer', 'worker'] });
});

it('features that a role switches off are off for its agents, and a warning names those that it cannot switch', async () => {
  const bodies = new Map<string, JsonObject>();
  const { live, begin, of } = await agentScene(
    {
      root: ({ index }) =>
        [
          answer({ items: [spawn('a', { agent_type: 'reader' }), spawn('b')] }),
          answer({ items: [callTool('wait_agent', { until: 'all' })] }),
        ][index] ?? done,
      a: ({ body }) => (bodies.set('a', body), done),
      b: ({ body }) => (bodies.set('b', body), done),
    },
    { features: 'memories = true\nsleep_tool = true\n', config: 'personality = "friendly"' },
  );
  const { home } = live.place;
  mkdirSync(join(home, 'memories'));
  writeFileSync(join(home, 'memories/memory_summary.md'), 'Likes tabs.\n');
  mkdirSync(join(home, 'agents'));
  const path = join(home, 'agents/reader.toml');
  const off = ['shell_tool', 'personality', 'memory_tool', 'sleep_tool'].map((name) => `${name} = false`);
  writeFileSync(
    path,
    `name = "reader"\ndescription = "reads."\n[features]\n${[...off, 'hooks = false', 'token_budget = true'].join('\n')}\n`,
  );
  const warned: string[] = [];
  const { thread } = await begin();
  thread.subscribe({ event: (event) => void (event.kind === 'warning' && warned.push(event.outcome.message)) });
  await thread.run({ input: words('go'), signal });
  expect(warned).toEqual([
    expect.stringContaining(`${path}:8: features.hooks has no effect here.`),
    expect.stringContaining(`${path}:9: features.token_budget can only be false here.`),
  ]);
  const tools = (name: string) => (bodies.get(name)!['tools'] as JsonObject[]).map((tool) => tool['name']);
  const closed = ['exec_command', 'write_stdin', 'sleep'];
  expect(closed.filter((name) => tools('b').includes(name))).toEqual(closed);
  expect(closed.filter((name) => tools('a').includes(name))).toEqual([]);
  const [mine, others] = [of('a')[0]!.join('\n'), of('b')[0]!.join('\n')];
  expect([mine, others].map((text) => text.includes('Likes tabs.'))).toEqual([false, true]);
  const friendly = ['a', 'b'].map((name) => JSON.stringify(bodies.get(name)).includes('Manner of speech: friendly'));
  expect(friendly).toEqual([false, true]);
});
