import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveThread } from '../harness/live-thread.ts';
import { mcpCall, mcpScene, reading } from './mcp-scene.ts';

const plan = { tools: [{ name: 'x', inputSchema: { type: 'object' }, annotations: reading }] };

test('a server that the administrator does not allow is not started, and the user reads why', async () => {
  const scene = await mcpScene({
    plan,
    requirements: '[mcp_servers.s.identity]\ncommand = "another"\n',
    server: 'required = true',
  });
  await scene.open();
  const [output] = await scene.calls(mcpCall('x'));
  expect(output).toContain('There is no tool named');
  expect(scene.log()).toEqual([]);
  expect(scene.toolNames(0).filter((name) => /mcp|tool/.test(name))).toEqual([]);
  const [warning] = scene.live.told('warning').map(({ outcome }) => outcome);
  expect(warning).toMatchObject({
    code: 'mcp-server-not-allowed',
    message: expect.stringMatching(
      /^mcp_servers in .*requirements\.toml:1 does not allow the MCP server "s": it is not used\.$/,
    ) as string,
    next: 'Ask the administrator of this machine.',
  });
});

test('a server that is allowed by name and command works', async () => {
  const requirements = `[mcp_servers.s.identity]\ncommand = ${JSON.stringify(process.execPath)}\n`;
  const scene = await mcpScene({ plan, requirements });
  await scene.open();
  expect((await scene.calls(mcpCall('x')))[0]).toContain('called x');
});

test('lists say that a server is not allowed, and no login goes there', async () => {
  const live = await LiveThread.in([]);
  const { home, root, workspace } = live.place;
  appendFileSync(join(home, 'config.toml'), '\n[mcp_servers.docs]\nurl = "https://a.invalid/mcp"\n');
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc/requirements.toml'), '[mcp_servers]\n');
  const servers = await (await live.engine({ systemFolders: [join(root, 'etc')] })).user.mcpServers();
  const notAllowed = { code: 'mcp-server-not-allowed', next: 'Ask the administrator of this machine.' };
  expect(await servers.list(workspace)).toMatchObject([{ name: 'docs', enabled: true, problem: notAllowed }]);
  expect(await servers.login('docs', workspace, () => {})).toMatchObject(notAllowed);
});
