import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { usedFeatures } from '../../src/core/config/features.ts';
import { isToolChosen } from '../../src/core/envelope/settings.ts';
import { type OwnTool, type ThreadRequest, words } from '../../src/index.ts';
import { answer, callTool, type RecordedRequest, say } from '../../src/testing/index.ts';
import { agentScene } from '../agents/agent-scene.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { mcpScene, reading } from '../mcp/mcp-scene.ts';
import { eventually, memoryScene } from '../memory/memory-scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

/** Everything that brings tools is on: a tool that a later version adds behind a gate is there, too. */
const gates = usedFeatures.map(({ name }) => `features.${name} = ${name !== 'use_legacy_landlock'}`).join('\n');
const config = `web_search = "live"\n${gates}`;
const done = answer({ items: [say('Done.')] });
const schema = { type: 'object' } as const;
const ticket = { type: 'function', name: 'ticket', description: 'Finds tickets.', inputSchema: schema } as const;
const lookUp: OwnTool = {
  name: 'look_up',
  description: 'Looks up.',
  parameters: schema,
  run: () => ({ output: 'x', ok: true }),
};

function toolsIn({ body }: RecordedRequest): readonly string[] {
  return (body['tools'] as unknown as readonly { readonly name?: string; readonly type: string }[]).map(
    ({ name, type }) => name ?? type,
  );
}

async function offeredWith(request: Partial<ThreadRequest>): Promise<readonly string[]> {
  const live = await LiveThread.in(() => done, config);
  await live.open({}, request);
  await live.turn('go');
  return toolsIn(live.model.requests[0]!);
}

it('the scene has every kind of tool', async () => {
  const offered = await offeredWith({ clientTools: [ticket], tools: [lookUp] });
  const kinds = ['exec_command', 'web_search', 'image_generation', 'get_goal', 'ticket', 'look_up'];
  expect(kinds.filter((name) => !offered.includes(name))).toEqual([]);
  // A choice may name each of them.
  expect(await offeredWith({ onlyTools: offered, clientTools: [ticket], tools: [lookUp] })).toEqual(offered);
});

it.each<[Partial<ThreadRequest>, string]>([
  [{ withoutTools: ['exec_comand'] }, 'There is no tool "exec_comand" in withoutTools. Did you mean exec_command?'],
  [{ withoutTools: ['Exec_Command'] }, 'There is no tool "Exec_Command" in withoutTools. Did you mean exec_command?'],
  [{ onlyTools: ['shell'] }, 'There is no tool "shell" in onlyTools. Did you mean exec_command?'],
  [{ onlyTools: ['constructor'] }, 'There is no tool "constructor" in onlyTools.'],
  [{ withoutTools: ['tickt'] }, 'There is no tool "tickt" in withoutTools. Did you mean ticket?'],
  [{ withoutTools: ['exec_command *'] }, 'No tool has a name that begins as "exec_command *" in withoutTools.'],
  [
    { withoutTools: ['mcp__githb__push'] },
    'There is no tool "mcp__githb__push" in withoutTools. Did you mean mcp__github__push?',
  ],
  [{ onlyTools: ['mcp__githb__*'] }, 'No tool has a name that begins as "mcp__githb__*" in onlyTools.'],
  [{ onlyConfig: ['sandbx_mode'] }, 'config.toml has no top-level key "sandbx_mode". Did you mean sandbox_mode?'],
  [{ config: [{ path: ['sandbox_mod'], value: 'read-only' }] }, 'sandbox_mod is not a known key.'],
  [{ clientTools: [{ ...ticket, deferLoadin: true }] as never }, 'clientTools[0] of start() has no key "deferLoadin".'],
  [
    { clientTools: [{ ...ticket, deferLoading: 'yes' }] as never },
    'clientTools[0].deferLoading of start() must be true or false',
  ],
])('a name that nothing has is refused: %j', async (request, message) => {
  const live = await LiveThread.in([], '[mcp_servers.github]\ncommand = "/nonexistent"\n');
  const engine = await live.engine();
  const opened = await engine.start({ cwd: live.place.workspace, clientTools: [ticket], ...request });
  expect(opened).toMatchObject({ kind: 'refused', outcome: { message: expect.stringContaining(message) } });
});

