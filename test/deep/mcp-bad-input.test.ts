import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { type RawClient, envelope, greeted, rawClient, toolCall } from '../mcp-server/raw-client.ts';
import { until } from '../mcp-server/suite.ts';

async function lives(client: RawClient): Promise<void> {
  client.send(toolCall('alive', 'echo', { text: 'alive' }));
  expect(await client.answerTo('alive')).toMatchObject({ result: { structuredContent: { said: 'alive' } } });
  client.child.stdin.end();
  expect(await client.ended).toBe(0);
  expect(client.notes.at(-1)).toBe('closed');
}

const nameless = (message: JsonObject): boolean => message.id === undefined && message.error !== undefined;

test.each([
  ['{"jsonrpc": "2.0", "id": 1,', -32_700, 'The line is not JSON.'],
  ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600, 'Batches of messages are not supported.'],
  ['"hello"', -32_600, 'This is no JSON-RPC 2.0 message.'],
  ['{"method":"ping","params":{}}', -32_600, 'This is no JSON-RPC 2.0 message.'],
  [Buffer.from([0xff, 0xfe, 0x00]).toString('latin1'), -32_700, 'The line is not JSON.'],
])('a line that is no message is answered, and the server lives: %s', async (line, code, message) => {
  const client = await greeted();
  client.send('');
  client.send(line);
  expect(await client.receive(nameless)).toEqual({ jsonrpc: '2.0', error: { code, message } });
  await lives(client);
  expect(client.notes.filter((note) => note.includes(message))).toHaveLength(1);
});

test.each([
  [{ jsonrpc: '2.0', id: 1, method: 5 }, -32_600],
  [{ jsonrpc: '2.0', id: 1, method: 'no/such/method' }, -32_601],
  [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 7 } }, -32_602],
  [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: ['text'] } }, -32_602],
  [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'constructor' } }, -32_602],
  [{ jsonrpc: '2.0', id: 1, method: 'resources/read', params: {} }, -32_603],
])('a request of the wrong shape is answered with an error: %j', async (request, code) => {
  const client = await greeted();
  client.send(request as JsonObject);
  expect(await client.answerTo(1)).toMatchObject({ error: { code } });
  await lives(client);
});

test('an argument of 50 MB is refused, whichever side of it the id is on, and nothing of it is kept', async () => {
  const client = await greeted();
  const text = 'x'.repeat(50_000_000);
  for (const message of [
    { jsonrpc: '2.0', id: 'before', method: 'tools/call', params: { name: 'echo', arguments: { text } } },
    { jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo', arguments: { text, id: 5 } }, id: 'behind' },
  ]) {
    client.send(message);
    expect(await client.answerTo(message.id)).toMatchObject({
      error: { message: 'The message is longer than 16 MiB.' },
    });
  }
  await lives(client);
});

test('arguments that nest without end are refused', async () => {
  const client = await greeted();
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":${deep}}}}`);
  expect(await client.answerTo(1)).toMatchObject({
    error: { message: 'The message has more than 100 levels of lists and objects.' },
  });
  await lives(client);
});

test('a second request with an id that waits for its answer is refused, and the first is answered', async () => {
  const client = await greeted();
  client.send(toolCall(1, 'wait', {}));
  await until(() => client.notes.includes('waiting'));
  client.send(toolCall(1, 'echo', { text: 'again' }));
  expect(await client.receive(nameless)).toMatchObject({
    error: { message: 'A request with the id 1 is not answered yet.' },
  });
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await until(() => client.notes.includes('aborted'));
  client.send(toolCall(1, 'echo', { text: 'free again' }));
  expect(await client.answerTo(1)).toMatchObject({ result: { structuredContent: { said: 'free again' } } });
  await lives(client);
});

test.each([
  [{ error: { code: -32_000, message: 'no screen' } }, { action: 'unanswered', because: 'failed' }],
  [{ result: { action: 'maybe' } }, { action: 'unanswered', because: 'unreadable' }],
  [{ result: { action: 'accept', content: 'yes' } }, { action: 'unanswered', because: 'unreadable' }],
  [{ result: {} }, { action: 'unanswered', because: 'unreadable' }],
  [{ result: { decision: 'timed_out' } }, { action: 'unanswered', because: 'timed-out' }],
  [{ result: { action: 'accept' } }, { action: 'accept', content: {} }],
  [{ result: { decision: 'approved' } }, { action: 'accept', content: { decision: 'approved' } }],
  [{ result: { decision: 'denied' } }, { action: 'decline' }],
  [{ result: { decision: { denied: { rejection: 'no' } } } }, { action: 'decline' }],
  [{ result: { decision: 'abort' } }, { action: 'cancel' }],
])('whatever a client answers to a question, the call goes on: %j', async (answer, response) => {
  const client = await greeted();
  client.send(toolCall(1, 'ask', { command: 'make' }));
  const asked = await client.receive(({ method }) => method === 'elicitation/create');
  expect(asked.params).toMatchObject({ message: 'May the command run?', threadId: 't1' });
  client.send({ jsonrpc: '2.0', id: asked.id ?? 0, ...answer } as JsonObject);
  expect(await client.answerTo(1)).toMatchObject({
    result: { structuredContent: { said: `{"asked":"make"} ${JSON.stringify(response)}` } },
  });
  await lives(client);
});

test('a question that needs no answer any more is taken back, and the call goes on', async () => {
  const client = await greeted();
  client.send(toolCall(1, 'ask_briefly', {}));
  const asked = await client.receive(({ method }) => method === 'elicitation/create');
  const cancelled = await client.receive(({ method }) => method === 'notifications/cancelled');
  expect(cancelled.params).toMatchObject({ requestId: asked.id });
  expect(await client.answerTo(1)).toMatchObject({
    result: { structuredContent: { said: '{"action":"unanswered","because":"failed"}' } },
  });
  await lives(client);
});

test('the state that a client of the new revision keeps fits its call and no other, unchanged', async () => {
  const client = rawClient();
  const ask = async (id: number, command: string, more: JsonObject): Promise<JsonObject> => {
    client.send(toolCall(id, 'ask', { command }, { ...more, _meta: envelope }));
    return client.answerTo(id);
  };
  const { result } = await ask(1, 'make', {});
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { run: { method: 'elicitation/create' } },
  });
  const { requestState } = result as { requestState: string };
  const inputResponses = { run: { action: 'accept', content: { decision: 'once' } }, other: { action: 'accept' } };
  expect(await ask(2, 'make', { requestState, inputResponses })).toMatchObject({
    result: { structuredContent: { said: '{"asked":"make"} {"action":"accept","content":{"decision":"once"}}' } },
  });
  expect(await ask(3, 'rm -rf /', { requestState, inputResponses })).toMatchObject({
    error: { code: -32_602, message: 'This requestState belongs to another call.' },
  });
  const other = `${requestState.slice(0, -4)}AAAA`;
  expect(await ask(4, 'make', { requestState: other, inputResponses })).toMatchObject({ error: { code: -32_602 } });
  // Without the state they answer nothing that was asked.
  expect(await ask(5, 'make', { inputResponses })).toMatchObject({ result: { resultType: 'input_required' } });
  client.child.stdin.end();
  expect(await client.ended).toBe(0);
});
