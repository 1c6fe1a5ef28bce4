import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { textsOf, inputOf } from '../harness/scene.ts';
import { served, TestClient } from './served.ts';

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

it('the model is told who ended a turn and why a call was refused, and not that the user did', async () => {
  const { app, model } = await served(({ index }) => (index === 0 ? asks : says('ok')), {
    config: 'approval_policy = "on-request"\n',
    onQuestion: 'decline',
  });
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'go' })) as { thread_id: string };
  const output = JSON.stringify(inputOf(model, 1));
  expect(output).toContain('Not run: it needs an approval, and no answer to that was prepared');
  expect(output).not.toMatch(/the user declined|The user says/);
  expect(thread_id).toBeTypeOf('string');
});

it('a turn whose client gave up was not stopped by the user', async () => {
  const cancelling = new AbortController();
  const { app, model } = await served(async ({ index }) => {
    if (index === 0) {
      cancelling.abort();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return says('ok');
  });
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', {})) as { thread_id: string };
  await client.call('thread_send', { thread_id, text: 'slow' }, cancelling.signal);
  await client.data('thread_send', { thread_id, text: 'again' });
  const texts = textsOf(inputOf(model, 1)).join('\n');
  expect(texts).toContain('The program that asked for the turn cancelled it or disconnected');
  expect(texts).not.toContain('on purpose');
});
