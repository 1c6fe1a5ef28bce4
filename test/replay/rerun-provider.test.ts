import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

function abilitiesIn(body: JsonObject) {
  const tools = (body['tools'] as readonly JsonObject[]).map((tool) => (tool['function'] ?? tool) as JsonObject);
  const patch = tools.find(({ name }) => name === 'apply_patch');
  return {
    parallel: body['parallel_tool_calls'],
    hasPicture: JSON.stringify(body['messages'] ?? body['input']).includes('iVBOR'),
    tools: tools.map(({ name }) => name),
    patch: patch?.['description'],
  };
}

test.each([
  ['that lacks abilities', 'chat', 'server_capabilities = { pictures = false, parallel_calls = false }'],
  ['that knows functions alone', 'responses', 'server_capabilities = { freeform_tools = false }'],
])('a step that is sent to a provider %s is what a thread there sends', async (_, wire, capabilities) => {
  const live = await LiveThread.in(() => answer({ items: [say('ok')] }), '');
  const path = join(live.place.home, 'config.toml');
  const other = `[model_providers.other]\nname = "Other"\nbase_url = "${live.model.url}"\nwire_api = "${wire}"\n${capabilities}\n`;
  writeFileSync(path, `${readFileSync(path, 'utf8')}\n${other}`);
  const input = { author: 'user', text: 'Look.', images: [{ path: 'x.png', dataUrl: picture }] } as const;
  const { signal } = new AbortController();
  await live.open();
  await live.thread.run({ input, signal });
  const ran = await live.place.run('rerun', live.id, '--step', '1', '--provider', 'other');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  const there = await LiveThread.in(() => answer({ items: [say('ok')] }), '');
  const overrides = [
    'model_provider="other"',
    `model_providers.other={ name = "Other", base_url = "${there.model.url}", wire_api = "${wire}", ${capabilities} }`,
  ];
  await there.open({ config: overrides });
  await there.thread.run({ input, signal });
  expect(abilitiesIn(live.model.requests[1]!.body)).toEqual(abilitiesIn(there.model.requests[0]!.body));
});
