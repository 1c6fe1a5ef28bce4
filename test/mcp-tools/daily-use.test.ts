import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
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
