import { expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { checkpointText } from '../compaction/summariser.ts';
import { mcpCall, mcpScene, reading } from './mcp-scene.ts';

const echo = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' }, annotations: reading };

test('a configured server is started, its tools are offered, called and recorded, and a resume offers the same', async () => {
  const result = { content: [{ type: 'text', text: 'called echo' }], structuredContent: { n: 1 } };
  const scene = await mcpScene({
    plan: { tools: [echo], instructions: 'A test server.', calls: { echo: { result } } },
  });
  await scene.open();
  const [output] = await scene.calls(mcpCall('echo', { words: 'hello' }));
  expect(output).toMatch(/^Wall time: \d+\.\d{4} seconds\nOutput:\ncalled echo\n\{"n":1\}$/);
  expect(scene.toolNames(0)).toContain('mcp__s__echo');
  const call = scene.log().find(({ got }) => got === 'tools/call');
  expect(call).toMatchObject({ params: { name: 'echo', arguments: { words: 'hello' } } });
  const item = scene.live.told('item-completed').find(({ item: { kind } }) => kind === 'tool-call')?.item;
  expect(item).toEqual({
    kind: 'tool-call',
    id: expect.any(String),
    server: 's',
    tool: 'echo',
    arguments: { words: 'hello' },
    status: 'completed',
    output: 'called echo\n{"n":1}',
    result: { content: [{ type: 'text', text: 'called echo' }], structured: { n: 1 } },
  });
  await scene.live.close();
  await scene.open();
  await scene.calls(mcpCall('echo'));
  const [first, last] = [scene.live.model.requests[0], scene.live.model.requests.at(-1)];
  expect(JSON.stringify(Object(last?.body).tools)).toBe(JSON.stringify(Object(first?.body).tools));
  expect(scene.live.told('prefix-broken')).toEqual([]);
});

test('a tool that a server adds later is deferred, found by searching and called', async () => {
  const scene = await mcpScene({ plan: { tools: [echo] } });
  await scene.open();
  const late = {
    name: 'late',
    description: 'Counts the sheep.',
    inputSchema: { type: 'object' },
    annotations: reading,
  };
  await scene.calls(mcpCall('echo'));
  scene.plan({ tools: [echo, late], calls: { echo: { changed: true } } });
  await scene.calls(mcpCall('echo'));
  await expect.poll(() => scene.log().filter(({ got }) => got === 'tools/list').length).toBe(2);
  const [found, called, direct] = await scene.calls(
    callTool('tool_search', { query: 'sheep' }),
    callTool('call_tool', { name: 'mcp__s__late', arguments: { n: 1 } }),
    mcpCall('late'),
  );
  expect(found).toContain('mcp__s__late');
  expect(found).toContain('Counts the sheep.');
  expect(called).toContain('called late');
  expect(direct).toContain('called late');
  const names = scene.toolNames(scene.live.model.requests.length - 1);
  expect(names).toEqual(scene.toolNames(0));
  expect(
    scene.live
      .rows(scene.live.model.requests.length - 1)
      .flat()
      .join('\n'),
  ).toContain('mcp__s: Tools: mcp__s__late');
});

test('a checkpoint makes deferred tools direct, a resume keeps them so, and every request can be rebuilt', async () => {
  const scene = await mcpScene({ plan: { tools: [echo] } });
  const { live } = scene;
  await scene.open();
  live.model.push(answer({ items: [say('word '.repeat(5000))], usage: 'none' }));
  await live.turn('go');
  const late = { ...echo, name: 'late' };
  scene.plan({ tools: [echo, late], calls: { echo: { changed: true } } });
  await scene.calls(mcpCall('echo'));
  await expect.poll(() => scene.log().filter(({ got }) => got === 'tools/list').length).toBe(2);
  await scene.calls(mcpCall('late'));
  const newest = (): readonly string[] => scene.toolNames(live.model.requests.length - 1);
  expect(newest()).not.toContain('mcp__s__late');
  live.model.push(answer({ items: [say(checkpointText('go', ['go']))] }));
  expect(await live.thread.compact({ signal: new AbortController().signal })).toMatchObject({ kind: 'installed' });
  await scene.calls(mcpCall('late'));
  expect(newest()).toContain('mcp__s__late');
  await live.close();
  await scene.open();
  expect((await scene.calls(mcpCall('late')))[0]).toContain('called late');
  const texts = live.rows(live.model.requests.length - 1).flat();
  expect(texts.filter((text) => text.startsWith('<tools>') && text.includes('mcp__s__late'))).toEqual([]);
  await live.close();
  const replayed = await live.place.run('replay', live.id);
  expect([replayed.code, replayed.stdout], replayed.stderr).toEqual([
    0,
    expect.stringContaining('10 of 10 requests rebuilt byte for byte'),
  ]);
});

test('calls of one answer run together if the tools only read or the server allows it, and else one after the other', async () => {
  const order = async (annotations: object, server: string): Promise<string> => {
    const both = ['a', 'b'].map((name) => ({ ...echo, name, annotations }));
    const calls = { a: { delay: 200 }, b: { delay: 200 } };
    const scene = await mcpScene({ plan: { tools: both, calls }, server });
    await scene.open();
    scene.live.model.push(answer({ items: [mcpCall('a'), mcpCall('b')] }), answer({ items: [say('Done.')] }));
    await scene.live.turn('go');
    const told = scene
      .log()
      .flatMap(({ got, answered }) => (got === 'tools/call' ? ['call'] : answered ? ['answer'] : []));
    return told.join(' ');
  };
  const changes = { destructiveHint: false, openWorldHint: false };
  expect(await order(changes, '')).toBe('call answer call answer');
  expect(await order(changes, 'supports_parallel_tool_calls = true')).toBe('call call answer answer');
  expect(await order(reading, '')).toBe('call call answer answer');
});

test('a picture is sent to a model that takes pictures', async () => {
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const result = {
    content: [
      { type: 'text', text: 'word '.repeat(100_000) },
      { type: 'image', data, mimeType: 'image/png' },
    ],
  };
  const scene = await mcpScene({ plan: { tools: [echo], calls: { echo: { result } } } });
  await scene.open();
  const [output] = await scene.calls(mcpCall('echo'));
  const parts = output as readonly { readonly type: string; readonly text?: string; readonly image_url?: string }[];
  expect(parts.at(-1)).toMatchObject({ type: 'input_image', image_url: `data:image/png;base64,${data}` });
  expect(JSON.stringify(parts).length).toBeLessThan(100_000);
});

test('a malformed tool is left out and named, and the others work', async () => {
  const huge = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(300_000) } } };
  const tools = [
    echo,
    { name: 'torn', inputSchema: 'none' },
    { description: 'nameless' },
    { name: 'huge', inputSchema: huge },
  ];
  const scene = await mcpScene({ plan: { tools } });
  await scene.open();
  expect(await scene.calls(mcpCall('echo'))).toEqual([expect.stringContaining('called echo')]);
  expect(scene.toolNames(0).filter((name) => name.startsWith('mcp__'))).toEqual(['mcp__s__echo']);
  const said = scene.live.told('warning').filter(({ outcome }) => outcome.code === 'mcp-tools-malformed');
  expect(said.map(({ outcome }) => outcome.message)).toEqual([
    'The MCP server "s" lists tools that are malformed or too large: "torn", "number 3", "huge". They are left out; the others work.',
  ]);
});

