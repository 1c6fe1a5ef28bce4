import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accessAt } from '../../src/core/policy/paths/access.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ResolvedPolicy } from '../../src/protocol/permissions.ts';
import { Engine } from '../../src/engine/engine.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp } from '../../src/surfaces/servers/mcp/app.ts';
import { answer, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { type Served, served, TestClient } from './served.ts';

async function scene(): Promise<Served> {
  const all = await served(() => answer({ items: [say('Done.')] }), { config: 'sandbox_mode = "workspace-write"\n' });
  mkdirSync(join(all.place.home, 'rules'));
  writeFileSync(join(all.place.home, 'auth.json'), '{}');
  symlinkSync(join(all.place.home, 'rules'), join(all.place.workspace, 'link'));
  return all;
}

/** The access of the newest turn to places of Capstan, and to a folder of the user. */
async function reached({ place }: Served, client: TestClient, thread_id: unknown): Promise<readonly string[]> {
  const { fields } = (await client.data('thread_envelope', { thread_id: thread_id as string })) as {
    fields: readonly JsonObject[];
  };
  const { value } = fields.find(({ field }) => field === 'policy.resolved')!;
  const { home, workspace, root } = place;
  const places = [home, `${home}/rules`, `${home}/config.toml`, `${home}/auth.json`, `${workspace}/link`, root];
  return places.map((path) => accessAt(value as unknown as ResolvedPolicy, path));
}

const closed = ['read', 'read', 'read', 'deny', 'read', 'write'];

function rootsOf({ place: { home, workspace, root } }: Served): readonly string[] {
  return [root, home, `${home}/rules`, `${home}/config.toml`, `${home}/auth.json`, `${workspace}/link`];
}

it.each<[string, (roots: readonly string[]) => JsonObject]>([
  ['its sandbox', (roots) => ({ sandbox: { type: 'workspace-write', writable_roots: roots } })],
  ['its config', (roots) => ({ config: { sandbox_workspace_write: { writable_roots: roots } } })],
  ['a dotted key', (roots) => ({ config: { 'sandbox_workspace_write.writable_roots': roots } })],
])("roots that a start names in %s do not reopen Capstan's own places", async (_where, argumentsFor) => {
  const all = await scene();
  const client = new TestClient(all.app);
  const { thread_id } = await client.data('thread_start', { prompt: 'go', ...argumentsFor(rootsOf(all)) });
  expect(await reached(all, client, thread_id)).toEqual(closed);
});

it.each<[string, (roots: readonly string[]) => JsonObject]>([
  ['a sandbox policy', (roots) => ({ type: 'workspace-write', writable_roots: roots })],
  [
    'a profile',
    (roots) => ({
      type: 'managed',
      file_system: {
        type: 'restricted',
        entries: [
          { path: { type: 'special', value: { kind: 'root' } }, access: 'read' },
          ...roots.map((path) => ({ path: { type: 'path', path }, access: 'write' })),
        ],
      },
      network: 'restricted',
    }),
  ],
])('nor does %s of a later call', async (_what, sandboxFor) => {
  const all = await scene();
  const client = new TestClient(all.app);
  const { thread_id } = await client.data('thread_start', {});
  const sandbox = sandboxFor(rootsOf(all));
  await client.data('thread_override', { thread_id: thread_id!, sandbox });
  await client.data('thread_send', { thread_id: thread_id!, text: 'go' });
  expect(await reached(all, client, thread_id)).toEqual(closed);
  await client.data('thread_turn', { thread_id: thread_id!, text: 'go on', sandbox });
  expect(await reached(all, client, thread_id)).toEqual(closed);
});

it("a profile that reopens Capstan's own places is no workspace-write where the machine allows no more", async () => {
  const { place, app, model } = await scene();
  const etc = join(place.root, 'etc');
  mkdirSync(etc);
  writeFileSync(join(etc, 'requirements.toml'), 'allowed_sandbox_modes = ["read-only", "workspace-write"]\n');
  const login = join(place.home, 'auth.json');
  const mine = { mine: { filesystem: { ':root': 'read', [login]: 'read' } } };
  const engine = await Engine.load({
    env: { ...process.env, CAPSTAN_HOME: place.home },
    osHome: homedir(),
    cwd: place.workspace,
    client: { name: 'test', version: '1', source: 'mcp' },
    systemFolders: [etc],
    config: { permissions: mine },
  });
  if (engine.kind === 'refused') throw new Error(engine.outcome.message);
  const limited = createMcpApp(engine, liveThreads(engine), { cwd: place.workspace });
  whenTestEnds(() => limited.close());
  const client = new TestClient(limited);
  const named = await client.call('thread_start', { prompt: 'go', permissions: 'mine' });
  expect(JSON.stringify(named.data)).toContain(
    `does not allow default_permissions = \\"mine\\" (flags), which opens Capstan's own files`,
  );
  expect(await reached({ place, app, model, engine }, client, named.data['thread_id'])).toContain('deny');
  const entries = [
    { path: { type: 'special', value: { kind: 'root' } }, access: 'read' },
    { path: { type: 'path', path: login }, access: 'read' },
  ] as const;
  const sandbox = { type: 'managed', file_system: { type: 'restricted', entries }, network: 'restricted' } as const;
  expect(await engine.start({ cwd: place.workspace, sandbox })).toMatchObject({
    kind: 'refused',
    outcome: { code: 'sandbox-managed' },
  });
  const asked = { cwd: place.workspace, config: { default_permissions: 'yours', permissions: { yours: mine.mine } } };
  const opened = await engine.start(asked);
  if (opened.kind === 'refused') throw new Error(opened.outcome.message);
  whenTestEnds(() => opened.thread.close());
  expect(JSON.stringify(opened.settings.sandbox)).not.toContain(login);
});
