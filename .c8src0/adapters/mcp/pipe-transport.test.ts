import { expect, test } from 'vitest';
import type { StartServerProcess } from '../../ports/mcp-servers.ts';
import { PipeTransport } from './pipe-transport.ts';

test('the first line that is no message is reported, and messages after it are read', async () => {
  const startProcess: StartServerProcess = async (_command, { output }) => {
    output(Buffer.from('hello\nhow are you\n{"jsonrpc":"2.0","id":1,"result":{}}\n'));
    return { kind: 'running', write: async () => {}, close: async () => {} };
  };
  const odd: string[] = [];
  const transport = new PipeTransport({ argv: ['x'], cwd: '/', env: {} }, startProcess, (line) => void odd.push(line));
  const messages: unknown[] = [];
  Object.assign(transport, { onmessage: (message: unknown) => void messages.push(message) });
  await transport.start();
  expect([odd, messages]).toEqual([['hello'], [{ jsonrpc: '2.0', id: 1, result: {} }]]);
});

test('notifications that nothing takes up are not passed on', async () => {
  const sent = [
    { method: 'notifications/message', params: { level: 'info', data: 'x' } },
    { method: 'notifications/resources/updated', params: { uri: 'x:' } },
    { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
    { method: 'notifications/tools/list_changed' },
    { id: 2, method: 'ping' },
  ].map((each) => ({ jsonrpc: '2.0', ...each }));
  const startProcess: StartServerProcess = async (_command, { output }) => {
    for (const message of sent) output(Buffer.from(`${JSON.stringify(message)}\n`));
    return { kind: 'running', write: async () => {}, close: async () => {} };
  };
  const transport = new PipeTransport({ argv: ['x'], cwd: '/', env: {} }, startProcess, () => {});
  const messages: unknown[] = [];
  Object.assign(transport, { onmessage: (message: unknown) => void messages.push(message) });
  await transport.start();
  expect(messages).toEqual(sent.slice(2));
});
