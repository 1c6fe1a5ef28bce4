import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say, type RecordedRequest } from '../../src/testing/index.ts';
import { until } from '../mcp-server/suite.ts';
import { served, TestClient } from './served.ts';
import { withoutSandbox } from '../harness/scene.ts';

const sleeps = answer({ items: [callTool('exec_command', { cmd: 'sleep 30' })] });
const done = answer({ items: [say('done')] });
const isSlow = (request: RecordedRequest): boolean => !JSON.stringify(request.body).includes('"instead"');

/** A thread whose turn runs a command. */
async function running() {
  const { app, model } = await served((request) => (isSlow(request) ? sleeps : done), { config: withoutSandbox });
  const [client, other] = [new TestClient(app), new TestClient(app)];
  const { thread_id } = await client.data('thread_start', {});
  const call = new AbortController();
  const turn = client.call('thread_send', { thread_id: thread_id!, text: 'go' }, call.signal);
  await until(() => client.events.some(({ type }) => type === 'item_started'), 20_000);
  return { client, other, model, turn, call, thread_id: String(thread_id) };
}

function textsOf(request: RecordedRequest | undefined): string {
  return JSON.stringify((request!.body as JsonObject)['input']);
}

it.each(['cancel', 'interrupt'])('a message after a stop begins the next turn: %s', async (how) => {
  const { client, other, model, turn, call, thread_id } = await running();
  if (how === 'cancel') call.abort();
  else void client.call('thread_interrupt', { thread_id });
  const sent = await other.data('thread_send', { thread_id, text: 'instead' });
  expect(sent).toMatchObject({ status: 'completed', message: 'done' });
  expect(sent).not.toHaveProperty('steered');
  expect((await turn).data).toMatchObject({ status: 'interrupted' });
  const said = textsOf(model.requests.at(-1));
  expect(said.indexOf('<turn_aborted>')).toBeGreaterThan(0);
  // The answer of the command and the end of the turn agree about who stopped it.
  const isUser = how === 'interrupt';
  expect([/aborted by user/.test(said), /The user stopped the turn/.test(said)]).toEqual([isUser, isUser]);
  expect(said.indexOf('"instead"')).toBeGreaterThan(said.indexOf('<turn_aborted>'));
});
