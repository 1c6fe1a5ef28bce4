import { mkdirSync, readFileSync, writeFileSync, appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseJsonObject, stringAt } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf, scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

type Answer = (response: ServerResponse, form: URLSearchParams) => void;

interface ExpiredLogin {
  readonly token: Answer;
  readonly metadata?: object;
  readonly runs?: number;
  /** The first request that the login is too old for. Default: every one. */
  readonly expiresAt?: 'tools/call';
  readonly seconds?: number;
}

/** A server that accepts `access-1` alone, a token endpoint that answers as told, and a home with an expired login. */
async function expiredLogin({ token, metadata = {}, runs = 1, seconds = 60, expiresAt }: ExpiredLogin) {
  const listen = async (handle: (request: IncomingMessage, response: ServerResponse, body: string) => void) => {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      handle(request, response, Buffer.concat(chunks).toString('utf8'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    whenTestEnds(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const json = (response: ServerResponse, value: object): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  const renewals: string[] = [];
  const issuer = await listen((request, response, body) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const described = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    if (pathname !== '/token') return json(response, { ...described, response_types_supported: ['code'], ...metadata });
    const form = new URLSearchParams(body);
    renewals.push(form.get('refresh_token') ?? '');
    return token(response, form);
  });
  const origin = await listen((request, response, body) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (pathname !== '/mcp') return json(response, { resource: `${origin}/mcp`, authorization_servers: [issuer] });
    const { id, method } = parseJsonObject(body) ?? {};
    const { authorization } = request.headers;
    const isYoung = expiresAt !== undefined && method !== expiresAt && authorization === 'Bearer access-0';
    if (authorization !== 'Bearer access-1' && !isYoung) return void response.writeHead(401).end();
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const capabilities = expiresAt === undefined ? {} : { tools: {} };
    const hello = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'x', version: '1' } };
    const tools = [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
    return json(response, { jsonrpc: '2.0', id, result: method === 'initialize' ? hello : { tools } });
  });
  const called = expiresAt === undefined ? [] : [answer({ items: [callTool('mcp__x__look', {})] })];
  const ends = Array.from({ length: runs }, () => answer({ items: [say('Done.')] }));
  const { place, model } = await scene([...called, ...ends]);
  const url = `${origin}/mcp`;
  appendFileSync(
    join(place.home, 'config.toml'),
    `\n[mcp_servers.x]\nurl = "${url}"\nstartup_timeout_sec = ${seconds}\n`,
  );
  const file = join(place.home, 'capstan/mcp/credentials.json');
  mkdirSync(join(place.home, 'capstan/mcp'), { recursive: true, mode: 0o700 });
  const tokens = { access_token: 'access-0', token_type: 'Bearer', refresh_token: 'refresh-0', issuer };
  writeFileSync(file, JSON.stringify({ [url]: { tokens, client: { client_id: 'c', issuer } } }), { mode: 0o600 });
  const run = () => place.start(['exec', '--json', 'hi']).finished;
  const stored = (): unknown => JSON.parse(readFileSync(file, 'utf8'))[url].tokens;
  return { run, stored, tokens, renewals, model, host: new URL(issuer).host };
}

function warningsIn(stdout: string): readonly string[] {
  const errors = stdout.split('\n').flatMap((line) => {
    const item = parseJsonObject(line)?.['item'];
    return item === undefined ? [] : [stringAt(Object(item), 'type') === 'error' ? String(Object(item).message) : ''];
  });
  return errors.filter((text) => text.includes('did not start:'));
}

test('a token endpoint whose answer never ends is given up in time, and the process ends', async () => {
  const login = await expiredLogin({
    seconds: 5,
    token: (response) => void response.writeHead(200).write('{"access_token":"'),
  });
  const { code, stdout } = await login.run();
  // A machine that is slow enough is late before it asks for tokens.
  const why = new RegExp(`did not start: (?:it|its login server ${login.host}) did not answer within 5 s\\.`);
  expect([code, warningsIn(stdout)]).toEqual([0, [expect.stringMatching(why)]]);
  expect(login.stored()).toEqual(login.tokens);
});

test('a renewal in the middle of a call is given up in time, and the model reads why', async () => {
  const login = await expiredLogin({ seconds: 12, expiresAt: 'tools/call', token: () => {} });
  const { code } = await login.run();
  const output = inputOf(login.model, 1).findLast((item) => item['output'] !== undefined)?.['output'];
  expect([code, output]).toEqual([
    0,
    expect.stringContaining(
      `its login could not be renewed: its login server ${login.host} did not answer within 12 s. Tell the user: Try again later, or log in again with \`capstan mcp login NAME\`.`,
    ),
  ]);
});

test('processes that find one expired login renew it once, and all of them use what came', async () => {
  const next = { access_token: 'access-1', token_type: 'Bearer', refresh_token: 'refresh-1' };
  let used = false;
  const login = await expiredLogin({
    runs: 3,
    token: (response) => {
      // A server that gives each refresh token once ends the login when it sees one again.
      response.writeHead(used ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(used ? { error: 'invalid_grant' } : next));
      used = true;
    },
  });
  const finished = await Promise.all([login.run(), login.run(), login.run()]);
  expect(finished.map(({ code, stdout }) => [code, warningsIn(stdout)])).toEqual([
    [0, []],
    [0, []],
    [0, []],
  ]);
  expect(login.renewals).toEqual(['refresh-0']);
  expect(login.stored()).toEqual({ ...login.tokens, ...next });
});

test('what a token endpoint says of a token is printed nowhere', async () => {
  const login = await expiredLogin({
    token: (response, form) => void response.writeHead(500).end(`refresh_token=${form.get('refresh_token')} \u001b[2J`),
  });
  const { stdout, stderr } = await login.run();
  expect(`${stdout}${stderr}`).not.toMatch(/refresh-0|\[mcp-sdk\]/);
  expect(warningsIn(stdout)).toEqual([
    'The MCP server "x" did not start: its login could not be renewed: the answer was HTTP 500. Try again later, or log in again with `capstan mcp login NAME`.',
  ]);
});

test('an answer of the wrong form is named', async () => {
  const login = await expiredLogin({ token: (response) => void response.end(), metadata: { issuer: 1 } });
  const { stdout } = await login.run();
  expect(warningsIn(stdout)).toEqual([
    'The MCP server "x" did not start: it sent an answer of the wrong form (issuer: Invalid input: expected string, received number). Check mcp_servers.x in your config.toml, or set its enabled to false.',
  ]);
});
