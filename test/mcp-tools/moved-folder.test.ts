import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp, type McpApp } from '../../src/surfaces/servers/mcp/app.ts';
import { answer, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { engineOf, type Served, served, TestClient } from './served.ts';

/** A thread whose folder is gone, in the server that had it loaded and in another one. */
async function withoutFolder(where: 'same' | 'other') {
  const scene: Served = await served(() => answer({ items: [say('ok')] }));
  const [gone, there] = ['gone', 'there'].map((name) => join(scene.place.root, name)) as [string, string];
  for (const folder of [gone, there]) mkdirSync(folder);
  const client = new TestClient(scene.app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'hi', cwd: gone })) as { thread_id: string };
  // The server gives it up.
  await client.data('thread_pin', { thread_id, add: 'note' });
  rmSync(gone, { recursive: true });
  if (where === 'same') return { scene, app: scene.app, client, thread_id, there };
  await scene.app.close();
  const app = await another(scene);
  return { scene, app, client: new TestClient(app), thread_id, there };
}

async function another({ place }: Pick<Served, 'place'>): Promise<McpApp> {
  const engine = await engineOf(place);
  const app = createMcpApp(engine, liveThreads(engine), { cwd: place.workspace });
  whenTestEnds(() => app.close());
  return app;
}

it.each(['same', 'other'] as const)('a thread whose folder is gone is moved: in the %s server', async (where) => {
  const { scene, app, client, thread_id, there } = await withoutFolder(where);
  expect(await client.error('thread_send', { thread_id, text: 'two' })).toMatchObject({
    code: 'folder-missing',
    next: expect.stringContaining('thread_override') as string,
  });
  expect(await client.data('thread_override', { thread_id, cwd: there })).toMatchObject({
    changed: ['cwd'],
    settings: { cwd: there },
  });
  expect(client.events.find(({ type }) => type === 'settings')).toBeDefined();
  // It stays there, for every server.
  await app.close();
  const later = new TestClient(await another(scene));
  expect(await later.data('thread_send', { thread_id, text: 'four' })).toMatchObject({ status: 'completed' });
});

it.each(['same', 'other'] as const)('a turn with another folder moves it as well: in the %s server', async (where) => {
  const { scene, client, thread_id, there } = await withoutFolder(where);
  const turn = { thread_id, text: 'two', cwd: there };
  expect(await client.data('thread_turn', turn)).toMatchObject({ status: 'completed' });
  const input = scene.model.requests.at(-1)!.body['input'] as readonly JsonObject[];
  expect(JSON.stringify(input)).toContain(there);
});
