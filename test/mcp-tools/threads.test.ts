import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { engineOf, served, TestClient } from './served.ts';

const says = (text: string) => answer({ items: [say(text)] });

it('a thread is read in pages, each item with its place and its message kind', async () => {
  const { app, place } = await served([
    answer({ items: [callTool('exec_command', { cmd: 'echo hi' })] }),
    says('First.'),
    says('x'.repeat(100)),
  ]);
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'one' })) as { thread_id: string };
  await client.data('thread_send', { thread_id, text: 'two' });
  const whole = await client.data('thread_read', { thread_id });
  const items = whole['items'] as readonly JsonObject[];
  expect(items.map(({ type, message_kind, turn }) => [type, message_kind, turn])).toEqual([
    ['context', 'permissions', 1],
    ['context', 'environment_context', 1],
    ['user', 'plain', 1],
    ['call', 'call', 1],
    ['assistant', 'plain', 1],
    ['user', 'plain', 2],
    ['assistant', 'plain', 2],
  ]);
  // The values equal those in the events of the turn.
  const told = client.events.filter(({ type, cause }) => type === 'context' && cause !== 'user');
  const values = items.flatMap(({ values = [] }) => values as unknown as readonly JsonObject[]);
  expect(values.length).toBeGreaterThan(0);
  expect(told).toEqual(expect.arrayContaining(values.map((value) => expect.objectContaining(value) as JsonObject)));
  expect(values.find(({ kind }) => kind === 'environment_context')).toMatchObject({ value: { cwd: place.workspace } });
  const without = (await client.data('thread_read', { thread_id, max_text: 10 }))['items'] as readonly JsonObject[];
  expect(without.every((item) => item['values'] === undefined)).toBe(true);
  expect(items[3]).toMatchObject({
    name: 'exec_command',
    input: { text: 'echo hi' },
    output: { text: expect.stringContaining('hi') as string },
  });
  expect(whole['turns']).toMatchObject([
    { number: 1, status: 'completed' },
    { number: 2, status: 'completed' },
  ]);
  const pages: JsonObject[] = [];
  for (let after: number | undefined = undefined, more = true; more;) {
    const page: JsonObject = await client.data('thread_read', {
      thread_id,
      limit: 3,
      ...(after === undefined ? {} : { after }),
    });
    pages.push(...(page['items'] as readonly JsonObject[]));
    after = page['next'] as number | undefined;
    more = after !== undefined;
  }
  expect(pages).toEqual(items);
  const [short] = (
    (await client.data('thread_read', { thread_id, max_text: 10 }))['items'] as readonly JsonObject[]
  ).slice(-1);
  expect(short).toMatchObject({ text: 'x'.repeat(10), cut_at: 10, characters: 100 });
});

it('threads are listed and searched, in pages', async () => {
  const { app } = await served(() => says('The walrus sings.'));
  const client = new TestClient(app);
  for (const prompt of ['alpha', 'beta', 'gamma']) await client.data('thread_start', { prompt });
  const first = await client.data('thread_list', { limit: 2 });
  const second = await client.data('thread_list', { limit: 2, cursor: first['next']! });
  const previews = [first, second].flatMap(({ threads }) =>
    (threads as readonly JsonObject[]).map(({ preview }) => preview),
  );
  expect(previews).toEqual(['gamma', 'beta', 'alpha']);
  expect(await client.data('thread_list', { text: 'bet' })).toMatchObject({ threads: [{ preview: 'beta', turns: 1 }] });
  const { hits } = await client.data('thread_search', { query: 'walrus' });
  expect(hits).toHaveLength(3);
  expect((await client.call('thread_search', { query: 'giraffe' })).text).toBe('No matches.');
  expect(await client.error('thread_list', { cursor: '-1' })).toMatchObject({
    code: 'cursor-unknown',
    next: 'Use next of the page before as cursor, or leave cursor out.',
  });
  expect(await client.error('thread_search', { query: ' ' })).toMatchObject({ code: 'search-empty' });
});

