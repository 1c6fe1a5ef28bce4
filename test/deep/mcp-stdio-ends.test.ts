import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { greeted, toolCall } from '../mcp-server/raw-client.ts';
import { until } from '../mcp-server/suite.ts';

test('a client that is killed leaves no call behind: it is aborted, the app is closed, the server ends', async () => {
  const client = await greeted();
  client.send(toolCall(1, 'wait', {}));
  client.send(toolCall(2, 'listen', {}));
  await client.answerTo(2);
  await until(() => client.notes.includes('waiting'));
  client.child.stdin.destroy();
  client.child.stdout.destroy();
  expect(await client.ended).toBe(0);
  expect(client.notes.toSorted()).toEqual(['aborted', 'closed', 'listener gone', 'waiting']);
});

test('a client that closes only its reading end is gone at the next message', async () => {
  const client = await greeted();
  client.send(toolCall(1, 'wait', {}));
  await until(() => client.notes.includes('waiting'));
  client.child.stdout.destroy();
  client.send(toolCall(2, 'events', { count: 100 }));
  expect(await client.ended).toBe(0);
  expect(client.notes).toContain('aborted');
  expect(client.notes.at(-1)).toBe('closed');
});

test('a listener hears what comes after its call', async () => {
  const client = await greeted();
  client.send(toolCall(1, 'listen', {}));
  await client.answerTo(1);
  const event = await client.receive(({ method }) => method === 'notifications/capstan/event');
  expect(event.params).toEqual({ after: 'the call' });
  client.child.stdin.end();
  expect(await client.ended).toBe(0);
});

const isEvent = ({ method }: { readonly method?: unknown }): boolean => method === 'notifications/capstan/event';

test('events for a client that does not read are dropped and counted; the call never waits', async () => {
  const client = await greeted();
  client.child.stdout.pause();
  client.send(toolCall(1, 'events', { count: 50_000, bytes_: 2000 }));
  await until(() => client.notes.includes('posted'));
  await wait(200);
  // A hundred million bytes of events: what is kept of them is a few.
  expect(residentBytes(client.child.pid)).toBeLessThan(250_000_000);
  client.child.stdout.resume();
  await client.answerTo(1);
  const events = client.messages.filter(isEvent);
  const missed = client.messages.filter(({ method }) => method === 'notifications/capstan/missed');
  expect(events.map(({ params }) => (params as { index: number }).index)).toEqual(events.map((_, index) => index));
  expect(events.length).toBeGreaterThan(30);
  expect(missed).toEqual([
    { jsonrpc: '2.0', method: 'notifications/capstan/missed', params: { count: 50_000 - events.length } },
  ]);
  client.child.stdin.end();
  expect(await client.ended).toBe(0);
});

test('a tool that waits for its client sends everything, at the pace of the client', async () => {
  const client = await greeted();
  client.child.stdout.pause();
  client.send(toolCall(1, 'follow', { count: 5000, bytes_: 2000 }));
  await wait(300);
  client.child.stdout.resume();
  await client.answerTo(1);
  const indexes = client.messages.filter(isEvent).map(({ params }) => (params as { index: number }).index);
  expect(indexes).toEqual(Array.from({ length: 5000 }, (_, index) => index));
  client.child.stdin.end();
  expect(await client.ended).toBe(0);
});

function residentBytes(pid: number | undefined): number {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

const nested = `${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}`;

test.each([
  ['8 MB of lists in lists', nested, 'more than 100 levels of lists and objects'],
  ['50 MB of text', JSON.stringify('x'.repeat(50_000_000)), 'longer than 16 MiB'],
])('a message with %s is refused by its id without being parsed; the server lives', async (_name, value, words) => {
  const client = await greeted();
  const before = cpuMs(client.child.pid);
  client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":${value}}}}`);
  client.send(toolCall(2, 'echo', { text: 'still here' }));
  const answered = client.answerTo(2);
  expect(await client.answerTo(1)).toMatchObject({ error: { code: -32_600, message: expect.stringContaining(words) } });
  expect(await answered).toMatchObject({ result: { structuredContent: { said: 'still here' } } });
  expect(cpuMs(client.child.pid) - before).toBeLessThan(2000);
  client.child.stdin.end();
  expect(await client.ended).toBe(0);
});

/** Processor time of a process, in all its threads: clock ticks have 10 ms here. */
function cpuMs(pid: number | undefined): number {
  const [, , , , , , , , , , , user = '0', system = '0'] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(user) + Number(system)) * 10;
}
