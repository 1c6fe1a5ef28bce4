import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test } from 'vitest';
import { capstanScript } from '../harness/run-capstan.ts';
import { connected, revisions } from './clients.ts';
import { greeted, toolCall } from './raw-client.ts';
import { call, text, until } from './suite.ts';

const home = mkdtempSync(join(tmpdir(), 'capstan-mcp-server-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const env = { PATH: process.env['PATH'] ?? '', HOME: home, CODEX_HOME: home };
const words = [capstanScript, 'mcp-server'];

test.each(revisions)('a host of revision %s starts it, and it lists threads', async (revision) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: words,
    env,
    cwd: home,
    stderr: 'pipe',
  });
  const client = await connected({ revision }, transport);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('thread_start');
  expect(tools.map(({ name }) => name)).not.toContain('codex');
  expect(text(await call(client, 'thread_list', {}))).toBe('No threads.');
  await client.close();
});

test('it ends with the host, and prints nothing but the protocol', async () => {
  const client = await greeted([...words, '--compat', '-C', home]);
  client.send(toolCall(1, 'thread_list', { limt: 3 }));
  expect(await client.answerTo(1)).toMatchObject({ result: { isError: true } });
  client.child.stdin.end();
  expect(await client.ended).toBe(0);
  // A line that is no JSON would have ended the reader of the lines.
  expect(client.messages).toHaveLength(2);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it', async (signal) => {
  const client = await greeted(words);
  const ended = new Promise((resolve) => client.child.on('exit', (_code, name) => resolve(name)));
  client.child.kill(signal);
  expect(await ended).toBe(signal);
});

test('over HTTP it prints the address and the token that hosts need', async () => {
  const server = spawn(process.execPath, [...words, '--http', '0'], { env, cwd: home });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  await until(() => said.includes('Bearer'), 30_000);
  const url = /http:\S+/.exec(said)?.[0] ?? '';
  const authorization = /^Authorization: (.+)$/m.exec(said)?.[1] ?? '';
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } });
  const client = await connected({ revision: '2026-07-28' }, transport);
  expect(text(await call(client, 'thread_list', {}))).toBe('No threads.');
  await client.close();
  const ended = new Promise((resolve) => server.on('exit', (_code, name) => resolve(name)));
  server.kill('SIGTERM');
  expect(await ended).toBe('SIGTERM');
});

test.each([
  [['--http', 'eighty'], 2, 'Give a port, or a host and a port'],
  [['--http', '99999'], 2, 'Give a port, or a host and a port'],
  [['--no-token'], 2, '--http'],
  [['--http', '0.0.0.0:0', '--no-token'], 2, 'everyone on the network'],
  [['--http', '0', '--token-file', 'none'], 1, 'could not be read'],
  [['--http', '0', '--token-file', 'short'], 1, 'openssl rand'],
  [['--http', '0', '--token-file', 'open'], 1, 'chmod 600'],
  [['-C', 'nowhere'], 1, 'nowhere'],
  [['more'], 2, 'more'],
])('wrong usage is explained: %j', (options, status, message) => {
  writeFileSync(join(home, 'short'), 'secret\n', { mode: 0o600 });
  writeFileSync(join(home, 'open'), 'a-long-and-secret-token\n');
  chmodSync(join(home, 'open'), 0o644);
  const end = spawnSync(process.execPath, [...words, ...options], { env, cwd: home, encoding: 'utf8', input: '' });
  expect({ status: end.status, stdout: end.stdout }).toEqual({ status, stdout: '' });
  expect(end.stderr).toContain(message);
});
