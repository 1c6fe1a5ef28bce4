import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { LiveThread } from '../harness/live-thread.ts';
import { mcpCall, mcpScene, reading } from './mcp-scene.ts';

const tool = (name: string, properties: object = {}, annotations: object = reading) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  annotations,
});

/** The notes on servers that the newest request holds. */
function notesOf(live: LiveThread): readonly string[] {
  const newest = live.rows(live.model.requests.length - 1).flat();
  return newest.filter((text) => text.startsWith('<mcp_servers>'));
}

test('a changed and a removed tool stay listed as they were, are told once, found and answered by what holds now', async () => {
  const [find, old] = [tool('find', { q: { type: 'string' } }), tool('old')];
  const scene = await mcpScene({ plan: { tools: [find, old], instructions: 'Search </mcp_instructions> first.' } });
  const { live } = scene;
  await scene.open();
  await scene.calls(mcpCall('find', { q: 'a' }));
  const texts = (tag: string): readonly string[] =>
    live
      .rows(live.model.requests.length - 1)
      .flat()
      .filter((text) => text.startsWith(tag));
  const own = texts('<mcp_instructions>');
  expect(own).toEqual([
    expect.stringContaining('===== s\nSearch &lt;/mcp_instructions&gt; first.\n</mcp_instructions>'),
  ]);
  expect(texts('<mcp_servers>')).toEqual([]);

  const anew = tool('find', { query: { type: 'string' }, limit: { type: 'number' } });
  scene.plan({ tools: [anew], calls: { find: { changed: true } } });
  await scene.calls(mcpCall('find', { q: 'a' }));
  await expect.poll(() => scene.log().filter(({ got }) => got === 'tools/list').length).toBe(2);
  const [found, called, gone, listed] = await scene.calls(
    callTool('tool_search', { query: 'limit' }),
    mcpCall('find', { query: 'a', limit: 1 }),
    mcpCall('old'),
    callTool('call_tool', { name: 'update_plan' }),
  );
  expect(found).toContain('"limit"');
  expect(called).toContain('called find');
  expect(gone).toContain('the MCP server "s" no longer has the tool mcp__s__old');
  expect(listed).toBe('update_plan is in your list of tools. Call it directly, by its name.');
  const told = texts('<mcp_servers>');
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('mcp__s__find(query: string, limit: number)');
  expect(told[0]).toContain('are gone, though your list still has them: mcp__s__old.');
  expect(texts('<mcp_instructions>')).toEqual(own);
  expect(live.told('prefix-broken')).toEqual([]);

  // A resume holds the same list, and tells nothing again.
  await live.close();
  await scene.open();
  expect((await scene.calls(mcpCall('old')))[0]).toContain('no longer has the tool');
  expect(texts('<mcp_servers>')).toEqual(told);
  const tools = live.model.requests.map(({ body }) => JSON.stringify(Object(body).tools));
  expect(new Set(tools).size).toBe(1);
});

test('the model reads which servers did not start, and which tools need an approval that no one can give', async () => {
  const scene = await mcpScene({
    plan: { tools: [tool('reads'), tool('writes', {}, { destructiveHint: true })] },
    after: [
      '[mcp_servers.dead]\ncommand = "no-such-program-for-this-test"',
      '[mcp_servers.far]\nurl = "http://127.0.0.1:39999/mcp"',
    ].join('\n'),
  });
  await scene.open();
  const [refused] = await scene.calls(mcpCall('writes'));
  expect(refused).toContain('Not run: the tool "writes" of the MCP server "s" needs an approval');
  expect(scene.toolNames(0)).toContain('mcp__s__reads');
  expect(scene.toolNames(0)).not.toContain('mcp__s__writes');
  const texts = scene.live.rows(0).flat();
  const notes = texts.find((text) => text.startsWith('<mcp_servers>'));
  expect(notes).toMatch(/- The MCP server &quot;dead&quot; did not start: .+ Its tools fail until it runs/);
  expect(notes).toContain('the user cannot be asked: mcp__s__writes.');
  expect(texts.find((text) => text.startsWith('<permissions'))).toContain(
    'Tools of MCP servers act outside the sandbox.',
  );
  const warned = scene.live.told('warning').map(({ outcome }) => outcome.message);
  expect(warned.filter((message) => message.includes('did not start')).toSorted()).toEqual([
    expect.stringContaining('"dead" did not start: the program "no-such-program-for-this-test" was not found.'),
    expect.stringMatching(/"far" did not start: .*ECONNREFUSED.*$/),
  ]);
  await scene.calls(mcpCall('reads'));
  const all = scene.live.rows(scene.live.model.requests.length - 1).flat();
  expect(all.filter((text) => text.startsWith('<mcp_servers>'))).toHaveLength(1);
});

