import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { answer, callTool, say, type RecordedRequest } from '../../src/testing/index.ts';
import { capstanScript, type Place } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { connected, revisions, type WireRevision } from '../mcp-server/clients.ts';
import { call, until } from '../mcp-server/suite.ts';

const sleeps = answer({ items: [callTool('exec_command', { cmd: 'sleep 30' })] });
const done = answer({ items: [say('done')] });
const isAfter = (request: RecordedRequest): boolean => JSON.stringify(request.body).includes('afterwards');

/** `capstan mcp-server --http` as a process, and a client of it. */
async function startServer({ home, workspace }: Place, revision: WireRevision) {
  const words = [capstanScript, 'mcp-server', '--http', '0'];
  const child = spawn(process.execPath, words, { env: { ...process.env, CAPSTAN_HOME: home }, cwd: workspace });
  whenTestEnds(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  await until(() => said.includes('Bearer'), 30_000);
  const authorization = /^Authorization: (.+)$/m.exec(said)?.[1] ?? '';
  const url = new URL(/http:\S+/.exec(said)?.[0] ?? '');
  const connect = (): Promise<Client> =>
    connected({ revision }, new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));
  const ended = new Promise((resolve) => child.on('exit', (_code, name) => resolve(name)));
  return { child, ended, connect };
}

it.each(revisions)(
  'a server that is stopped answers the calls that wait, and says who stopped them: %s',
  async (era) => {
    const { model, place } = await scene((request) => (isAfter(request) ? done : sleeps));
    const server = await startServer(place, era);
    const [first, second] = [await server.connect(), await server.connect()];
    const { structuredContent } = await call(first, 'thread_start', {});
    const { thread_id } = structuredContent as { readonly thread_id: string };
    const running = call(first, 'thread_send', { thread_id, text: 'go' });
    await until(() => model.requests.length > 0, 20_000);
    const queued = call(second, 'thread_turn', { thread_id, text: 'next' });
    // A message that was accepted is a line.
    await until(() => place.rollouts().some((path) => readFileSync(path, 'utf8').includes('"next"')), 20_000);
    server.child.kill('SIGTERM');
    expect((await running).structuredContent).toMatchObject({ status: 'interrupted' });
    const kept = 'The message is saved and becomes part of the next turn.';
    expect((await queued).structuredContent).toMatchObject({ status: 'failed', error: { next: kept } });
    expect(await server.ended).toBe('SIGTERM');

    const again = await startServer(place, era);
    const client = await again.connect();
    const sent = await call(client, 'thread_send', { thread_id, text: 'afterwards' });
    expect(sent.structuredContent).toMatchObject({ status: 'completed' });
    const told = JSON.stringify(model.requests.at(-1)?.body);
    expect(told).toContain('The program that ran the turn was closed');
    expect(told).not.toContain('disconnected');
    await client.close();
  },
);