it('tools of servers may be named before they are known', async () => {
  const live = await LiveThread.in(() => done, '[mcp_servers."git-hub"]\ncommand = "/nonexistent"\n');
  const names = ['mcp__git_hub__push', 'mcp__git_hub__p*', 'mcp__*', 'm*', 'ticket', 'tick*', 'look_up', 'spawn_agent'];
  const thread = await live.open({}, { withoutTools: names, clientTools: [ticket], tools: [lookUp] });
  expect(thread.id).toBeTruthy();
});

it('a thread that has no tools, or only some, gets no others, whoever brings them', async () => {
  expect(await offeredWith({ onlyTools: [], clientTools: [ticket] })).toEqual([]);
  expect(await offeredWith({ onlyTools: ['exec_command'], clientTools: [ticket] })).toEqual([
    'exec_command',
    'write_stdin',
  ]);
  expect(await offeredWith({ onlyTools: ['tick*'], clientTools: [ticket], tools: [lookUp] })).toEqual([
    'look_up',
    'ticket',
  ]);
});

it('leaves out tools of every source, but for those that the program brings itself', async () => {
  const without = ['get_goal', 'create_goal', 'ticket', 'look_up', 'web_search'];
  const offered = await offeredWith({ withoutTools: without, clientTools: [ticket], tools: [lookUp] });
  expect(without.filter((name) => offered.includes(name))).toEqual(['look_up']);
});

it('leaves out tools that start agents', async () => {
  const { begin, requests, live } = await agentScene({ root: () => done }, { open: { withoutTools: ['spawn_agent'] } });
  const { thread } = await begin();
  await thread.run({ input: words('go'), signal: new AbortController().signal });
  const offered = toolsIn(live.model.requests[0]!);
  expect([requests.length, offered.includes('spawn_agent'), offered.includes('wait_agent')]).toEqual([1, false, true]);
});

it('a tool that is left out is not found, not called and not announced', async () => {
  const live = await LiveThread.in([
    answer({ items: [callTool('tool_search', { query: 'tickets orders' })] }),
    answer({ items: [callTool('call_tool', { name: 'ticket', arguments: {} })] }),
    done,
  ]);
  const order = { ...ticket, name: 'order', description: 'Finds orders.' };
  const clientTools = [ticket, order].map((tool) => ({ ...tool, deferLoading: true as const }));
  await live.open({}, { withoutTools: ['ticket'], clientTools });
  await live.turn('go');
  const all = textsOf(inputOf(live.model, 2)).map(String);
  expect(all.join('\n')).toContain('Finds orders.');
  expect(all.filter((text) => /Finds tickets|Tools: .*ticket/.test(text))).toEqual([]);
  expect(all.at(-1)).toContain('order');
});

it('a server is not started for a thread without tools, and is not spoken of where none of its tools is chosen', async () => {
  const tools = [
    { name: 'reads', annotations: reading, inputSchema: schema },
    { name: 'writes', inputSchema: schema },
  ];
  for (const [onlyTools, started] of [
    [[], false],
    [['exec_command'], true],
  ] as const) {
    const made = await mcpScene({ plan: { tools, instructions: 'I know it all.' } });
    await made.live.open({}, { onlyTools });
    await made.calls();
    expect(made.log().length > 0).toBe(started);
    expect(textsOf(inputOf(made.live.model, 0)).join('\n')).not.toMatch(/mcp__s__|I know it all/);
  }
});

