import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sentTokens } from '../../src/core/fragments/text/truncate.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { mcpScene, reading } from './mcp-scene.ts';

const done = answer({ items: [say('Done.')] });
const tools = Array.from({ length: 60 }, (_, at) => ({
  name: `reads_${at}`,
  description: 'All about it. '.repeat(80),
  annotations: reading,
  inputSchema: { type: 'object' },
}));
const models = [
  { slug: 'gpt-5.5', context_window: 272_000 },
  { slug: 'small', context_window: 16_000 },
];

async function opened() {
  const scene = await mcpScene({ plan: { tools }, config: 'model_catalog_json = "models.json"\n' });
  writeFileSync(join(scene.live.place.home, 'models.json'), JSON.stringify({ models }));
  await scene.open();
  const turn = async () => {
    scene.live.model.push(done);
    await scene.live.turn('go');
    const { body } = scene.live.model.requests.at(-1)!;
    const specs = body['tools'] as unknown as readonly JsonObject[];
    const ofServer = specs.filter(({ name }) => String(name).startsWith('mcp__'));
    return { model: body['model'], listed: ofServer.length, tokens: sentTokens(JSON.stringify(ofServer)) };
  };
  return { ...scene, turn };
}

it('tools that do not fit a smaller window are deferred with its first request, and can still be called', async () => {
  const { live, turn, calls } = await opened();
  expect(await turn()).toMatchObject({ listed: 60 });
  await live.thread.overrideTurnContext({ model: 'small' });
  expect(await turn()).toMatchObject({ model: 'small', listed: 0 });
  expect(live.model.requests).toHaveLength(2);
  expect(live.added(1).join('\n')).toContain('mcp__s');
  const [found] = await calls(callTool('call_tool', { name: 'mcp__s__reads_7', arguments: {} }));
  expect(JSON.stringify(found)).toContain('reads_7');
});

it('a resumed thread defers them just the same, and a larger window alone does not list them again', async () => {
  const { live, turn, open } = await opened();
  expect(await turn()).toMatchObject({ listed: 60 });
  await live.thread.overrideTurnContext({ model: 'small' });
  await live.close();
  await open();
  expect(await turn()).toMatchObject({ model: 'small', listed: 0 });
  await live.thread.overrideTurnContext({ model: 'gpt-5.5' });
  expect(await turn()).toMatchObject({ model: 'gpt-5.5', listed: 0 });
});
