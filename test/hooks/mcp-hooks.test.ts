import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { callTool } from '../../src/testing/index.ts';
import { mcpCall, mcpScene, reading } from '../mcp/mcp-scene.ts';
import { hook, type HookTable, prints, trustAll } from './hooked-scene.ts';

const tool = (name: string) => ({
  name,
  description: 'Says it again.',
  inputSchema: { type: 'object' },
  annotations: reading,
});

function decides(more: JsonObject): string {
  return prints({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } });
}

async function hookedServer(hooks: HookTable) {
  const scene = await mcpScene({ plan: { tools: [tool('echo'), tool('drop')] } });
  const { home } = scene.live.place;
  writeFileSync(join(home, 'hooks.json'), JSON.stringify({ hooks }));
  trustAll(home);
  await scene.open();
  return scene;
}

it('a hook vetoes a tool of a server by its name, and changes what another one gets', async () => {
  const scene = await hookedServer({
    PreToolUse: [
      hook('echo "Nothing is dropped" >&2; exit 2', { matcher: 'mcp__s__drop' }),
      hook(decides({ permissionDecision: 'allow', updatedInput: { words: 'hook' } }), { matcher: 'mcp__.*__echo' }),
    ],
  });
  const [dropped, echoed] = await scene.calls(mcpCall('drop'), mcpCall('echo', { words: 'model' }));
  expect(dropped).toBe('Tool call blocked by PreToolUse hook: Nothing is dropped. Tool: mcp__s__drop');
  expect(echoed).toMatch(/^A hook of the user changed this call before it ran\. What ran: \{"words":"hook"\}\n/);
  const called = scene.log().filter(({ got }) => got === 'tools/call');
  expect(called.map(({ params }) => params)).toMatchObject([{ name: 'echo', arguments: { words: 'hook' } }]);
});

it('the same where the model reaches a tool by another one', async () => {
  const scene = await hookedServer({
    PreToolUse: [
      hook('echo "Not this one" >&2; exit 2', { matcher: 'mcp__s__late' }),
      hook(decides({ permissionDecision: 'allow', updatedInput: { n: 2 } }), { matcher: 'mcp__s__later' }),
    ],
  });
  await scene.calls(mcpCall('echo'));
  const tools = ['echo', 'drop', 'late', 'later'].map(tool);
  scene.plan({ tools, calls: { echo: { changed: true } } });
  await scene.calls(mcpCall('echo'));
  await expect.poll(() => scene.log().filter(({ got }) => got === 'tools/list').length).toBe(2);
  const [late, later] = await scene.calls(
    callTool('call_tool', { name: 'mcp__s__late', arguments: {} }),
    callTool('call_tool', { name: 'mcp__s__later', arguments: { n: 1 } }),
  );
  expect(late).toBe('Tool call blocked by PreToolUse hook: Not this one. Tool: mcp__s__late');
  expect(later).toContain('called later');
  const called = scene.log().filter(({ got }) => got === 'tools/call');
  expect(called.at(-1)?.['params']).toMatchObject({ name: 'later', arguments: { n: 2 } });
});
