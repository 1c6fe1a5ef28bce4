import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { endOnFlood } from './open-transport.ts';

function stage({ send = async () => {} }: Partial<Transport> = {}) {
  const ends: string[] = [];
  const transport: Transport = { start: async () => {}, close: async () => {}, send };
  endOnFlood(transport, (why) => ends.push(why));
  return {
    ends,
    receive: (message: object) => transport.onmessage?.({ jsonrpc: '2.0', ...message } as JSONRPCMessage),
    reply: (id: number) => transport.send({ jsonrpc: '2.0', id, result: {} }),
  };
}

test('a server that sends requests and waits for no answer is ended, once', () => {
  const { ends, receive } = stage();
  for (let id = 0; id < 1000; id += 1) receive({ id, method: 'ping' });
  expect(ends).toEqual([]);
  for (let id = 1000; id < 3000; id += 1) receive({ id, method: 'ping' });
  expect(ends).toEqual(['it sent more than 1000 requests that have no answer yet']);
});

test('so is one whose requests have all the same id', () => {
  const { ends, receive } = stage();
  for (let count = 0; count < 1001; count += 1) receive({ id: 1, method: 'ping' });
  expect(ends).toHaveLength(1);
});

test('so is one that takes back what is being answered, and one with long ids', () => {
  const { ends, receive, reply } = stage({ send: () => new Promise(() => {}) });
  for (let id = 0; id < 1001; id += 1) {
    receive({ id, method: 'ping' });
    void reply(id);
    receive({ method: 'notifications/cancelled', params: { requestId: id } });
  }
  expect(ends).toHaveLength(1);
  const other = stage();
  for (let id = 0; id < 11; id += 1) other.receive({ id: `${id}`.repeat(100_000), method: 'ping' });
  expect(other.ends).toHaveLength(1);
});

test('requests that were answered or taken back, answers and other messages do not count', async () => {
  const { ends, receive, reply } = stage();
  for (let id = 0; id < 5000; id += 1) {
    receive({ id, method: 'ping' });
    if (id % 2 === 0) await reply(id);
    else receive({ method: 'notifications/cancelled', params: { requestId: id } });
    receive({ id, result: {} });
    receive({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
  }
  expect(ends).toEqual([]);
});
