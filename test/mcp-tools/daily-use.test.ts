import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp } from '../../src/surfaces/servers/mcp/app.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { engineOf, served, TestClient } from './served.ts';

const says = (text: string) => answer({ items: [say(text)] });

it('a thread without a message is not lost by calls that need its history', async () => {
  const { app, model } = await served(() => says('ok'));
  const client = new TestClient(app);
  const started = (await client.data('thread_start', { developer_instructions: 'Count in cents.' })) as JsonObject;
  const thread_id = started['thread_id']!;
  for (const [tool, more] of [
    ['thread_pin', { add: 'Cents.' }],
    ['thread_pin', { remove: '1' }],
    ['thread_rollback', {}],
    ['thread_undo_rollback', {}],
    ['thread_fork', {}],
  ] as const) {
    expect([tool, await client.error(tool, { thread_id, ...more })]).toMatchObject([
      tool,
      { code: 'thread-empty', next: 'Send it a message first. Nothing was changed.' },
    ]);
  }
  expect(await client.data('thread_send', { thread_id, text: 'hi' })).toMatchObject({ message: 'ok' });
  expect(JSON.stringify(model.requests[0]!.body)).toContain('Count in cents.');
  expect(await client.data('thread_pin', { thread_id, add: 'Cents.' })).toMatchObject({ pins: [{ text: 'Cents.' }] });
});

it('an undo that takes turns away says which', async () => {
  const { app } = await served(() => says('ok'));
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'one' })) as { thread_id: string };
  await client.data('thread_send', { thread_id, text: 'two' });
  const rolled = await client.call('thread_rollback', { thread_id });
  const [turn] = rolled.data['turns'] as readonly string[];
  expect(rolled.text).toBe(`Rolled back 1 turn (${turn}) of thread ${thread_id}. thread_undo_rollback undoes this.`);
  const undone = await client.call('thread_undo_rollback', { thread_id });
  expect(undone.text).toContain(`Restored 1 turn (${turn}).`);
  expect(undone.text).toContain('Calling thread_undo_rollback again takes this undo back.');
  const again = await client.call('thread_undo_rollback', { thread_id });
  expect(again.data).toMatchObject({ turns: [], replaced: [turn] });
  expect(again.text).toContain(`The newest change was an undo, which is taken back. Rolled back 1 turn (${turn}).`);
  expect((await client.data('thread_read', { thread_id }))['turns']).toHaveLength(1);
});

it('the context of a thread counts what its next turn sends', async () => {
  const uncounted = answer({ items: [say('ok')], usage: 'none' });
  const { app, model } = await served(() => uncounted, { config: 'approval_policy = "on-request"\n' });
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { developer_instructions: 'Cents.' })) as JsonObject;
  const tokens = (data: JsonObject, family: string): unknown =>
    (data['families'] as readonly JsonObject[]).find((each) => each['family'] === family)?.['tokens'];
  const before = await client.data('thread_context', { thread_id: thread_id! });
  await client.data('thread_send', { thread_id: thread_id!, text: 'hi' });
  const after = await client.data('thread_context', { thread_id: thread_id! });
  expect(after['next']).toMatchObject({ told: [], tokens: 0 });
  expect(tokens(before, 'instructions')).toBe(tokens(after, 'instructions'));
  expect(JSON.stringify(before['next'])).toContain('permissions');
  const [foreseen, sent] = [before, after].map((data) => Number(tokens(data, 'context')));
  // Messages that are not in history yet have no frame of their own.
  expect(Math.abs(foreseen! - sent!)).toBeLessThan(sent! / 10);
  expect(model.requests).toHaveLength(1);
});

const asks = answer({
  items: [
    callTool('exec_command', {
      cmd: 'touch ../outside/file',
      sandbox_permissions: 'require_escalated',
      justification: 'May I?',
    }),
  ],
});

