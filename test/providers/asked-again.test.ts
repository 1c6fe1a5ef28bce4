import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { startLocalServer } from '../harness/local-server.ts';

/** As Ollama describes a model that is not loaded. */
const unloaded = { '/api/ps': { models: [] }, '/api/show': { model_info: { 'qwen2.context_length': 131_072 } } };
const unloadedWindow = [32_768, expect.stringMatching(/^ollama \/api\/show;/)];

const at = (port: number): readonly string[] => [
  'model_provider="ollama"',
  'model="qwen2.5:7b"',
  `model_providers.ollama.base_url="http://127.0.0.1:${port}/v1"`,
  'model_providers.ollama.request_max_retries=0',
  'model_providers.ollama.stream_max_retries=0',
];

function windowOf(live: LiveThread): unknown {
  const { identity } = live.thread.state.envelope as unknown as {
    identity: { model: { contextWindow: number; sources?: { contextWindow?: string } } };
  };
  return [identity.model.contextWindow, identity.model.sources?.contextWindow];
}

test('`models list` neither forgets nor hides the window of a model that is not loaded', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('ok')] }), '');
  const { port } = await startLocalServer(['qwen2.5:7b'], live.model, unloaded);
  writeFileSync(join(live.place.home, 'config.toml'), at(port).join('\n'));
  expect(await live.place.run('models', 'list')).toMatchObject({ code: 0 });
  await live.open({ config: at(port) });
  await live.turn('hi');
  expect([windowOf(live), live.notices]).toEqual([unloadedWindow, []]);
  expect(await live.place.run('models', 'list')).toMatchObject({
    stdout: expect.stringMatching(/32,768 +ollama \/api\/show/),
  });
  await live.open({ config: at(port) });
  await live.turn('again');
  expect(windowOf(live)).toEqual(unloadedWindow);
});

test('a server that was down is asked again by the next thread', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('ok')] }), '');
  const free = await freePort();
  await live.open({ config: at(free) });
  expect(await live.turn('hi')).toMatchObject({ kind: 'failed' });
  const { port } = await startLocalServer(['qwen2.5:7b'], live.model, unloaded, free);
  expect(port).toBe(free);
  await live.open({ config: at(free) });
  expect(await live.turn('Continue.')).toMatchObject({ kind: 'completed' });
  expect(windowOf(live)).toEqual(unloadedWindow);
});

test('a model that the server did not have is asked about again', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('ok')] }), '');
  const pages: Record<string, JsonObject> = { '/api/ps': { models: [] }, '/v1/models': { data: [] } };
  const { port } = await startLocalServer([], live.model, pages);
  await live.open({ config: at(port) });
  await live.turn('hi');
  Object.assign(pages, unloaded);
  await live.open({ config: at(port) });
  await live.turn('hi');
  expect(windowOf(live)).toEqual(unloadedWindow);
});

async function freePort(): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
