import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { served, TestClient } from './served.ts';

it('threads are resources: listed, read, completed, and reported when they change', async () => {
  const { app, model } = await served(() => answer({ items: [say('ok')] }));
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'hello' })) as { thread_id: string };
  const uri = `capstan://threads/${thread_id}`;
  const { resources } = app;
  expect(await resources.list(undefined)).toMatchObject({
    resources: [{ uri, title: 'hello', mimeType: 'application/json' }],
  });
  await expect(resources.list('-1')).rejects.toThrow('Leave the cursor out');
  expect(resources.templates.map(({ uriTemplate }) => uriTemplate)).toEqual(
    ['', '/context', '/envelope', '/requests/{n}'].map((path) => `capstan://threads/{id}${path}`),
  );

  const read = async (path: string): Promise<JsonObject> => {
    const [content] = (await resources.read(`${uri}${path}`)) ?? [];
    expect(content).toMatchObject({ uri: `${uri}${path}`, mimeType: 'application/json' });
    return JSON.parse(content!['text'] as string) as JsonObject;
  };
  expect(await read('')).toMatchObject({
    turns: [{ number: 1 }],
    items: expect.arrayContaining([expect.objectContaining({ type: 'user', text: 'hello' })]) as unknown,
  });
  expect(await read('/context')).toHaveProperty('families');
  expect(await read('/envelope')).toHaveProperty('fields');
  expect(await read('/requests/1')).toEqual(model.requests[0]!.body);
  const [request] = (await resources.read(`${uri}/requests/1`)) ?? [];
  expect(request!['text']).toBe(model.requests[0]!.decodedBytes.toString('utf8'));
  for (const odd of ['/requests/2', '/requests/0', '/requests/-1', '/other', '/context/1', '/../x'])
    expect(await resources.read(`${uri}${odd}`)).toBeUndefined();
  expect(await resources.read('capstan://threads/01a1e497-81d9-72c4-b73a-5815034b32a9')).toBeUndefined();
  expect(await resources.read('file:///etc/passwd')).toBeUndefined();

  const template = resources.templates[0]!.uriTemplate;
  expect(await resources.complete(template, 'id', thread_id.slice(0, 9))).toEqual([thread_id]);
  expect(await resources.complete(template, 'id', 'zzz')).toEqual([]);
  expect(await resources.complete('other://{id}', 'id', '')).toEqual([]);

  let changes = 0;
  const follower = new TestClient(app);
  const stop = resources.watch(uri, () => changes++, follower.port);
  await client.data('thread_send', { thread_id, text: 'more' });
  expect(changes).toBeGreaterThan(0);
  await expect.poll(() => follower.typesOf('turn_completed')).toEqual(['turn_completed']);
  stop();
  const before = changes;
  await client.data('thread_send', { thread_id, text: 'and more' });
  expect([changes, follower.typesOf('turn_completed').length]).toEqual([before, 1]);
});

it('what can be followed can be read by the same URI, and nothing else can be followed', async () => {
  const { app } = await served(() => answer({ items: [say('ok')] }));
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'one' })) as { thread_id: string };
  const uri = `capstan://threads/${thread_id}`;
  const { cursor } = client.notes.findLast(({ params }) => params['cursor'] !== undefined)!.params;
  await client.data('thread_send', { thread_id, text: 'two' });
  const said = async (query: string): Promise<readonly unknown[]> => {
    expect(await app.resources.canFollow(`${uri}${query}`)).toBe(true);
    const [content] = (await app.resources.read(`${uri}${query}`)) ?? [];
    expect(content).toMatchObject({ uri: `${uri}${query}` });
    const { items } = JSON.parse(content!['text'] as string) as { readonly items: readonly JsonObject[] };
    return items.filter(({ type }) => type === 'user').map(({ text }) => text);
  };
  expect(await said('')).toEqual(['one', 'two']);
  expect(await said('?after=-1')).toEqual(['one', 'two']);
  expect(await said(`?after=${encodeURIComponent(String(cursor))}`)).toEqual(['two']);
  expect(await said('?after=100000')).toEqual([]);
  expect(await app.resources.read(`${uri}/context?after=3`)).toMatchObject([{ uri: `${uri}/context?after=3` }]);
  const unknown = 'capstan://threads/01a1e497-81d9-72c4-b73a-5815034b32a9';
  for (const odd of [
    'file:///x',
    'capstan://threads/zzz',
    unknown,
    `${uri}?after=zzz`,
    `${uri}?foo=1`,
    `${uri}/other`,
  ]) {
    expect([odd, await app.resources.canFollow(odd), await app.resources.read(odd)]).toEqual([odd, false, undefined]);
  }
});

it('a thread that is not loaded yet is followed as soon as a call loads it', async () => {
  const { app, place } = await served(() => answer({ items: [say('ok')] }));
  await place.run('exec', 'hello');
  const client = new TestClient(app);
  const { threads } = await client.data('thread_list', {});
  const thread_id = (threads as readonly JsonObject[])[0]!['id'] as string;
  let changes = 0;
  const stop = app.resources.watch(`capstan://threads/${thread_id}`, () => changes++);
  await client.data('thread_send', { thread_id, text: 'more' });
  expect(changes).toBeGreaterThan(0);
  stop();
});
