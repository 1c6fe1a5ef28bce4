import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { answer, callTool, say, type ScriptedModel, startScriptedModel } from '../../src/testing/index.ts';
import { Engine, type EngineOptions, type ThreadRequest, words } from '../../src/index.ts';
import { Place } from '../harness/run-capstan.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A user whose file names a model and its provider, and nothing about the sandbox. */
async function scene(
  config = '',
  cmd = 'touch made && echo "[$FROM_FILE][$SHOWN]"',
): Promise<{ model: ScriptedModel; place: Place }> {
  const model = await startScriptedModel([
    answer({ items: [callTool('exec_command', { cmd })] }),
    answer({ items: [say('done')] }),
  ]);
  const place = new Place(model.url);
  cleanups.push(
    () => model.close(),
    () => place.remove(),
  );
  const provider = `[model_providers.scripted]\nbase_url = "${model.url}"\n`;
  writeFileSync(
    join(place.home, 'config.toml'),
    `model = "gpt-5.5"\nmodel_provider = "scripted"\n${config}${provider}`,
  );
  return { model, place };
}

function trust({ workspace }: Place, level: string): readonly string[] {
  return [`projects.${JSON.stringify(workspace)}.trust_level=${level}`];
}

function load(place: Place, options: Partial<EngineOptions> = {}) {
  return Engine.load({
    env: { PATH: process.env['PATH'], CAPSTAN_HOME: place.home },
    osHome: place.root,
    cwd: place.workspace,
    client: { name: 'test', version: '0', source: 'exec' },
    config: [],
    systemFolders: [join(place.root, 'etc')],
    ...options,
  });
}

async function open(place: Place, options: Partial<EngineOptions> = {}, request: Partial<ThreadRequest> = {}) {
  const engine = await load(place, options);
  if (engine.kind === 'refused') return engine;
  const opened = await engine.start({ cwd: place.workspace, heldApprovals: 'never', ...request });
  if (opened.kind === 'opened') cleanups.unshift(() => opened.thread.close());
  return opened;
}

/** Runs one turn with one command that writes, and says what came of it. */
async function outcomeOf(place: Place, model: ScriptedModel, options: Partial<EngineOptions>) {
  const opened = await open(place, options);
  if (opened.kind === 'refused') throw new Error(opened.outcome.message);
  await opened.thread.run({ input: words('go'), signal: new AbortController().signal });
  const [first, second] = model.requests.map(({ body }) => JSON.stringify(body['input']));
  return { told: first ?? '', output: second ?? '', notices: opened.notices.map(({ code }) => code) };
}

describe('trust', () => {
  it.skipIf(noNamespaces).each([
    ['trusted', true, true],
    ['untrusted', false, false],
    ['unknown', false, true],
  ])('%s: may write %s, reads AGENTS.md %s', async (level, writes, reads) => {
    const { model, place } = await scene();
    writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use tabs.');
    const overrides = level === 'unknown' ? [] : trust(place, level);
    const { told, output } = await outcomeOf(place, model, { config: overrides });
    expect([told.includes('Use tabs.'), !output.includes('Read-only file system')]).toEqual([reads, writes]);
  });

  it.skipIf(noNamespaces)(
    'decides whether the files of a project count; one notice says when they do not',
    async () => {
      const { model, place } = await scene();
      mkdirSync(join(place.workspace, '.codex'));
      writeFileSync(join(place.workspace, '.codex/config.toml'), 'sandbox_mode = "workspace-write"\n');
      expect(await outcomeOf(place, model, {})).toMatchObject({
        output: expect.stringContaining('Read-only file system'),
        notices: ['config-untrusted-project'],
      });
      expect(await open(place, { config: trust(place, 'trusted') })).toMatchObject({ kind: 'opened', notices: [] });
    },
  );

  it('belongs to the folder of the thread, not to that of the process', async () => {
    const { place } = await scene();
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(join(elsewhere, '.codex'), { recursive: true });
    writeFileSync(join(elsewhere, '.codex/config.toml'), 'model = "gpt-5.4"\n');
    const overrides = [`projects.${JSON.stringify(elsewhere)}.trust_level=trusted`];
    expect(await open(place, { config: overrides }, { cwd: elsewhere })).toMatchObject({
      settings: { model: 'gpt-5.4' },
    });
    expect(await open(place, { config: overrides })).toMatchObject({ settings: { model: 'gpt-5.5' } });
  });
});

