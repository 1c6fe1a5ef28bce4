import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Json, parseJsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** A server that repeats the headers it got in every error. */
async function echoingServer(startsWith: 'answers' | 'status'): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const echo = `no entry with ${JSON.stringify(request.headers)} at ${request.url}`;
      const { id, method, params } = parseJsonObject(Buffer.concat(chunks).toString()) ?? {};
      const reply = (value: Json): void =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, ...(value as object) }));
      if (startsWith === 'status' || request.method !== 'POST') return void response.writeHead(500).end(echo);
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'initialize') {
        const { protocolVersion } = params as { readonly protocolVersion: string };
        const serverInfo = { name: 'echo', version: '1' };
        return reply({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
      }
      if (method === 'tools/list') {
        const tools = ['status', 'code', 'result'].map((name) => ({
          name,
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true },
        }));
        return reply({ result: { tools } });
      }
      const { name } = (params ?? {}) as { readonly name?: string };
      if (name === 'status') return void response.writeHead(500).end(echo);
      if (name === 'result') return reply({ result: { content: [{ type: 'text', text: echo }], isError: true } });
      return reply({ error: { code: -32_000, message: echo } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?entry=sekrit-in-url`;
}

const keys = `
bearer_token_env_var = "SERVER_PASS"
http_headers = { X-Plain = "sekrit-in-file" }
env_http_headers = { X-Team = "SERVER_TEAM" }
`;

test.each(['answers', 'status'] as const)(
  'what a server repeats of its keys reaches no one: %s',
  async (startsWith) => {
    const live = await LiveThread.in([]);
    const { home } = live.place;
    appendFileSync(join(home, 'config.toml'), `\n[mcp_servers.e]\nurl = "${await echoingServer(startsWith)}"\n${keys}`);
    const env = { PATH: process.env['PATH'], CAPSTAN_HOME: home, SERVER_PASS: 'sekrit-1', SERVER_TEAM: 'sekrit-2' };
    await live.open({ env });
    const tools = ['status', 'code', 'result'];
    live.model.push(answer({ items: tools.map((tool) => callTool(`mcp__e__${tool}`, {})) }));
    live.model.push(answer({ items: [say('Done.')] }));
    await live.turn('go');
    const seen = JSON.stringify([live.events, live.notices, live.model.requests.map(({ body }) => body)]);
    const [rollout] = live.place.rollouts();
    expect(seen.match(/sekrit[\w-]*/g)).toBeNull();
    expect(readFileSync(rollout!, 'utf8').match(/sekrit[\w-]*/g)).toBeNull();
    const mentions = startsWith === 'status' ? ['did not start'] : ['no entry with', '<hidden>'];
    for (const words of mentions) expect(seen).toContain(words);
  },
);
