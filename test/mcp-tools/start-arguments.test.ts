import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { schemaProblem } from '../../src/surfaces/servers/mcp/wire/check-arguments.ts';
import { served, TestClient } from './served.ts';

it.each<[JsonObject, string]>([
  [
    { permissions: ':workspace', sandbox: 'read-only' },
    'permissions ":workspace" and sandbox "read-only" contradict each other. Use one of them.',
  ],
  [{ sandbox: { type: 'workspace-write', network: true } }, 'sandbox.network is not a known key. Remove it.'],
  [
    { sandbox: 'foo' },
    'sandbox must be one of "read-only", "workspace-write", "danger-full-access", not "foo". Write one of "read-only", "workspace-write", "danger-full-access" or leave it out.',
  ],
  [
    { approval_policy: { granular: { rules: 1 } } },
    'approval_policy lacks "sandbox_approval", "mcp_elicitations", and takes only true or false for "rules". Write {"granular": {"sandbox_approval": true|false, "rules": true|false, "mcp_elicitations": true|false}}.',
  ],
])('a start with %j is refused in the words of the call, each problem once', async (args, expected) => {
  const { app } = await served([]);
  const refused = await new TestClient(app).call('thread_start', args);
  expect([refused.isError, refused.text]).toEqual([true, expected]);
  expect(refused.data).toMatchObject({ status: 'failed', error: { message: expect.any(String) as string } });
  // Otherwise clients do not get the data.
  const { output } = app.tools.find(({ name }) => name === 'thread_start')!;
  expect(await schemaProblem(output, refused.data)).toBeUndefined();
});

it('a relative folder starts where the server works, in every call; settings say how much of the network is open', async () => {
  const { app, place } = await served([]);
  const cwd = join(place.workspace, 'docs');
  mkdirSync(cwd);
  const client = new TestClient(app);
  const started = await client.data('thread_start', { cwd: 'docs' });
  expect(started).toMatchObject({ settings: { cwd, network: 'restricted' } });
  const thread_id = started['thread_id']!;
  const open = { type: 'workspace-write', network_access: true };
  expect(await client.data('thread_override', { thread_id, cwd: '.', sandbox: open })).toMatchObject({
    settings: { cwd: place.workspace, sandbox: 'workspace-write', network: 'enabled' },
  });
  expect(await client.data('thread_override', { thread_id, cwd: 'docs' })).toMatchObject({ settings: { cwd } });
});