it('a thread is forked, rolled back and brought back, and its model sees only what stands', async () => {
  const { app, model } = await served(({ index }) => says(`answer ${index}`));
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'first' })) as { thread_id: string };
  await client.data('thread_send', { thread_id, text: 'second' });
  const { thread_id: fork, from } = await client.data('thread_fork', { thread_id, through: '1' });
  expect(from).toBe(thread_id);
  await client.data('thread_send', { thread_id: fork!, text: 'elsewhere' });
  expect(JSON.stringify(model.requests.at(-1)!.body['input'])).not.toContain('second');

  expect((await client.data('thread_rollback', { thread_id }))['turns']).toHaveLength(1);
  await client.data('thread_send', { thread_id, text: 'third' });
  const sent = JSON.stringify(model.requests.at(-1)!.body['input']);
  expect([sent.includes('first'), sent.includes('second')]).toEqual([true, false]);
  expect(await client.error('thread_undo_rollback', { thread_id })).toMatchObject({
    code: 'turns-since-rollback',
    next: expect.stringContaining('Set force') as string,
  });
  expect(await client.data('thread_undo_rollback', { thread_id, force: true })).toMatchObject({
    turns: [expect.any(String)],
    replaced: [expect.any(String)],
  });
  expect(await client.error('thread_rollback', { thread_id, turns: 9 })).toMatchObject({
    code: 'nothing-to-roll-back',
  });
  expect(await client.error('thread_rollback', { thread_id, turns: 1, to_turn: '1' })).toMatchObject({ code: 'usage' });
  expect(await client.error('thread_fork', { thread_id, through: '1', before: '2' })).toMatchObject({ code: 'usage' });
});

it('notes are pinned, listed and removed, and the model reads them', async () => {
  const { app, model } = await served(() => says('ok'));
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'hi' })) as { thread_id: string };
  expect(await client.data('thread_pin', { thread_id })).toMatchObject({ pins: [] });
  expect(await client.data('thread_pin', { thread_id, add: 'Never touch main.' })).toMatchObject({
    pins: [{ text: 'Never touch main.' }],
  });
  await client.data('thread_send', { thread_id, text: 'go' });
  expect(JSON.stringify(model.requests.at(-1)!.body['input'])).toContain('Never touch main.');
  expect(await client.data('thread_pin', { thread_id, remove: '1' })).toMatchObject({ pins: [] });
  expect(await client.error('thread_pin', { thread_id, add: 'a', remove: '1' })).toMatchObject({ code: 'usage' });
});

it('context, envelope and replay say what the commands say', async () => {
  const { app, place } = await served(() => says('ok'));
  const client = new TestClient(app);
  // A command cannot ask, which matters only under a policy that asks.
  const start = { prompt: 'hi', approval_policy: 'never' };
  const { thread_id } = (await client.data('thread_start', start)) as { thread_id: string };
  await client.data('thread_turn', { thread_id, text: 'again', effort: 'high' });
  const command = async (...words: string[]): Promise<JsonObject> =>
    JSON.parse((await place.run(words[0]!, thread_id, ...words.slice(1), '--json')).stdout) as JsonObject;
  const { parts: _parts, thread: _thread, ...window } = await command('context');
  expect(await client.data('thread_context', { thread_id })).toEqual({ thread_id, ...window });
  const { thread: _id, ...envelope } = await command('envelope');
  expect(await client.data('thread_envelope', { thread_id })).toEqual({ thread_id, ...envelope });
  const { changes } = await client.data('thread_envelope', { thread_id, diff: 1 });
  expect((changes as readonly JsonObject[]).map(({ field }) => field)).toContain('identity.effort');
  expect(await client.data('thread_replay', { thread_id, all: true })).toEqual({
    ...(await command('replay')),
    ok: true,
  });
  expect(await client.data('thread_replay', { thread_id })).toMatchObject({
    ok: true,
    counts: { same: 2 },
    requests: [],
  });
  expect(await client.error('thread_envelope', { thread_id, turn: 9 })).toMatchObject({ code: 'no-turn' });
});

