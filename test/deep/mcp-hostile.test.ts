import { expect, test } from 'vitest';
import { callTool } from '../../src/testing/index.ts';
import { mcpCall, mcpScene, reading } from '../mcp/mcp-scene.ts';

const tool = (name: string, more: object = {}) => ({
  name,
  inputSchema: { type: 'object' },
  annotations: reading,
  ...more,
});
const tools = [tool('x'), tool('y')];
const warnings = (scene: Awaited<ReturnType<typeof mcpScene>>): readonly string[] =>
  scene.live.told('warning').map(({ outcome }) => outcome.message);

test.each<[string, object, RegExp]>([
  ['dying: it ends at once', { exitAtStart: 3 }, /did not start: it ended with code 3/],
  [
    'malformed: it greets with nonsense',
    { greeting: { hello: 1 } },
    /did not start: it sent an answer of the wrong form \(protocolVersion: [^[{]{1,80}\)\.$/,
  ],
  [
    'malformed: its list is none',
    { list: { tools: 'many' } },
    /did not start: it sent an answer of the wrong form \(tools: [^[{]{1,80}\)\.$/,
  ],
  [
    'huge: its list does not end',
    { endlessList: true, tools },
    /did not start: its list of tools does not end after 16 pages\.$/,
  ],
])('%s, and the turn goes on without it', async (_, plan, why) => {
  const scene = await mcpScene({ plan: { tools, ...plan }, server: 'startup_timeout_sec = 10' });
  await scene.open();
  const [output, done] = await scene.calls(mcpCall('x'), callTool('exec_command', { cmd: 'echo still here' }));
  expect(output).toContain('There is no tool named');
  expect(done).toContain('still here');
  expect(warnings(scene).at(-1)).toMatch(why);
});

test('dying: a server that did not start is tried again with the next turn, and its tools are deferred then', async () => {
  const scene = await mcpScene({ plan: { exitAtStart: 3 } });
  await scene.open();
  expect((await scene.calls(mcpCall('x')))[0]).toContain('There is no tool named');
  scene.plan({ tools });
  await scene.calls();
  await expect.poll(() => scene.log().map(({ got }) => got)).toContain('tools/list');
  expect((await scene.calls(mcpCall('x')))[0]).toContain('called x');
  expect(scene.toolNames(scene.live.model.requests.length - 1)).toEqual(scene.toolNames(0));
});

test('huge: thousands of tools with long words leave a list that fits, and all that is kept can be found', async () => {
  const words = 'word '.repeat(2000);
  const many = Array.from({ length: 3000 }, (_, at) => tool(`t${at}`, { description: `Tool ${at}. ${words}` }));
  const scene = await mcpScene({ plan: { tools: many } });
  await scene.open();
  const [found, called] = await scene.calls(
    callTool('tool_search', { query: 'tool 17', limit: 3 }),
    callTool('call_tool', { name: 'mcp__s__t17' }),
  );
  expect(found).toContain('mcp__s__t17');
  expect(String(found).length).toBeLessThan(100_000);
  expect(called).toContain('called t17');
  expect(scene.toolNames(0).filter((name) => name.startsWith('mcp__s__'))).toEqual([]);
  expect(scene.live.model.requests[0]!.decodedBytes.length).toBeLessThan(20_000);
});

test('changing: a tool that is gone fails, one that is said to change without end holds nothing up', async () => {
  const scene = await mcpScene({ plan: { tools, calls: { x: { changes: 5000 } } } });
  await scene.open();
  const [flood, next] = await scene.calls(mcpCall('x'), mcpCall('y'));
  expect([flood, next]).toEqual([expect.stringContaining('called x'), expect.stringContaining('called y')]);
  expect(scene.log().filter(({ got }) => got === 'tools/list').length).toBeLessThan(110);
});

test('slow: a server that reads nothing any more costs its limits and not the turn', async () => {
  const scene = await mcpScene({ plan: { tools, calls: { x: { deaf: true } } }, server: 'tool_timeout_sec = 1' });
  await scene.open();
  const big = 'b'.repeat(3_000_000);
  const [silent, unread] = await scene.calls(mcpCall('x'), mcpCall('y', { big }));
  expect(silent).toContain('did not answer within 1 s');
  expect(unread).toContain('did not answer within 1 s');
  await scene.live.close();
});

test('asking for more: one call may ask ten times, and a form without end is put to no one', async () => {
  const params = { message: 'Once more?', requestedSchema: { type: 'object', properties: {} } };
  const ask = { method: 'elicitation/create', params };
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field_${at}`, { type: 'string' }]));
  const large = {
    method: 'elicitation/create',
    params: { ...params, requestedSchema: { type: 'object', properties } },
  };
  const answers = Array.from({ length: 50 }, () => ({ kind: 'allowed' as const, content: {} }));
  const scene = await mcpScene({ plan: { tools, calls: { x: { ask, asks: 40 }, y: { ask: large } } }, answers });
  await scene.open();
  const [often, form] = await scene.calls(mcpCall('x'), mcpCall('y'));
  expect(often).toContain('10 times yes');
  expect(form).toContain('"action":"decline"');
  expect(scene.asked).toHaveLength(10);
});

test('asking for more: where it is, it may know; what else it asks of us is refused', async () => {
  const asked = async (method: string) => {
    const ask = { method, params: {} };
    const scene = await mcpScene({ plan: { tools, calls: { x: { ask } } } });
    await scene.open();
    return { output: String((await scene.calls(mcpCall('x')))[0]), folder: scene.live.place.workspace };
  };
  const roots = await asked('roots/list');
  expect(roots.output).toContain(`file://${roots.folder}`);
  expect((await asked('tools/call')).output).toContain('-32601');
});
