import { expect, it } from 'vitest';
import { type MemoryMode, foldMemoryMode } from '../../src/engine/memory/thread-memories.ts';
import type { OwnTool } from '../../src/index.ts';
import { callTool } from '../../src/testing/index.ts';
import { mcpScene, reading } from '../mcp/mcp-scene.ts';

const schema = { type: 'object' } as const;
const plan = {
  tools: [{ name: 'reads', annotations: reading, inputSchema: schema }],
  resources: [{ uri: 'x:1', name: 'one' }],
};
const own = (remote: OwnTool['remote']): OwnTool => ({
  name: 'look_up',
  description: 'Looks up.',
  parameters: schema,
  run: () => ({ output: 'x', ok: true }),
  ...(remote === undefined ? {} : { remote }),
});

async function modeAfter(call: ReturnType<typeof callTool>, tool = own(undefined)): Promise<MemoryMode> {
  const scene = await mcpScene({ plan, answers: [{ kind: 'allowed' }] });
  await scene.live.open({}, { tools: [tool], askUser: { ask: async () => ({ kind: 'allowed' }) } });
  await scene.calls(call);
  return scene.live.place.lines().reduce(foldMemoryMode, 'enabled');
}

it.each([
  ['reads a resource of a server', callTool('read_mcp_resource', { server: 's', uri: 'x:1' })],
  ['lists resources of servers', callTool('list_mcp_resources', {})],
  ['calls a tool of a server', callTool('mcp__s__reads', {})],
  ['calls one that is deferred', callTool('call_tool', { name: 'mcp__s__reads' })],
])('a thread that %s has heard from outside', async (_, call) => {
  expect(await modeAfter(call)).toBe('polluted');
});

it('a tool of the program brings words from outside only if it works elsewhere', async () => {
  expect(await modeAfter(callTool('look_up', {}))).toBe('enabled');
  expect(await modeAfter(callTool('look_up', {}), own('reads'))).toBe('polluted');
});

it('a command does not', async () => {
  expect(await modeAfter(callTool('exec_command', { cmd: 'true' }))).toBe('enabled');
});