it('what is wrong is said with the next step, and nothing happens', async () => {
  const { app, model, place } = await served([]);
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', {})) as { thread_id: string };
  const nowhere = '01a1e497-81d9-72c4-b73a-5815034b32a9';
  for (const tool of [
    'thread_send',
    'thread_turn',
    'thread_compact',
    'thread_interrupt',
    'thread_read',
    'thread_fork',
    'thread_rollback',
    'thread_pin',
    'thread_context',
    'thread_envelope',
    'thread_replay',
  ]) {
    const error = await client.error(tool, { thread_id: nowhere });
    expect([tool, error['code'], error['next']]).toEqual([
      tool,
      'thread-unknown',
      'Call thread_list to see the threads, and use an id from it.',
    ]);
  }
  for (const text of ['  ', '\u200B\n', '\u3164'])
    expect(await client.error('thread_send', { thread_id, text })).toMatchObject({ code: 'empty-input' });
  expect(await client.error('thread_start', { prompt: '' })).toMatchObject({ code: 'empty-input' });
  expect(await client.error('thread_override', { thread_id })).toMatchObject({ code: 'nothing-to-change' });
  expect(await client.error('thread_override', { thread_id, sandbox: 'open' })).toMatchObject({
    message: expect.stringMatching(/^sandbox of a change of settings must be/) as string,
  });
  expect(await client.error('thread_turn', { thread_id, text: 'x', approval_policy: 'sometimes' })).toMatchObject({
    message: expect.stringMatching(/^approval_policy of a change of settings must be/) as string,
  });
  expect(await client.error('thread_override', { thread_id, cwd: 'missing' })).toMatchObject({
    code: 'folder-missing',
    message: expect.stringContaining(join(place.workspace, 'missing')) as string,
  });
  expect(await client.error('thread_start', { profile: 'none' })).toMatchObject({ code: 'config-profile' });
  expect(await client.error('thread_start', { cwd: join(place.root, 'missing') })).toMatchObject({
    code: 'folder-missing',
  });
  const large = join(place.root, 'large.png');
  writeFileSync(large, Buffer.alloc(11 * 1024 * 1024));
  const text = 'look';
  expect(await client.error('thread_send', { thread_id, text, images: [large] })).toMatchObject({
    code: 'image-too-large',
  });
  const data = `data:image/png;base64,${'A'.repeat(15 * 1024 * 1024)}`;
  expect(await client.error('thread_send', { thread_id, text, images: [data] })).toMatchObject({
    code: 'image-too-large',
  });
  expect(await client.error('thread_send', { thread_id, text, images: ['https://example.org/a.png'] })).toMatchObject({
    code: 'image-unreadable',
  });
  expect(model.requests).toHaveLength(0);
});

it('a thread that another program writes is refused with who holds it, and can be read all the same', async () => {
  const { app, place } = await served(() => says('ok'));
  const engine = await engineOf(place);
  whenTestEnds(() => engine.close());
  const opened = await engine.start({ cwd: place.workspace });
  if (opened.kind === 'refused') throw new Error(opened.outcome.message);
  await opened.thread.run({
    input: { author: 'user', text: 'mine', images: [] },
    signal: new AbortController().signal,
  });
  const client = new TestClient(app);
  const thread_id = opened.thread.id;
  for (const tool of ['thread_send', 'thread_compact']) {
    expect(await client.error(tool, { thread_id, ...(tool === 'thread_send' ? { text: 'hi' } : {}) })).toMatchObject({
      code: 'thread-locked',
    });
  }
  expect(await client.error('thread_rollback', { thread_id })).toMatchObject({ code: 'thread-locked' });
  expect((await client.data('thread_read', { thread_id }))['turns']).toHaveLength(1);
  await opened.thread.close();
  expect(await client.data('thread_send', { thread_id, text: 'hi' })).toMatchObject({ message: 'ok' });
});

it('a picture in the message reaches the model', async () => {
  const { app, model } = await served(() => says('seen'));
  const client = new TestClient(app);
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  await client.data('thread_start', { prompt: 'look', images: [`data:image/png;base64,${pixel}`] });
  expect(JSON.stringify(model.requests[0]!.body['input'])).toContain(pixel);
});

it('what a fork took over is in its answer, so that threads add up', async () => {
  const usage = (total: number) => ({ input: total, cachedInput: 0, output: 0, reasoningOutput: 0, total });
  const { app } = await served(({ index }) => answer({ items: [say('ok')], usage: usage([1000, 1200, 1100][index]!) }));
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'one' })) as { thread_id: string };
  await client.data('thread_send', { thread_id, text: 'two' });
  const forked = await client.data('thread_fork', { thread_id, through: '1' });
  expect(forked['usage']).toMatchObject({ total_tokens: 1000 });
  await client.data('thread_send', { thread_id: forked['thread_id'] as string, text: 'other' });
  const threads = (await client.data('thread_list', {}))['threads'] as readonly JsonObject[];
  const totals = Object.fromEntries(threads.map(({ id, total_tokens }) => [String(id), total_tokens]));
  expect(totals).toEqual({ [thread_id]: 2200, [String(forked['thread_id'])]: 1000 + 1100 });
});
