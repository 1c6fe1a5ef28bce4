import { expect, test } from 'vitest';
import type { StartServerProcess } from '../ports/server-process.ts';
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
