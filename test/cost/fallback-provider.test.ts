import { expect, it, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, httpError, say, startScriptedModel } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { startLocalServer } from '../harness/local-server.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const noCredit = httpError({
  status: 429,
  body: { error: { message: 'No quota.', type: 'insufficient_quota', code: 'insufficient_quota' } },
});
const done = answer({ items: [say('Done.')] });
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** The abilities in the last request: how calls may come, whether it holds a picture, and its tools by form. */
function abilitiesIn(body: JsonObject) {
  const text = JSON.stringify(body['messages'] ?? body['input']);
  const tools = (body['tools'] as readonly JsonObject[]).map((tool): readonly [unknown, unknown] => {
    const inner = (tool['function'] ?? tool) as JsonObject;
    return [inner['name'] ?? tool['type'], tool['type']];
  });
  return {
    parallel: body['parallel_tool_calls'],
    hasPicture: text.includes('base64,iVBOR') || text.includes('"data":"iVBOR'),
    viewsImages: tools.some(([name]) => name === 'view_image'),
    patch: tools.find(([name]) => name === 'apply_patch')?.[1],
    edits: tools.some(([name]) => name === 'edit_file'),
  };
}

/** The last body that reaches `other`: chosen at the start, or as the fallback of the scripted provider. */
async function lastBody(way: 'directly' | 'by fallback', config: string, first: readonly string[] = []) {
  const other = await startScriptedModel([done]);
  whenTestEnds(() => other.close());
  const live = await LiveThread.in([noCredit], '');
  const provider = `model_providers.other={ name = "Other", base_url = "${other.url}", ${config} }`;
  const chosen =
    way === 'directly'
      ? ['model_provider="other"', 'model="gpt-5.4"']
      : [...first, 'model_fallback={ model = "gpt-5.4", provider = "other" }'];
  await live.open({ config: [provider, ...chosen] });
  const input = { author: 'user', text: 'Look.', images: [{ path: 'x.png', dataUrl: picture }] } as const;
  expect(await live.thread.run({ input, signal: new AbortController().signal })).toMatchObject({ kind: 'completed' });
  return abilitiesIn(other.requests[0]!.body);
}

const blind = 'server_capabilities = { pictures = false, parallel_calls = false }';

test.each([
  ['that lacks abilities', `wire_api = "chat", ${blind}`, []],
  ['that knows functions alone', 'wire_api = "responses", server_capabilities = { freeform_tools = false }', []],
  ['whose format has no freeform tools', 'wire_api = "anthropic"', []],
  [
    'that has what the first one lacks',
    'wire_api = "responses"',
    [
      'model_providers.scripted.server_capabilities={ pictures = false, parallel_calls = false, freeform_tools = false }',
    ],
  ],
])('a provider %s gets as a fallback what it gets when it is chosen', async (_, config, first) => {
  expect(await lastBody('by fallback', config, first)).toEqual(await lastBody('directly', config));
});

it('a fallback has the window that its server gives it', async () => {
  const live = await LiveThread.in([noCredit, done], '');
  const pages = { '/api/ps': { models: [{ name: 'qwen3:8b', context_length: 8192 }] }, '/api/show': {} };
  const { port } = await startLocalServer(['qwen3:8b'], live.model, pages);
  await live.open({
    config: [
      'model_fallback={ model = "qwen3:8b", provider = "ollama" }',
      `model_providers.ollama.base_url="http://127.0.0.1:${port}/v1"`,
    ],
  });
  expect(await live.turn('Go.')).toMatchObject({ kind: 'completed' });
  expect(live.thread.state.envelope).toMatchObject({
    identity: { provider: 'ollama', model: { contextWindow: 8192, sources: { contextWindow: 'ollama /api/ps' } } },
    window: { effective: Math.floor(8192 * 0.95) },
  });
});