describe('what reaches the engine', () => {
  it('a profile stands over the file, and a missing one is refused', async () => {
    const { place } = await scene();
    writeFileSync(join(place.home, 'fast.config.toml'), 'model = "gpt-5.4"\n');
    expect(await open(place, { profile: 'fast' })).toMatchObject({ settings: { model: 'gpt-5.4' } });
    expect(await open(place, { profile: 'slow' })).toMatchObject({
      kind: 'refused',
      outcome: { message: expect.stringContaining(join(place.home, 'slow.config.toml')) },
    });
  });

  it('strictly, an unknown key is refused; else it is a notice', async () => {
    const { place } = await scene('modle = "x"\n');
    expect(await load(place)).toMatchObject({ kind: 'engine', notices: [{ next: 'Did you mean model?' }] });
    expect(await load(place, { strictConfig: true })).toMatchObject({
      kind: 'refused',
      outcome: { message: `${join(place.home, 'config.toml')}:3: modle is not a known key.` },
    });
  });

  it('an unknown key that a program gives is refused in every form; on a command line it is a notice', async () => {
    const { place } = await scene('');
    const refused = { kind: 'refused', outcome: { code: 'config-unknown-key', next: 'Did you mean sandbox_mode?' } };
    for (const config of [['sandbox_mod="read-only"'], { sandbox_mod: 'read-only' }]) {
      expect(await load(place, { config })).toMatchObject(refused);
      expect(await open(place, {}, { config })).toMatchObject(refused);
    }
    const { code, stderr } = await place.run('exec', '-c', 'sandbox_mod="read-only"', 'hi');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Did you mean sandbox_mode?')]);
  });

  it('keys without an effect are named once, when a thread starts, and not on standard output', async () => {
    const { model, place } = await scene('ghost_snapshot = {}\nbrowser_use = { x = "y" }\n');
    model.push(answer({ items: [say('again')] }));
    const named = 'Capstan does not use these configuration keys yet: browser_use, ghost_snapshot.';
    const started = await place.run('exec', '--json', 'hi');
    expect(started.stderr.split(named)).toHaveLength(2);
    expect(started.stdout).not.toContain('ghost_snapshot');
    const resumed = await place.run('exec', '--json', 'resume', '--last', 'more');
    expect(resumed.stderr).not.toContain(named);
  });

  it('the file of the user can be ignored', async () => {
    const { place } = await scene();
    expect(await open(place, { ignoreUserConfig: true })).toMatchObject({
      settings: { model: 'gpt-6.1-sol', provider: 'openai', origins: { approvals: 'surface' } },
    });
  });

  it('added folders are writable, or there is a notice', async () => {
    const { model, place } = await scene();
    const shared = join(place.root, 'shared');
    mkdirSync(shared);
    const { notices } = await outcomeOf(place, model, { addDirectories: ['../shared'] });
    expect(notices).toEqual(['added-folders-unused']);
    const opened = await open(place, { addDirectories: ['../shared'], config: ['sandbox_mode=workspace-write'] });
    expect(opened).toMatchObject({ notices: [] });
    expect(JSON.stringify(opened)).toContain(JSON.stringify({ path: { type: 'path', path: shared }, access: 'write' }));
  });

  it('the managed file of the machine beats the flags', async () => {
    const { place } = await scene();
    mkdirSync(join(place.root, 'etc'));
    writeFileSync(join(place.root, 'etc/managed_config.toml'), 'model = "gpt-5.4"\n');
    const engine = await load(place, { config: ['model=gpt-5.5'] });
    expect(engine).toMatchObject({ kind: 'engine', notices: [{ code: 'config-overridden-key' }] });
    expect(await open(place, { config: ['model=gpt-5.5'] })).toMatchObject({ settings: { model: 'gpt-5.4' } });
  });

  it('the managed file keeps its sandbox, whatever the surface asks for', async () => {
    const { place } = await scene();
    const sandbox = { type: 'disabled' } as const;
    expect(await open(place, {}, { sandbox })).toMatchObject({
      settings: { sandbox },
    });
    mkdirSync(join(place.root, 'etc'));
    writeFileSync(join(place.root, 'etc/managed_config.toml'), 'sandbox_mode = "workspace-write"\n');
    expect(await open(place, {}, { sandbox })).toMatchObject({
      kind: 'refused',
      outcome: { code: 'sandbox-managed' },
    });
  });

  it('a thread may be narrower than the machine demands, and one that may not be as narrow as it asks is refused', async () => {
    const { place } = await scene();
    mkdirSync(join(place.root, 'etc'));
    writeFileSync(join(place.root, 'etc/managed_config.toml'), 'sandbox_mode = "workspace-write"\n');
    writeFileSync(join(place.root, 'etc/requirements.toml'), 'allowed_approval_policies = ["never"]\n');
    expect(await open(place, {}, { sandbox: 'read-only' })).toMatchObject({
      kind: 'opened',
      settings: { sandbox: { file_system: { entries: [{ access: 'read' }] } } },
    });
    const engine = await load(place);
    if (engine.kind === 'refused') throw new Error(engine.outcome.message);
    expect(await engine.start({ cwd: place.workspace, approvals: 'untrusted' })).toMatchObject({
      kind: 'refused',
      outcome: { code: 'approvals-managed', next: 'Use "never", or ask the administrator.' },
    });
    expect(await engine.start({ cwd: place.workspace, sandbox: 'danger-full-access' })).toMatchObject({
      kind: 'refused',
      outcome: { code: 'sandbox-managed' },
    });
  });

  it.skipIf(noNamespaces)('requirements of the machine hold, and a command cannot read what they deny', async () => {
    const { model, place } = await scene('sandbox_mode = "danger-full-access"\n', 'cat secret; echo "read: $?"');
    mkdirSync(join(place.root, 'etc'));
    const secret = join(place.workspace, 'secret');
    writeFileSync(secret, 'hidden words');
    writeFileSync(
      join(place.root, 'etc/requirements.toml'),
      `allowed_sandbox_modes = ["workspace-write", "read-only"]
[permissions.filesystem]
deny_read = [${JSON.stringify(secret)}]
`,
    );
    const { output, notices } = await outcomeOf(place, model, {});
    expect(notices).toEqual(['requirement-overrides']);
    expect(output).toMatch(/read: [1-9]/);
    expect(output).not.toContain('hidden words');
  });

  it('a requirement with a fault stops the start', async () => {
    const { place } = await scene();
    mkdirSync(join(place.root, 'etc'));
    writeFileSync(join(place.root, 'etc/requirements.toml'), 'allowed_sandbox_mods = ["read-only"]\n');
    expect(await load(place)).toMatchObject({
      kind: 'refused',
      outcome: { code: 'config-unknown-key', next: 'Did you mean allowed_sandbox_modes?' },
    });
  });

  it('an unknown model is reported, until it is described', async () => {
    const { place } = await scene();
    const overrides = ['model=local-1'];
    expect(await open(place, { config: overrides })).toMatchObject({ notices: [{ code: 'model-unknown' }] });
    const file = join(place.root, 'models.json');
    writeFileSync(file, JSON.stringify({ models: [{ slug: 'local', context_window: 8000 }] }));
    const described = [...overrides, `model_catalog_json=${JSON.stringify(file)}`];
    expect(await open(place, { config: described })).toMatchObject({ notices: [] });
    writeFileSync(file, '{"models": []}');
    expect(await open(place, { config: described })).toMatchObject({ outcome: { code: 'model-catalogue-empty' } });
  });

  it('exec hands its options on', async () => {
    const { place } = await scene('modle = "x"\n');
    writeFileSync(join(place.home, 'fast.config.toml'), 'model = "gpt-5.4"\n');
    const run = (...options: readonly string[]) => place.run('exec', '--json', ...options, 'hi');
    expect((await run('-p', 'fast', '--add-dir', '/')).stderr).toMatch(
      /modle is not a known key\. Did you mean model\?\n[^]*gpt-5\.4 [^]*stay read-only: \/\./,
    );
    expect(await run('--strict-config')).toMatchObject({ code: 1, stderr: expect.stringContaining('modle') });
    expect(await run('--ignore-user-config', '-c', 'model_provider=scripted')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no provider "scripted"'),
    });
  });

  it('.env in the home folder fills gaps of the environment', async () => {
    const { model, place } = await scene();
    writeFileSync(join(place.home, '.env'), 'FROM_FILE=filled\nSHOWN=no\nCAPSTAN_HOME=/nowhere\n');
    const env = { PATH: process.env['PATH'], CAPSTAN_HOME: place.home, SHOWN: 'kept' };
    const { output } = await outcomeOf(place, model, { env, config: ['sandbox_mode=danger-full-access'] });
    expect(output).toContain('[filled][kept]');
  });
});