it('calls that must wait for an open question answer with it', async () => {
  const { app, model, place } = await served(({ index }) => (index === 0 ? asks : says('ok')), {
    config: 'approval_policy = "on-request"\n',
  });
  mkdirSync(join(place.root, 'outside'), { recursive: true });
  const client = new TestClient(app);
  const { thread_id, questions } = (await client.data('thread_start', { prompt: 'go' })) as {
    thread_id: string;
    questions: readonly JsonObject[];
  };
  const question_id = questions[0]!['id'] as string;
  for (const [tool, more, words] of [
    ['thread_turn', { text: 'more' }, 'The message was not sent.'],
    ['thread_compact', {}, 'The history was not compacted.'],
  ] as const) {
    const waiting = await client.call(tool, { thread_id, ...more });
    expect(waiting.data).toMatchObject({ thread_id, status: 'waiting', questions: [{ id: question_id }] });
    expect(waiting.text).toContain(words);
    expect(waiting.text).toContain(question_id);
  }
  expect(await client.data('thread_answer', { thread_id, question_id, decision: 'denied' })).toMatchObject({
    status: 'completed',
  });
  expect(JSON.stringify(inputOf(model, 1))).not.toContain('"more"');
});

it('the model reads who ended a turn and why a call was refused, and not that the user did', async () => {
  const { app, model } = await served(({ index }) => (index === 0 ? asks : says('ok')), {
    config: 'approval_policy = "on-request"\n',
    onQuestion: 'decline',
  });
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'go' })) as { thread_id: string };
  const output = JSON.stringify(inputOf(model, 1));
  expect(output).toContain('Not run: the approval policy is on-request, and the user cannot be asked.');
  expect(output).not.toMatch(/the user declined|The user says/);
  expect(thread_id).toBeTypeOf('string');
});

it('a turn whose client gave up was not stopped by the user', async () => {
  const cancelling = new AbortController();
  const { app, model } = await served(({ index }) => {
    if (index > 0) return says('ok');
    cancelling.abort();
    return hang({ afterBytes: 0, of: says('ok') });
  });
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', {})) as { thread_id: string };
  await client.call('thread_send', { thread_id, text: 'slow' }, cancelling.signal);
  await client.data('thread_send', { thread_id, text: 'again' });
  const texts = textsOf(inputOf(model, 1)).join('\n');
  expect(texts).toContain('The program that asked for the turn cancelled it or disconnected');
  expect(texts).not.toContain('on purpose');
});

