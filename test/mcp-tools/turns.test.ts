import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp } from '../../src/surfaces/servers/mcp/app.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { engineOf, served, TestClient } from './served.ts';

it('a prompt starts a thread and is answered at the end of its turn, with the events before the answer', async () => {
  const { app, place } = await served([
    answer({ items: [say('Hello there.')], deltas: true }),
    answer({ items: [say('Again.')] }),
  ]);
  const client = new TestClient(app);
  const first = await client.call('thread_start', { prompt: 'Hi' });
  const { thread_id: id, turn_id: turn } = first.data;
  expect(first.text).toBe(`Hello there.\n\nthread_id: ${String(id)}`);
  expect(first.data).toMatchObject({
    status: 'completed',
    message: 'Hello there.',
    settings: { cwd: place.workspace, sandbox: 'workspace-write', network: 'restricted' },
  });
  const types = client.typesOf();
  expect([types[0], types[2], types.at(-1)]).toEqual(['thread_started', 'turn_started', 'turn_completed']);
  // Names are the same in every event.
  expect(client.events.find(({ type }) => type === 'turn_started')).toMatchObject({ usage: { input_tokens: 0 } });
  expect(client.events.find(({ kind }) => kind === 'environment_context')).toMatchObject({
    type: 'context',
    cause: 'initial',
    turn_id: turn,
    value: { cwd: place.workspace },
  });
  const pieces = client.events.filter(({ type, kind }) => type === 'preview' && kind === 'text');
  expect(pieces.map(({ text }) => text).join('')).toBe('Hello there.');
  expect(client.events.find(({ type }) => type === 'usage')).toHaveProperty('percent_remaining');
  expect(client.progress).toContain('Hello there.');

  const second = await client.call('thread_send', { thread_id: id!, text: 'More' });
  expect(second.data).toMatchObject({ thread_id: id, status: 'completed', message: 'Again.' });
});

it('a thread without a prompt is idle, and a message to it is its first turn', async () => {
  const { app } = await served([answer({ items: [say('One.')] })]);
  const client = new TestClient(app);
  const { thread_id: id, status } = await client.data('thread_start', {});
  expect(status).toBe('idle');
  expect(await client.data('thread_read', { thread_id: id! })).toMatchObject({ items: [] });
  expect(await client.data('thread_send', { thread_id: id!, text: 'Go' })).toMatchObject({ message: 'One.' });
});

it('what a thread starts with reaches the model', async () => {
  const { app, model, place } = await served([answer({ items: [say('Ok.')] })]);
  writeFileSync(join(place.home, 'careful.config.toml'), 'model_reasoning_effort = "low"\n');
  const client = new TestClient(app);
  const { settings } = await client.data('thread_start', {
    prompt: 'Hi',
    profile: 'careful',
    approval_policy: 'never',
    sandbox: 'read-only',
    config: { model_reasoning_summary: 'none' },
    base_instructions: 'BASE',
    developer_instructions: 'DEVELOP',
    plan_tool: false,
    patch_tool: false,
  });
  expect(settings).toMatchObject({ approval_policy: 'never', sandbox: 'read-only', effort: 'low', summary: 'none' });
  const { instructions, tools, input } = model.requests[0]!.body as {
    instructions: string;
    tools: JsonObject[];
    input: JsonObject[];
  };
  expect(instructions).toBe('BASE');
  expect(tools.map(({ name }) => name)).not.toContain('update_plan');
  expect(tools.map(({ name }) => name)).not.toContain('apply_patch');
  expect(JSON.stringify(input)).toContain('DEVELOP');
});

it('a thread without a message that the server has given up takes its first message all the same', async () => {
  const { place } = await served(() => answer({ items: [say('ok')] }));
  const engine = await engineOf(place);
  const app = createMcpApp(engine, liveThreads(engine, { idleMs: 20 }), { cwd: place.workspace });
  whenTestEnds(() => app.close());
  const client = new TestClient(app);
  const { thread_id } = (await client.data('thread_start', { sandbox: 'read-only' })) as { thread_id: string };
  await expect.poll(() => engine.threads).toEqual([]);
  expect(await client.error('thread_fork', { thread_id })).toMatchObject({ code: 'thread-empty' });
  expect(await client.data('thread_send', { thread_id, text: 'go' })).toMatchObject({ thread_id, message: 'ok' });
  expect(await client.data('thread_override', { thread_id, effort: 'low' })).toMatchObject({
    settings: { sandbox: 'read-only' },
  });
});