test('the notice of a server that did not start has its address without what is secret in it', async () => {
  const secret = 'SECRET-0123456789';
  const scene = await mcpScene({
    plan: { tools: [tool('reads')] },
    after: `[mcp_servers.far]\nurl = "http://ann:${secret}@127.0.0.1:39999/mcp?key=${secret}"`,
  });
  await scene.open();
  await scene.calls(mcpCall('reads'));
  const { live } = scene;
  const far = live.told('warning').filter(({ outcome }) => outcome.message.includes('"far" did not start'));
  expect(far).toHaveLength(1);
  const [rollouts, requests] = [live.place.lines(), live.model.requests.map(({ body }) => body)];
  expect(JSON.stringify(requests)).toContain('did not start');
  expect(JSON.stringify([far, rollouts, requests])).not.toContain(secret);
});

test('a server that was down stays told as down in a process that has not seen it yet, until it is seen to run', async () => {
  const up = { tools: [tool('find')] };
  const scene = await mcpScene({ plan: up });
  const { live } = scene;
  const notes = (): readonly string[] => notesOf(live);
  await scene.open();
  await scene.calls();
  scene.plan({ exitAtStart: 3 });
  await scene.open();
  await scene.calls(mcpCall('find'));
  const told = notes();
  expect(told).toEqual([expect.stringMatching(/- The MCP server &quot;s&quot; did not start: /)]);

  // It hangs while it starts, so that nothing is known of it in this process.
  scene.plan({ ...up, startDelay: 600_000 });
  await scene.open();
  await scene.calls();
  expect(notes()).toEqual(told);

  scene.plan(up);
  await scene.open();
  expect(await scene.calls(mcpCall('find'))).toEqual([expect.stringContaining('called find')]);
  expect(notes()).toEqual([...told, expect.stringContaining('no server is known to be down')]);
});

test('a server that ran, ended and did not start again is tried with every turn, and then told as running', async () => {
  const up = { tools: [tool('find')] };
  const scene = await mcpScene({ plan: up });
  const { live } = scene;
  const notes = (): readonly string[] => notesOf(live);
  await scene.open();
  await scene.calls();
  scene.plan({ exitAtStart: 3, calls: { find: { die: true } } });
  await scene.calls(mcpCall('find'), mcpCall('find'));
  const told = notes();
  expect(told).toEqual([expect.stringContaining('did not start: it ended with code 3. Its tools fail until it runs.')]);

  scene.plan(up);
  const starts = (): number => scene.log().filter(({ got }) => got === 'tools/list').length;
  const before = starts();
  await scene.calls();
  await expect.poll(starts).toBe(before + 1);
  await expect.poll(async () => (await scene.calls(), notes().length)).toBe(2);
  expect(notes()).toEqual([...told, expect.stringContaining('no server is known to be down')]);
});

