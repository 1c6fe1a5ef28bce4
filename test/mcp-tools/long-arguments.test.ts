import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { served, TestClient } from './served.ts';

const long = 'x'.repeat(200_000);

const calls: readonly (readonly [string, JsonObject])[] = [
  ['thread_send', { thread_id: long, text: 'a' }],
  ['thread_send', { text: 'a', images: [`/${long}`] }],
  ['thread_override', { cwd: `/${long}` }],
  ['thread_override', { cwd: `/${'y/'.repeat(2000)}` }],
  ['thread_override', { model: long }],
  ['thread_override', { effort: long }],
  ['thread_override', { sandbox: { type: long } }],
  ['thread_override', { sandbox: { [long]: true } }],
  ['thread_start', { cwd: `/${long}` }],
  ['thread_start', { config: { [long]: 1 } }],
  ['thread_start', { config: { model: long } }],
  ['thread_start', { config: { 'tui.theme': long } }],
  ['thread_list', { cursor: long }],
  ['thread_pin', { remove: long }],
  ['thread_fork', { through: long }],
  ['thread_answer', { question_id: long, decision: 'approved' }],
  ['newConversation', { approvalPolicy: long }],
  ['overrideTurnContext', { conversationId: long, model: 'gpt-5.5' }],
];

it('errors repeat little of a long argument, and nothing keeps it', async () => {
  const { app } = await served(() => answer({ items: [say('Yes.')] }));
  const client = new TestClient(app);
  const { thread_id } = await client.data('thread_start', { prompt: 'hello' });
  for (const [tool, args] of calls) {
    const needsThread = /^thread_(?!start|list)/.test(tool);
    const given = { ...(needsThread ? { thread_id: thread_id! } : {}), ...args };
    const refused = await client.call(tool, given);
    expect([tool, refused.isError, JSON.stringify(refused).length < 4000]).toEqual([tool, true, true]);
  }
  const name = await client.call('thread_override', { thread_id: thread_id!, model: 'm'.repeat(257) });
  expect(name.text).toBe(
    '"model" has 257 characters, and the limit is 256. Nothing was changed. Call again with a shorter value.',
  );
  const kept = await client.data('thread_override', { thread_id: thread_id!, summary: 'none' });
  expect(JSON.stringify(kept).length).toBeLessThan(1000);
  // Messages and instructions are as long as they are.
  const started = await client.data('thread_start', { developer_instructions: 'Be brief. '.repeat(1000) });
  expect(started).toMatchObject({ status: 'idle' });
});