it('a message to a thread whose turn runs steers it, and both calls are answered with its end', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { app, model, place } = await served([
    async () => {
      await held;
      return answer({ items: [callTool('update_plan', { plan: [] })] });
    },
    answer({ items: [say('Both heard.')] }),
  ]);
  const [one, two] = [new TestClient(app), new TestClient(app)];
  const { thread_id: id } = await one.data('thread_start', {});
  const first = one.data('thread_send', { thread_id: id!, text: 'Begin' });
  await expect.poll(() => model.requests.length).toBe(1);
  const second = two.data('thread_send', { thread_id: id!, text: 'And this' });
  await expect.poll(() => JSON.stringify(place.lines())).toContain('And this');
  release();
  expect(await first).toMatchObject({ status: 'completed', message: 'Both heard.' });
  expect(await second).toMatchObject({ status: 'completed', message: 'Both heard.', steered: true });
  expect(JSON.stringify(model.requests[1]!.body['input'])).toContain('And this');
  expect(two.typesOf('turn_completed')).toEqual(['turn_completed']);
});

it('a turn that is interrupted, or whose client is gone, ends cleanly and the thread goes on', async () => {
  const held = hang({ afterBytes: 0, of: answer({ items: [say('never')] }) });
  const { app, model } = await served([held, held, answer({ items: [say('Back.')] })]);
  const client = new TestClient(app);
  const { thread_id: id } = await client.data('thread_start', {});
  const running = client.data('thread_send', { thread_id: id!, text: 'Wait' });
  await expect.poll(() => model.requests.length).toBe(1);
  expect(await new TestClient(app).data('thread_interrupt', { thread_id: id! })).toMatchObject({ interrupted: true });
  expect(await running).toMatchObject({ status: 'interrupted' });

  const gone = new TestClient(app);
  const lost = gone.call('thread_send', { thread_id: id!, text: 'Wait again' });
  await expect.poll(() => model.requests.length).toBe(2);
  gone.leaving.abort();
  expect((await lost).data).toMatchObject({ status: 'interrupted' });
  expect(await client.data('thread_interrupt', { thread_id: id! })).toEqual({ thread_id: id, interrupted: false });
  expect(await client.data('thread_send', { thread_id: id!, text: 'And now' })).toMatchObject({ message: 'Back.' });
});

it('a turn with its own context keeps it for later turns; an override is an event before the next answer', async () => {
  const { app, place } = await served([answer({ items: [say('a')] }), answer({ items: [say('b')] })]);
  const client = new TestClient(app);
  const { thread_id: id } = await client.data('thread_start', {});
  await client.data('thread_turn', {
    thread_id: id!,
    text: 'One',
    cwd: place.root,
    sandbox: { mode: 'read-only' },
    summary: 'none',
  });
  const { settings, changed } = await client.data('thread_override', { thread_id: id!, cwd: place.workspace });
  expect([settings, changed]).toMatchObject([{ cwd: place.workspace, sandbox: 'read-only', summary: 'none' }, ['cwd']]);
  expect(client.events.findLast(({ type }) => type === 'settings')).toMatchObject({
    cause: 'override',
    environment: { cwd: place.workspace },
  });
  const before = client.events.length;
  await client.data('thread_send', { thread_id: id!, text: 'Two' });
  const told = client.events.slice(before);
  const change = told.findIndex(({ kind, cause }) => kind === 'environment_context' && cause === 'change');
  expect(told[change]).toMatchObject({ value: { cwd: place.workspace } });
  expect(change).toBeLessThan(
    told.findIndex(({ item }) => (item as JsonObject | undefined)?.['type'] === 'agent_message'),
  );
});

