import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configInFolder } from './config-in-folder.ts';
import { type ConfigChoices, loadBaseLayers, withOnlyKeys, withOverrides, withProfile } from './config-layers.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'capstan-layers-'));
  write('repo/.git/HEAD', 'ref: refs/heads/main\n');
  mkdirSync(path('repo/sub'));
  mkdirSync(path('home'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function path(name: string): string {
  return join(root, name);
}

function write(name: string, text: string): void {
  mkdirSync(join(path(name), '..'), { recursive: true });
  writeFileSync(path(name), text);
}

function base(choices: Partial<ConfigChoices> = {}, home = 'home') {
  return loadBaseLayers(path(home), {
    osHome: path(''),
    cwd: path('repo'),
    config: [],
    systemFolders: [path('etc/capstan'), path('etc/codex')],
    ...choices,
  });
}

async function inFolder(folder: string, choices: Partial<ConfigChoices> = {}, home = 'home') {
  return configInFolder(await base(choices, home), path(folder));
}

function trust(folder = 'repo', level = 'trusted'): string {
  return `[projects."${path(folder)}"]\ntrust_level = "${level}"\n`;
}

describe('layers that hold everywhere', () => {
  test('system, user, profile, flags, managed: each over those before it', async () => {
    const values = (name: string, from: number) =>
      ['model', 'instructions', 'developer_instructions', 'model_reasoning_effort', 'openai_base_url']
        .slice(from)
        .map((key) => `${key} = "${name}"\n`)
        .join('');
    write('etc/capstan/config.toml', values('system', 0));
    write('home/config.toml', values('user', 1));
    write('home/work.config.toml', values('profile', 2));
    write('etc/capstan/managed_config.toml', values('managed', 4));
    const overrides = ['model_reasoning_effort=flags'];
    const { config, layers } = await base({ profile: 'work', config: overrides });
    expect(config).toMatchObject({
      model: 'system',
      instructions: 'user',
      developerInstructions: 'profile',
      modelReasoningEffort: 'flags',
      openaiBaseUrl: 'managed',
    });
    expect(layers.map(({ name, source }) => [name, source])).toEqual([
      ['system', path('etc/capstan/config.toml')],
      ['user', path('home/config.toml')],
      ['profile', path('home/work.config.toml')],
      ['flags', 'command line'],
      ['managed', path('etc/capstan/managed_config.toml')],
    ]);
  });

  test("of the machine's files our own counts, and the other program's where there is none", async () => {
    write('etc/codex/config.toml', 'model = "codex"\n');
    write('etc/codex/managed_config.toml', 'model_verbosity = "low"\n');
    expect((await base()).config).toMatchObject({ model: 'codex', modelVerbosity: 'low' });
    write('etc/capstan/config.toml', '# nothing\n');
    const { config } = await base();
    expect(config).not.toHaveProperty('model');
    expect(config).toMatchObject({ modelVerbosity: 'low' });
  });

  test('the file of the user can be left out, broken or not', async () => {
    write('home/config.toml', 'model = [');
    write('home/work.config.toml', 'model = "profile"\n');
    const { config, problems, layers } = await base({ ignoreUserConfig: true, profile: 'work' });
    expect([config.model, problems]).toEqual(['profile', []]);
    expect(layers[1]).toMatchObject({ name: 'user', disabled: 'a flag says so' });
  });

  test('unknown keys are errors when that was asked for, after what is wrong', async () => {
    write('home/config.toml', 'modle = "x"\n\nmodel = 5\n');
    expect((await base()).problems.map(({ line, severity }) => [line, severity])).toEqual([
      [3, 'error'],
      [1, 'warning'],
    ]);
    expect((await base({ strictConfig: true })).problems.map(({ line, severity }) => [line, severity])).toEqual([
      [3, 'error'],
      [1, 'error'],
    ]);
  });

  test('flags that are none, and folders that are added', async () => {
    const { problems, config } = await base({ config: ['model'], addDirectories: ['../lib', '/abs'] });
    expect(problems).toMatchObject([{ code: 'override-malformed' }]);
    expect(config.addedRoots).toEqual([path('lib'), '/abs']);
  });

  test('a folder in place of the managed file stops the start', async () => {
    mkdirSync(path('etc/capstan/managed_config.toml'), { recursive: true });
    write('etc/codex/managed_config.toml', 'model = "x"\n');
    expect(await base()).toMatchObject({ config: {}, problems: [{ code: 'config-unreadable', severity: 'error' }] });
  });

  test.skipIf(process.getuid?.() === 0)('a managed file that may not be read stops the start', async () => {
    write('etc/capstan/managed_config.toml', 'model = "x"\n');
    chmodSync(path('etc/capstan'), 0);
    const { problems } = await base();
    chmodSync(path('etc/capstan'), 0o700);
    expect(problems.map(({ code }) => code)).toEqual(Array.from({ length: 3 }, () => 'config-unreadable'));
  });
});

describe('a profile', () => {
  test.each(['../x', 'a/b', '', 'a b', '.', 'ä'])('cannot be called %j', async (profile) => {
    expect((await base({ profile })).problems).toMatchObject([
      { code: 'config-profile', severity: 'error', next: 'Use only letters, digits, "-" and "_".' },
    ]);
  });

  test('must exist, and the answer says where', async () => {
    write('home/fast.config.toml', '');
    write('home/slow.config.toml', '');
    expect((await base({ profile: 'work' })).problems).toEqual([
      {
        code: 'config-profile',
        severity: 'error',
        source: path('home/work.config.toml'),
        message: `There is no profile "work": ${path('home/work.config.toml')} does not exist.`,
        next: 'Create that file with the keys of the profile. Existing profiles: fast, slow.',
      },
    ]);
  });

  test('that is a table of the old form is reported, with where it belongs', async () => {
    write('home/config.toml', 'model = "x"\n\n[profiles.work]\nmodel = "y"\n');
    const { problems } = await base({ profile: 'work' });
    expect(problems.map(({ code, next }) => [code, next])).toEqual([
      [
        'config-profile',
        `Create that file and move the keys of [profiles.work] (${path('home/config.toml')}:3) into it.`,
      ],
      ['config-retired-key', expect.stringContaining('work.config.toml')],
    ]);
  });
});

describe('the files of a project', () => {
  test('count from its root down, ours over the other, and below the flags', async () => {
    write('home/config.toml', `model = "user"\nmodel_verbosity = "low"\n${trust()}`);
    write('repo/.codex/config.toml', 'model = "root"\ninstructions = "root"\nmodel_reasoning_effort = "low"\n');
    write('repo/.capstan/config.toml', 'instructions = "ours"\n[sandbox_workspace_write]\nwritable_roots = ["out"]\n');
    write('repo/sub/.codex/config.toml', 'model = "sub"\n');
    const overrides = ['model_reasoning_effort=high'];
    const { config, layers, problems } = await inFolder('repo/sub', { config: overrides });
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      trust: 'trusted',
      model: 'sub',
      instructions: 'ours',
      modelReasoningEffort: 'high',
      modelVerbosity: 'low',
      sandboxMode: 'workspace-write',
      sandboxWorkspaceWrite: { writableRoots: [path('repo/.capstan/out')] },
    });
    expect(layers.map(({ source }) => source.replace(root, ''))).toEqual([
      '/etc/capstan/config.toml',
      '/home/config.toml',
      '/repo/.codex/config.toml',
      '/repo/.capstan/config.toml',
      '/repo/sub/.codex/config.toml',
      'command line',
      '/etc/capstan/managed_config.toml',
    ]);
    expect((await inFolder('repo', { config: overrides })).config.model).toBe('root');
  });

  test('below the root say nothing about permissions, unless the folder is trusted by its own name', async () => {
    write('home/config.toml', `sandbox_mode = "read-only"\n${trust()}`);
    const wider = 'sandbox_mode = "danger-full-access"\n[shell_environment_policy]\nignore_default_excludes = true\n';
    write('repo/sub/.capstan/config.toml', wider);
    const { config, problems } = await inFolder('repo/sub');
    expect(config.sandboxMode).toBe('read-only');
    expect(config.shellEnvironmentPolicy.ignoreDefaultExcludes).toBe(false);
    expect(problems.map(({ code, key }) => [code, key])).toEqual([
      ['config-forbidden-key', 'sandbox_mode'],
      ['config-forbidden-key', 'shell_environment_policy'],
    ]);
    write(
      'home/config.toml',
      `sandbox_mode = "read-only"\n${trust()}[projects."${path('repo/sub')}"]\ntrust_level = "trusted"\n`,
    );
    expect((await inFolder('repo/sub')).config.sandboxMode).toBe('danger-full-access');
  });

  test('whatever the layers of one thread say, the sandbox that all threads share decides', async () => {
    write('repo/.codex/config.toml', 'sandbox_mode = "danger-full-access"\n');
    write('home/config.toml', `sandbox_mode = "read-only"\nsandbox_fallback = "landlock"\n${trust()}`);
    write('home/loose.config.toml', 'sandbox_fallback = "none"\n');
    const shared = await base();
    const profiled = await withProfile(shared, 'loose');
    const given = await withOverrides(shared, { config: { sandbox_fallback: 'none' }, cwd: path('repo') });
    const layers = [withOnlyKeys(shared, ['sandbox_mode', 'projects']), profiled.base, given.base];
    for (const each of layers) expect((await configInFolder(each, path('repo'))).config.sandboxMode).toBe('read-only');
    const reported = [profiled, given].map(({ added }) => added.map(({ code, severity }) => [code, severity]));
    expect(reported).toEqual([[['config-engine-key', 'warning']], [['config-engine-key', 'error']]]);
  });

  test.each(['sandbox_fallback = "landlock"', 'features.use_legacy_landlock = true'])(
    'say nothing about permissions where commands may run under Landlock (%s), nor agree to it',
    async (agreement) => {
      write('repo/.codex/config.toml', 'model = "root"\nsandbox_mode = "danger-full-access"\n');
      write('home/config.toml', `sandbox_mode = "read-only"\n${trust()}`);
      expect((await inFolder('repo')).config.sandboxMode).toBe('danger-full-access');
      write('home/config.toml', `sandbox_mode = "read-only"\n${agreement}\n${trust()}`);
      const { config, problems } = await inFolder('repo');
      expect(config).toMatchObject({ model: 'root', sandboxMode: 'read-only' });
      expect(problems.map(({ code, key }) => [code, key])).toEqual([['config-forbidden-key', 'sandbox_mode']]);
      expect(problems[0]!.message).toContain('if commands may run under Landlock');
      write('home/config.toml', trust());
      write('repo/.codex/config.toml', `${agreement}\n`);
      const asked = await inFolder('repo');
      expect(asked.config.sandboxFallback).toBeUndefined();
      expect(asked.problems.map(({ code }) => code)).toEqual(['config-forbidden-key']);
    },
  );

  test.each([
    ['unknown', '', 'you have not trusted the project'],
    ['untrusted', 'untrusted', 'the project is untrusted'],
  ])('do not count when the trust is %s, and one line says so', async (expected, level, reason) => {
    write('home/config.toml', `model = "user"\n${level === '' ? '' : trust('repo', level)}`);
    write('repo/.codex/config.toml', 'model = [ broken');
    write('repo/sub/.capstan/config.toml', 'sandbox_mode = "danger-full-access"\n');
    const { config, layers, problems } = await inFolder('repo/sub');
    expect(config).toMatchObject({ trust: expected, model: 'user', sandboxMode: 'read-only' });
    expect(layers.filter(({ name }) => name === 'project')).toEqual([
      { name: 'project', source: path('repo/.codex/config.toml'), values: {}, disabled: reason },
      { name: 'project', source: path('repo/sub/.capstan/config.toml'), values: {}, disabled: reason },
    ]);
    const where = level === '' ? path('home/config.toml') : `${path('home/config.toml')}:3`;
    expect(problems).toEqual([
      {
        code: 'config-untrusted-project',
        severity: 'warning',
        source: path('repo/.codex/config.toml'),
        message: `${path('repo/.codex/config.toml')} and 1 more are ignored: ${reason}.`,
        next: `To use it, set trust_level = "trusted" under [projects."${path('repo')}"] in ${where}.`,
      },
    ]);
  });

  test('are broken for those who trust them', async () => {
    write('home/config.toml', trust());
    write('repo/.codex/config.toml', 'model = [ broken');
    expect((await inFolder('repo')).problems).toMatchObject([{ code: 'config-syntax', severity: 'error' }]);
  });

  test('are trusted one by one', async () => {
    write('home/config.toml', `${trust('repo/sub')}${trust('repo', 'untrusted')}`);
    write('repo/.codex/config.toml', 'model = "root"\n');
    write('repo/sub/.codex/config.toml', 'instructions = "sub"\n');
    const { config, problems } = await inFolder('repo/sub');
    expect([config.trust, config.instructions, config.model]).toEqual(['trusted', 'sub', undefined]);
    expect(problems).toMatchObject([
      { code: 'config-untrusted-project', next: expect.stringContaining(`[projects."${path('repo')}"]`) },
    ]);
  });

  test('cannot trust themselves, nor move their own root', async () => {
    write('home/config.toml', trust('repo/sub'));
    write('repo/sub/.codex/config.toml', `project_root_markers = ["x"]\n${trust('repo')}`);
    write('repo/.codex/config.toml', 'model = "root"\n');
    const { config, problems } = await inFolder('repo/sub');
    expect(config).not.toHaveProperty('model');
    expect(config.projectRootMarkers).toEqual(['.git']);
    expect(problems.map(({ code, key }) => [code, key])).toEqual([
      ['config-forbidden-key', 'projects'],
      ['config-forbidden-key', 'project_root_markers'],
      ['config-untrusted-project', undefined],
    ]);
  });

  test('are reported only where they are at fault; the rest was reported before', async () => {
    write('home/config.toml', `modle = "x"\n${trust()}`);
    write('repo/.codex/config.toml', 'sandbox_mod = "x"\nnotify = ["x"]\n');
    const { problems } = await inFolder('repo', { strictConfig: true });
    expect(problems.map(({ message, severity }) => [severity, message.replace(root, '')])).toEqual([
      ['error', '/repo/.codex/config.toml:1: sandbox_mod is not a known key.'],
      ['warning', '/repo/.codex/config.toml:2: notify cannot be set by a project.'],
    ]);
  });

  test('are never those of the user', async () => {
    write('.codex/config.toml', 'model = "of the other program"\n');
    write('.capstan/config.toml', trust(''));
    const { layers, problems } = await inFolder('', {}, '.capstan');
    expect(layers.filter(({ name }) => name === 'project')).toEqual([]);
    expect(problems).toEqual([]);
    write('repo/.capstan/config.toml', `${trust()}model = "x"\n`);
    const inside = await inFolder('repo', {}, 'repo/.capstan');
    expect(inside.layers.filter(({ name }) => name === 'project')).toEqual([]);
  });

  test('without any, and without a decision, the value is the one that holds everywhere', async () => {
    const everywhere = await base();
    expect(await configInFolder(everywhere, path('repo'))).toEqual({
      config: everywhere.config,
      layers: everywhere.layers,
      problems: [],
    });
  });

  test('are found by other markers, or in the folder alone', async () => {
    write('home/config.toml', `project_root_markers = ["top"]\n${trust('')}${trust('loose')}`);
    write('top', '');
    write('.codex/config.toml', 'model = "x"\n');
    write('deep/.codex/config.toml', 'model = "top"\n');
    const elsewhere = { osHome: path('users') };
    expect((await inFolder('deep', elsewhere)).config.model).toBe('top');
    write('home/config.toml', `project_root_markers = []\n${trust('deep')}`);
    expect((await inFolder('deep', elsewhere)).layers.filter(({ name }) => name === 'project')).toHaveLength(1);
  });
});
