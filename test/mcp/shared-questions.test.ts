import { expect, test } from 'vitest';
import { readMcpServers } from '../../src/core/config/servers/mcp-servers.ts';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import { ServerPool } from '../../src/adapters/mcp/connection.ts';
import { ThreadServers } from '../../src/adapters/mcp/thread-servers.ts';
import type { McpElicitation } from '../../src/ports/mcp-servers.ts';
import { askingServer } from './asking-server.ts';

test('a question of a server that threads share goes to the call that it comes with', async () => {
  const url = await askingServer({ together: 2 });
  const { servers } = readMcpServers({ s: { url } });
  const no = () => {
    throw new Error('A server at an address starts nothing.');
  };
  const pool = new ServerPool({
    clock: systemClock,
    env: {},
    client: { name: 'test', version: '1' },
    startProcess: no,
    confine: no,
    findProgram: no,
    searchPath: () => '',
    programFolder: () => '/',
    listings: {
      read: () => undefined,
      write: () => {},
      failure: () => undefined,
      writeFailure: () => {},
      forgetFailure: () => {},
    },
    credentials: { read: () => ({}), change: no, remove: no, alone: no },
    random: () => 'x',
  });
  const asked: [string, string][] = [];
  const call = (name: string) => {
    const connections = servers.map((config) => pool.take({ config, cwd: '/' }));
    const thread = new ThreadServers(connections, {}, () => ({ tools: 1000, texts: 1000 }));
    const elicit = async ({ message }: McpElicitation) => {
      asked.push([name, message]);
      return { action: 'accept' as const, content: { who: name } };
    };
    const wanted = { server: 's', tool: 'ask', arguments: { name }, isRepeatable: false, metadata: {} };
    const ways = { signal: new AbortController().signal, warn: () => {}, elicit };
    return { connections, answer: thread.call(wanted, ways) };
  };
  const [first, second] = [call('first'), call('second')];
  expect(first.connections).toEqual(second.connections);
  const answers = await Promise.all([first.answer, second.answer]);
  expect(asked.toSorted()).toEqual([
    ['first', 'Who is first?'],
    ['second', 'Who is second?'],
  ]);
  expect(answers.map((answer) => JSON.stringify(answer))).toEqual([
    expect.stringContaining('first: {\\"who\\":\\"first\\"}'),
    expect.stringContaining('second: {\\"who\\":\\"second\\"}'),
  ]);
  await Promise.all([first, second].flatMap(({ connections }) => connections.map((each) => pool.release(each))));
});