it('two conversations at once, and two turns of one thread one after the other', async () => {
  const { app } = await served(({ body }) =>
    answer({ items: [say(`said ${JSON.stringify(body['input']).split('word-').at(-1)![0]}`)] }),
  );
  const client = new TestClient(app);
  const starts = await Promise.all(['1', '2'].map((n) => client.data('thread_start', { prompt: `word-${n}` })));
  expect(starts.map(({ message }) => message)).toEqual(['said 1', 'said 2']);
  const thread_id = starts[0]!['thread_id']!;
  const turns = await Promise.all(
    ['3', '4'].map((n) => new TestClient(app).data('thread_turn', { thread_id, text: `word-${n}` })),
  );
  expect(turns.map(({ message }) => message)).toEqual(['said 3', 'said 4']);
  expect(new Set(turns.map(({ turn_id }) => turn_id)).size).toBe(2);
});

it('a client that does not read holds up neither the turn nor the answer of others', async () => {
  const { app } = await served(() => answer({ items: [say('ok')], deltas: true }));
  const stalled = new TestClient(app, undefined, () => new Promise(() => {}));
  const { thread_id } = (await stalled.data('thread_start', {})) as { thread_id: string };
  const waiting = stalled.data('thread_send', { thread_id, text: 'one' });
  const reader = new TestClient(app);
  expect(await reader.data('thread_turn', { thread_id, text: 'two' })).toMatchObject({ status: 'completed' });
  expect(reader.typesOf('turn_completed').at(-1)).toBe('turn_completed');
  expect(await waiting).toMatchObject({ status: 'completed' });
  expect(stalled.events).toHaveLength(1);
});

it.each<[JsonObject, string]>([
  [{ 'model_providers.s.auth': { command: 'touch', args: ['ran'] } }, 'model_providers.s.auth'],
  [{ model_providers: { s: { base_url: 'http://127.0.0.1:1', env_key: 'HOME' } } }, 'model_providers'],
  [{ modelProviders: {} }, 'modelProviders'],
  [{ notify: ['touch', 'ran'] }, 'notify'],
  [{ hooks: {} }, 'hooks'],
  [{ 'mcp_servers.x.command': 'touch' }, 'mcp_servers.x.command'],
  [{ profiles: { p: { model_instructions_file: '/etc/passwd' } } }, 'profiles.p.model_instructions_file'],
  [{ later: { thing: { command: 'touch' } } }, 'later.thing.command'],
  [{ projects: { '/': { trust_level: 'trusted' } } }, 'projects'],
  [{ 'projects./.trust_level': 'trusted' }, 'projects./.trust_level'],
  [{ project_root_markers: ['etc'] }, 'project_root_markers'],
  [{ shell_environment_policy: { ignore_default_excludes: true } }, 'shell_environment_policy'],
  [{ 'shellEnvironmentPolicy.inherit': 'all' }, 'shellEnvironmentPolicy.inherit'],
  [{ allow_login_shell: true }, 'allow_login_shell'],
  [{ features: { hooks: false } }, 'features.hooks'],
  [{ 'features.hooks': false }, 'features.hooks'],
  [{ profiles: { p: { features: { hooks: false } } } }, 'profiles.p.features.hooks'],
  [{ max_turn_tokens: 1_000_000_000 }, 'max_turn_tokens'],
  [{ model_fallback: { provider: 'other' } }, 'model_fallback'],
  [{ compaction: { timeout_ms: 1 } }, 'compaction.timeout_ms'],
])('a call cannot configure a program, a file, a server, trust, variables or guards: %j', async (config, key) => {
  const { app, place, model } = await served([]);
  const client = new TestClient(app);
  const error = await client.error('thread_start', { prompt: 'go', config });
  expect(error).toMatchObject({ code: 'config-closed', message: expect.stringContaining(` ${key}:`) as string });
  expect(model.requests).toHaveLength(0);
  expect(existsSync(join(place.workspace, 'ran'))).toBe(false);
});

it.each<[JsonObject, string]>([
  [{ sandbox_fallback: 'none' }, 'sandbox_fallback'],
  [{ 'features.use_legacy_landlock': true }, 'features.use_legacy_landlock'],
])('a call cannot change the sandbox that all threads share: %j', async (config, key) => {
  const { app, model } = await served([]);
  const error = await new TestClient(app).error('thread_start', { prompt: 'go', config });
  expect(error).toMatchObject({
    code: 'config-engine-key',
    message: `config: ${key} cannot be set for one thread, because all threads of the engine share a sandbox.`,
  });
  expect(model.requests).toHaveLength(0);
});
