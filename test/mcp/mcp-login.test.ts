import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf } from '../harness/scene.ts';
import { guardedServer } from './guarded-server.ts';

test('a login is made in the browser, kept for this user alone, used by threads, and forgotten', async () => {
  const server = await guardedServer();
  const live = await LiveThread.in([]);
  const { home, workspace } = live.place;
  appendFileSync(join(home, 'config.toml'), `\n[mcp_servers.g]\nurl = "${server.url}"\n`);
  const call = async (): Promise<unknown> => {
    await live.open();
    live.model.push(answer({ items: [callTool('mcp__g__secret', {})] }));
    live.model.push(answer({ items: [say('Done.')] }));
    await live.turn('go');
    return inputOf(live.model, live.model.requests.length - 1).findLast(({ output }) => output !== undefined)?.[
      'output'
    ];
  };
  expect(await call()).toContain('There is no tool named');
  // A busy machine also says that it waits.
  const warnings = live.told('warning').map(({ outcome }) => outcome);
  const [warning] = warnings.filter(({ code }) => code !== 'mcp-servers-starting');
  expect(warning).toEqual({
    code: 'mcp-login-needed',
    message: 'The MCP server "g" did not start: it wants a login.',
    next: 'Run: capstan mcp login g',
  });

  const servers = await (await live.engine()).user.mcpServers();
  const visit = (page: URL): void => void fetch(page);
  expect(await servers.login('g', workspace, visit)).toBeUndefined();
  const file = join(home, 'capstan/mcp/credentials.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('the-token');
  expect(await servers.list(workspace)).toMatchObject([{ name: 'g', isLoggedIn: true, tools: 1 }]);

  expect(await call()).toContain('the secret');
  expect(await servers.logout('g', workspace)).toBe(true);
  expect(await servers.logout('g', workspace)).toBe(false);
  expect(readFileSync(file, 'utf8')).not.toContain('the-token');
  expect(await call()).toContain('Tell the user to run: capstan mcp login g');
});

test('a page that brings back an error, and a program, end a login with a sentence', async () => {
  const server = await guardedServer();
  const live = await LiveThread.in([]);
  const { home, workspace } = live.place;
  appendFileSync(
    join(home, 'config.toml'),
    `\n[mcp_servers.g]\nurl = "${server.url}"\n[mcp_servers.p]\ncommand = "x"\n`,
  );
  const servers = await (await live.engine()).user.mcpServers();
  const refuse = (page: URL): void => {
    const back = new URL(page.searchParams.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({
      error: 'access_denied',
      state: page.searchParams.get('state') ?? '',
    }).toString();
    void fetch(back);
  };
  expect(await servers.login('g', workspace, refuse)).toEqual({
    code: 'mcp-login-failed',
    message: 'The login to the MCP server "g" did not work: access_denied.',
    next: 'Check mcp_servers.g in your config.toml, then try again.',
  });
  // A request from another page neither ends the login nor is taken for its answer.
  const forged = (page: URL): string => `${page.searchParams.get('redirect_uri')}?code=forged&state=other`;
  const forge = (page: URL): void => void fetch(forged(page)).then(() => fetch(page));
  expect(await servers.login('g', workspace, forge)).toBeUndefined();
  expect(await servers.login('p', workspace, () => {})).toMatchObject({ code: 'mcp-no-login' });
  expect(await servers.login('none', workspace, () => {})).toMatchObject({ code: 'mcp-server-unknown' });
});

test('the headers of a server go to its own origin alone: not to those of metadata, of a login or of a renewal', async () => {
  const server = await guardedServer({ split: true });
  const live = await LiveThread.in([]);
  const { home, workspace } = live.place;
  const config = `
[mcp_servers.g]
url = "${server.url}"
http_headers = { X-Static = "static-value-1" }
env_http_headers = { X-Variable = "HEADER_OF_G" }
`;
  appendFileSync(join(home, 'config.toml'), config);
  const env = { PATH: process.env['PATH'], CAPSTAN_HOME: home, HEADER_OF_G: 'variable-value-1' };
  const servers = await (await live.engine({ env })).user.mcpServers();
  expect(await servers.login('g', workspace, (page) => void fetch(page))).toBeUndefined();
  server.expire();
  expect(await servers.login('g', workspace, () => {})).toBeUndefined();
  const places = (isSent: boolean): ReadonlySet<string> =>
    new Set(
      server.keys
        .filter(({ headers }) => headers.some((value) => value !== undefined) === isSent)
        .map(({ place }) => place),
    );
  expect(places(true)).toEqual(new Set(['server POST /mcp', 'server GET /mcp']));
  expect(places(false)).toEqual(
    new Set([
      'metadata GET /.well-known/oauth-protected-resource/mcp',
      'login GET /.well-known/oauth-authorization-server',
      'login POST /register',
      'login GET /authorize',
      'login POST /token',
    ]),
  );
  expect(server.keys.filter(({ place }) => place === 'login POST /token')).toHaveLength(2);
});

test('a server that registers no clients, and one that rejects a configured token, say what to set', async () => {
  const [closed, guarded] = [await guardedServer({ registers: false }), await guardedServer()];
  const live = await LiveThread.in([answer({ items: [say('Done.')] })]);
  const { home, workspace } = live.place;
  const tables = `
[mcp_servers.closed]
url = "${closed.url}"
[mcp_servers.guarded]
url = "${guarded.url}"
bearer_token_env_var = "WRONG_TOKEN"
`;
  appendFileSync(join(home, 'config.toml'), tables);
  const env = { PATH: process.env['PATH'], CAPSTAN_HOME: home, WRONG_TOKEN: 'wrong' };
  const servers = await (await live.engine({ env })).user.mcpServers();
  expect(await servers.login('closed', workspace, () => {})).toEqual({
    code: 'mcp-login-failed',
    message:
      'The login to the MCP server "closed" did not work: its login server does not register Capstan as a client.',
    next: 'Register a client there and set oauth.client_id, or set bearer_token_env_var to a variable with a token.',
  });
  await live.open({ env });
  await live.turn('go');
  const warnings = live.told('warning').map(({ outcome }) => outcome);
  expect(warnings).toContainEqual({
    code: 'mcp-login-needed',
    message: 'The MCP server "guarded" did not start: it rejected the token in the variable WRONG_TOKEN.',
    next: 'Correct the token in the variable WRONG_TOKEN.',
  });
});