describe('capstan config', () => {
  it('shows, explains and lists', async () => {
    const { place } = await scene();
    const show = await place.run('config', 'show', '--origin', '-c', 'model_verbosity=low');
    expect(show).toMatchObject({ code: 0, stderr: '' });
    expect(show.stdout).toContain(`model = "gpt-5.5"  # user, ${join(place.home, 'config.toml')}:1\n`);
    expect(show.stdout).toContain('model_verbosity = "low"  # flags, command line\n');
    expect((await place.run('config', 'explain', 'model')).stdout).toMatch(/^model = "gpt-5\.5"\n[^]*\nwins ->  user /);
    const path = await place.run('config', 'path');
    expect(path.stdout).toContain(`user          ${join(place.home, 'config.toml')}\n`);
    expect(path.stdout).toMatch(/^requirements {2}\/etc\/\w+\/requirements\.toml/m);
    expect((await place.run('config')).stdout).toContain('Usage:');
  });

  it('says with its exit code what went wrong', async () => {
    const { place } = await scene('sandbox_mode = "open"\n');
    expect(await place.run('config', 'show')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('model = "gpt-5.5"'),
      stderr: expect.stringContaining('config.toml:3: sandbox_mode must be one of'),
    });
    expect(await place.run('config', 'explain', 'modle')).toMatchObject({ code: 1, stdout: '' });
    expect(await place.run('config', 'sing')).toMatchObject({ code: 2, stdout: '' });
    expect(await place.run('config', 'show', '-p', '../x')).toMatchObject({ code: 1 });
  });
});