test('a result in a wrong form is refused with its first fault alone, and the turn goes on', async () => {
  const result = { content: [{ type: 'text', text: 'fine' }, { type: 'weird' }, { type: 'text', text: 1 }] };
  const scene = await mcpScene({ plan: { tools: [echo], calls: { echo: { result } } } });
  await scene.open();
  const [output] = await scene.calls(mcpCall('echo'));
  expect(output).toMatch(/the server answered in a wrong form \(content\.1: Invalid input\)\.$/);
});

test('a list of tools without an end is reported in one sentence, with what to do', async () => {
  const scene = await mcpScene({ plan: { tools: [echo], endlessList: true } });
  await scene.open();
  await scene.calls();
  const said = scene.live.told('warning').filter(({ outcome }) => outcome.code === 'mcp-server-not-started');
  expect(said.map(({ outcome: { message, next } }) => [message, next])).toEqual([
    [
      'The MCP server "s" did not start: its list of tools does not end after 16 pages.',
      'Report this to the maker of the server, or set its enabled to false.',
    ],
  ]);
});

test('what is nested too deep is refused in words, in a call and in a result, and the turn goes on', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const raw = `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"x":${deep}}}}\n`;
  const scene = await mcpScene({ plan: { tools: [echo], calls: { echo: { raw } } } });
  await scene.open();
  const [given, result] = await scene.calls({ ...mcpCall('echo'), arguments: `{"x":${deep}}` }, mcpCall('echo'));
  expect(given).toBe(
    'The arguments were not accepted and nothing was done: they have more than 200 levels of lists and objects.',
  );
  expect(result).toContain('its result has more than 200 levels of lists and objects and cannot be read.');
});