test('a resumed thread reads the reason of now, once its process has seen it, and not again in the same words', async () => {
  const scene = await mcpScene({ plan: { tools: [tool('find')] } });
  const { live, configFile } = scene;
  const notes = (): readonly string[] => notesOf(live);
  await scene.open();
  await scene.calls();
  const config = readFileSync(configFile, 'utf8');
  writeFileSync(configFile, config.replace(/command = .*/, 'command = "no-such-program"'));
  await scene.open();
  await scene.calls(mcpCall('find'));
  const wrong = expect.stringContaining('did not start: the program &quot;no-such-program&quot; was not found.');
  expect(notes()).toEqual([wrong]);

  scene.plan({ exitAtStart: 3 });
  writeFileSync(configFile, config);
  await scene.open();
  await scene.calls(mcpCall('find'));
  const ended = expect.stringContaining('did not start: it ended with code 3.');
  expect(notes()).toEqual([wrong, ended]);
  await scene.open();
  await scene.calls(mcpCall('find'));
  expect(notes()).toEqual([wrong, ended]);
});

test('a server that ran in an earlier thread and is down now is reported to the user once in a thread, and shown in lists', async () => {
  const up = { tools: [tool('find')] };
  const scene = await mcpScene({ plan: up });
  const { live } = scene;
  const warned = (): readonly string[] =>
    live.told('warning').flatMap(({ outcome }) => (outcome.code.startsWith('mcp-') ? [outcome.message] : []));
  const state = async (...words: readonly string[]) => (await live.place.run('mcp', ...words)).stdout;
  await scene.open();
  await scene.calls();
  expect(await state('list')).toMatch(/ 1 tool\n/);

  scene.plan({ exitAtStart: 3 });
  await scene.open();
  const down = 'The MCP server "s" did not start: it ended with code 3.';
  await expect.poll(async () => (await scene.calls(), warned())).toEqual([down]);
  await expect.poll(async () => (await scene.calls(), notesOf(live).length)).toBe(1);
  expect(warned()).toEqual([down]);
  for (const words of [['list'], ['list'], ['get', 's']])
    expect(await state(...words)).toContain('1 tool; did not start when it was last tried: it ended with code 3\n');
  // A cause that is already known is no news in another process of the thread.
  await scene.open();
  await scene.calls(mcpCall('find'));
  await scene.calls();
  expect(warned()).toEqual([down]);

  scene.plan(up);
  // A start that began before may still fail.
  const listed = async () => (await scene.calls(mcpCall('find')), state('list'));
  await expect.poll(listed).toMatch(/ 1 tool\n/);
});

test('a server that is found down while the last answer arrives is reported when the turn ends', async () => {
  const scene = await mcpScene({ plan: { tools: [tool('find')] } });
  const { live } = scene;
  await scene.open();
  await scene.calls();
  scene.plan({ exitAtStart: 3 });
  await scene.open();
  live.model.push(async () => {
    await expect.poll(() => readdirSync(join(live.place.home, 'capstan/mcp')).length).toBe(2);
    return answer({ items: [say('Done.')] });
  });
  await live.turn('go');
  expect(live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['mcp-server-not-started']);
});

test('a server that was down stays told as down over a checkpoint that is followed by a restart', async () => {
  const up = { tools: [tool('find')] };
  const scene = await mcpScene({ plan: up, config: 'compaction.strategy = "plain"' });
  const { live } = scene;
  await scene.open();
  await scene.calls();
  scene.plan({ exitAtStart: 3 });
  await scene.open();
  await scene.calls(mcpCall('find'));
  live.model.push(answer({ items: [say('Looking around. '.repeat(2000))] }));
  await live.turn('Look around.');
  live.model.push(answer({ items: [say('Looked around. Nothing is left to do.')] }));
  expect((await live.thread.compact({ signal: new AbortController().signal })).kind).toBe('installed');

  // It hangs while it starts, so that nothing is known of it in this process.
  scene.plan({ ...up, startDelay: 600_000 });
  await scene.open();
  await scene.calls();
  const last = live.model.requests.length - 1;
  expect(scene.toolNames(last)).toContain('mcp__s__find');
  expect(live.rows(last).flat()).toContainEqual(
    expect.stringMatching(/<mcp_servers>[^]*The MCP server &quot;s&quot; did not start: /),
  );
});
