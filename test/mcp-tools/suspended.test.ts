import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp } from '../../src/surfaces/servers/mcp/app.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { engineOf, served, TestClient } from './served.ts';

/** A thread whose turn asks to run two commands, in a server that was started again since. */
async function suspended() {
  const outside = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
  const items = ['one', 'two'].map((name) => callTool('exec_command', { cmd: `touch ${name}`, ...outside }));
  const { app, place, model } = await served([answer({ items }), answer({ items: [say('Done.')] })], {
    config: 'approval_policy = "on-request"\n',
  });
  const first = await new TestClient(app).data('thread_start', { prompt: 'go' });
  const { thread_id } = first as { thread_id: string };
  await app.close();
  const engine = await engineOf(place);
  const later = createMcpApp(engine, liveThreads(engine), { cwd: place.workspace });
  whenTestEnds(() => later.close());
  const ran = (): readonly boolean[] => ['one', 'two'].map((name) => existsSync(join(place.workspace, name)));
  return { app: later, thread_id, model, ran };
}

const calls: readonly (readonly [string, JsonObject])[] = [
  ['thread_send', { text: 'next' }],
  ['thread_turn', { text: 'next' }],
  ['thread_compact', {}],
  ['thread_rollback', { turns: 1 }],
  ['thread_undo_rollback', { force: true }],
  ['codex-reply', {}],
];

it('no call drops what a suspended turn asks: each does nothing and says what waits, to every client', async () => {
  const { app, thread_id, model, ran } = await suspended();
  const clients = [new TestClient(app), new TestClient(app, () => ({ action: 'decline' }))];
  for (const client of clients) {
    for (const [name, args] of calls) {
      const own = name === 'codex-reply' ? { threadId: thread_id, prompt: 'next' } : { thread_id, ...args };
      const { text, data, isError } = await client.call(name, own);
      expect([name, isError, text]).toEqual([name, undefined, expect.stringContaining('touch one') as string]);
      expect(text).toMatch(/^(The message was not sent|The history was not compacted|Nothing was|No rollback was)/);
      expect(text).toContain('Answer with thread_answer, or end the turn with thread_interrupt.');
      const waiting = { thread_id, status: 'waiting', questions: [{}, {}] };
      expect(data).toMatchObject(name === 'codex-reply' ? { threadId: thread_id } : waiting);
    }
    expect(client.asked).toEqual([]);
  }
  expect([model.requests.length, ran()]).toEqual([1, [false, false]]);
  const [client] = clients as [TestClient];
  let result = await client.data('thread_send', { thread_id, text: 'next' });
  for (let left = 2; left > 0; left--) {
    const [{ id }] = result['questions'] as readonly [{ readonly id: string }];
    result = await client.data('thread_answer', { thread_id, question_id: id, decision: 'approved' });
  }
  expect([result['message'], ran()]).toEqual(['Done.', [true, true]]);
});

it('thread_interrupt ends a suspended turn: its questions lapse, no call runs, and the model reads that', async () => {
  const { app, thread_id, model, ran } = await suspended();
  const client = new TestClient(app);
  const [first] = (await client.data('thread_read', { thread_id }))['questions'] as readonly JsonObject[];
  // One that is answered already does not run either.
  const half = { thread_id, question_id: String(first!['id']), decision: 'denied' };
  expect(await client.data('thread_answer', half)).toMatchObject({ status: 'waiting' });
  expect(await client.data('thread_interrupt', { thread_id })).toMatchObject({ interrupted: true });
  expect(await client.data('thread_interrupt', { thread_id })).toMatchObject({ interrupted: false });
  expect((await client.data('thread_read', { thread_id }))['questions'] ?? []).toEqual([]);
  expect(await client.data('thread_send', { thread_id, text: 'next' })).toMatchObject({ status: 'completed' });
  expect(ran()).toEqual([false, false]);
  expect(JSON.stringify(inputOf(model, 1))).toContain('The user stopped the turn on purpose');
});

it('thread_interrupt says how many questions lapsed, also when the permissions have changed since', async () => {
  const { app, thread_id, ran } = await suspended();
  const client = new TestClient(app);
  await client.data('thread_override', { thread_id, sandbox: 'read-only', approval_policy: 'never' });
  const { text, data } = await client.call('thread_interrupt', { thread_id });
  expect(text).toMatch(/^Turn \S+ is interrupted\. Its 2 questions lapsed, and the calls did not run\.$/);
  expect(data).toMatchObject({ interrupted: true, turn_id: expect.any(String) as string });
  expect(ran()).toEqual([false, false]);
});