it('the text alone is enough to go on', async () => {
  const { app } = await served(
    ({ index }) =>
      index === 0
        ? answer({ items: [callTool('exec_command', { cmd: 'echo \u001b[1mhi' })] })
        : index === 2
          ? asks
          : says('ok'),
    { config: 'approval_policy = "on-request"\n' },
  );
  const client = new TestClient(app);
  const started = await client.call('thread_start', { prompt: 'go', config: { foo: 1 } });
  const thread_id = started.data['thread_id'] as string;
  expect(started.text).toContain(`thread_id: ${thread_id}`);
  expect(started.text).toMatch(/Note: .*foo/);
  const page = await client.call('thread_read', { thread_id, limit: 4 });
  expect(page.text).toMatch(/^\d+ turn 1 user: go$/m);
  expect(page.text).toMatch(/^\d+ turn 1 call: exec_command echo ␛\[1mhi → .*hi/m);
  expect(page.text).toContain(`More: call again with after ${String(page.data['next'])}.`);
  const { thread_id: fork } = await client.data('thread_fork', { thread_id });
  const waiting = await client.call('thread_send', { thread_id: fork!, text: 'write' });
  expect(waiting.text).toMatch(/outside the sandbox.*May I\?.*\$ touch .*in \/.*Scopes: call, session/s);
  expect((await client.call('thread_read', { thread_id: fork! })).text).toContain('Open question ');
  const listed = (await client.call('thread_list', { limit: 1 })).text;
  expect(listed).toMatch(new RegExp(`fork of ${thread_id}`));
  expect(listed).toMatch(/More: call again with cursor "/);
  expect((await client.call('thread_envelope', { thread_id })).text).toMatch(/^policy\.approval: /m);
  const newest = (await client.data('thread_read', { thread_id, last: 1 }))['items'];
  expect(newest).toMatchObject([{ type: 'assistant', text: 'ok' }]);
});

it('what nothing proves is not said to be proven', async () => {
  const { app, place } = await served([]);
  const lines = readFileSync(join(import.meta.dirname, '../fixtures/rollouts/moved-folder.jsonl'), 'utf8');
  const thread_id = /"id":"([0-9a-f-]{36})"/.exec(lines)![1]!;
  const sessions = join(place.home, 'sessions', '2026', '07', '01');
  mkdirSync(sessions, { recursive: true });
  writeFileSync(join(sessions, `rollout-2026-07-01T00-00-00-${thread_id}.jsonl`), lines);
  const client = new TestClient(app);
  expect(await client.data('thread_replay', { thread_id })).toMatchObject({ ok: false, counts: { same: 0 } });
  expect((await client.call('thread_envelope', { thread_id })).text).toMatch(/has no envelope in the file/);
});

it('advice names tools and their arguments', async () => {
  const { app, place } = await served(() => says('ok'));
  const client = new TestClient(app);
  const missing = await client.error('thread_start', { cwd: join(place.root, 'missing') });
  expect(missing['next']).toBe('Create it, or choose another working folder with cwd.');
  expect((await client.error('thread_start', { sandbox: 'open' }))['message']).toMatch(/^sandbox must be/);
  const open = { type: 'workspace-write', network_access: true };
  const start = { prompt: 'one', sandbox: open, approval_policy: 'never' };
  const { thread_id } = (await client.data('thread_start', start)) as { thread_id: string };
  expect((await client.error('thread_pin', { thread_id, remove: '7' }))['next']).toBe('List them with thread_pin.');
  expect((await client.error('thread_fork', { thread_id, through: '9' }))['next']).not.toContain('capstan');
});

it('a thread whose folder is gone continues in another one', async () => {
  const first = await served(() => says('ok'));
  const { place } = first;
  const [gone, cwd] = [join(place.root, 'gone'), join(place.root, 'kept')];
  for (const folder of [gone, cwd]) mkdirSync(folder);
  const { thread_id } = (await new TestClient(first.app).data('thread_start', {
    prompt: 'one',
    cwd: gone,
  })) as JsonObject;
  await first.app.close();
  rmSync(gone, { recursive: true });
  const engine = await engineOf(place);
  const app = createMcpApp(engine, liveThreads(engine), { cwd: place.workspace });
  whenTestEnds(() => app.close());
  const client = new TestClient(app);
  expect((await client.error('thread_send', { thread_id: thread_id!, text: 'two' }))['next']).toBe(
    'Create it, or call thread_override with another cwd.',
  );
  expect(await client.data('thread_override', { thread_id: thread_id!, cwd })).toMatchObject({ settings: { cwd } });
  expect(await client.data('thread_send', { thread_id: thread_id!, text: 'two' })).toMatchObject({ message: 'ok' });
});

it('the context of a thread is what `capstan context` shows, for any client', async () => {
  const usage = { input: 20_000, output: 10, reasoningOutput: 0, total: 20_010 };
  const { app, place } = await served(() => answer({ items: [say('ok')], usage }));
  const client = new TestClient(app);
  const started = (await client.data('thread_start', { prompt: 'hi' })) as { thread_id: string };
  const run = (await place.run('exec', 'hi', '--json')).stdout.split('\n');
  const { thread_id } = JSON.parse(run[0]!) as { thread_id: string };
  const shown = async (id: string): Promise<JsonObject> => {
    const { thread, parts: _parts, ...context } = JSON.parse((await place.run('context', id, '--json')).stdout);
    return { thread_id: thread, ...context } as JsonObject;
  };
  for (const id of [started.thread_id, thread_id]) {
    const context = await client.data('thread_context', { thread_id: id });
    expect(context).toEqual(await shown(id));
    expect(context).toMatchObject({ total: 20_010, measure: 'exact' });
  }
  // A turn of this server would offer tools that can ask: the count stays, and the difference is estimated.
  await client.data('thread_override', { thread_id, effort: 'low' });
  const { total, measure, counted, next } = (await client.data('thread_context', { thread_id })) as JsonObject;
  const { tools } = counted as { tools: number };
  expect([measure, tools > 0 && tools < 10_000]).toEqual(['estimated', true]);
  const { tokens: told } = next as { tokens: number };
  expect(total).toBe(20_010 + tools + told);
});