it('questions beside the conversation have no tools, whatever is configured', async () => {
  const { live, past, asked } = await memoryScene({}, config);
  await past('I like tabs.');
  await live.turn('hello');
  await eventually(() => asked('consolidate').length > 0);
  expect([...asked('extract'), ...asked('consolidate')].map(toolsIn)).toEqual([[], []]);
});

it.skipIf(noNamespaces)('a reviewer has tools to look at things, whatever is configured', async () => {
  const { model, place } = await scene([done]);
  execFileSync('git', ['init', '--quiet'], { cwd: place.workspace });
  writeFileSync(join(place.workspace, 'a.txt'), 'new\n');
  appendFileSync(join(place.home, 'config.toml'), `\n${config}\n`);
  await place.run('review');
  expect(toolsIn(model.requests[0]!)).toEqual(['exec_command', 'write_stdin', 'view_image']);
});

it('is a choice by name, by beginnings of names, and by the tool that another one serves', () => {
  const chosen = (name: string, choice: Parameters<typeof isToolChosen>[1]) => isToolChosen({ name }, choice);
  expect(chosen('a', {})).toBe(true);
  expect(chosen('mcp__s__a', { onlyTools: ['mcp__s__*'] })).toBe(true);
  expect(chosen('mcp__t__a', { onlyTools: ['mcp__s__*'] })).toBe(false);
  expect(chosen('mcp__s__a', { onlyTools: ['mcp__s__*'], withoutTools: ['mcp__s__a'] })).toBe(false);
  expect(chosen('write_stdin', { withoutTools: ['exec_command'] })).toBe(false);
  expect(chosen('web_search_unlimited', { withoutTools: ['web_search'] })).toBe(false);
  expect(isToolChosen({ name: 'a', isOwn: true }, { onlyTools: [] })).toBe(true);
});

it('a chosen tool that is deferred can be reached, and is announced only then', async () => {
  const own = { ...lookUp, deferLoading: true as const };
  const speaks = ({ body }: RecordedRequest): boolean => JSON.stringify(body['input']).includes('look_up');
  for (const [request, tools] of [
    [{ onlyTools: ['exec_command'] }, ['exec_command', 'write_stdin', 'tool_search', 'call_tool']],
    [{ onlyTools: ['exec_command'], withoutTools: ['call_tool'] }, ['exec_command', 'write_stdin', 'tool_search']],
  ] as const) {
    const live = await LiveThread.in(() => done);
    await live.open({}, { ...request, tools: [own] });
    await live.turn('go');
    expect(toolsIn(live.model.requests[0]!)).toEqual(tools);
    expect(speaks(live.model.requests[0]!)).toBe(tools.includes('call_tool' as never));
  }
});

it('a server that is too large for the list is reached by a choice of its tools, too', async () => {
  const about = { description: 'All about it. '.repeat(40), annotations: reading, inputSchema: schema };
  const tools = Array.from({ length: 60 }, (_, at) => ({ name: `reads_${at}`, ...about }));
  const made = await mcpScene({ plan: { tools }, config: 'model_context_window = 16000\n' });
  await made.live.open({}, { onlyTools: ['mcp__s__*'] });
  await made.calls();
  expect(made.toolNames(0)).toEqual(['tool_search', 'call_tool']);
  expect(textsOf(inputOf(made.live.model, 0)).join('\n')).toContain('mcp__s__reads_0');
});

it.each([
  ['no tool', ['exec_command'], false],
  ['a tool', ['exec_command', 'mcp__broken__find'], true],
])('of a server that does not start the model hears only if %s of it is chosen', async (_, onlyTools, isTold) => {
  const made = await mcpScene({ plan: { tools: [] }, after: '[mcp_servers.broken]\ncommand = "/nonexistent"\n' });
  await made.live.open({}, { onlyTools });
  await made.calls();
  await made.calls();
  expect(
    textsOf(inputOf(made.live.model, made.live.model.requests.length - 1))
      .join('\n')
      .includes('broken'),
  ).toBe(isTold);
});
