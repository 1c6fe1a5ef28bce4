import { describe, expect, test } from 'vitest';
import { resolveConfig, type ResolveConfigOptions } from '../../../core/config/config.ts';
import type { Settings } from '../../../core/envelope/settings.ts';
import { builtInProfile } from '../../../core/policy/profiles/profiles.ts';
import { defaultShellEnvironmentPolicy } from '../../../core/policy/environment/shell-environment-policy.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { PermissionProfile } from '../../../protocol/permissions.ts';
import { bundledCatalogue } from '../bundled-models.ts';
import { type SettingsChoices, chooseSettings } from './settings.ts';

const none = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };

interface Layers {
  file?: JsonObject;
  flags?: JsonObject;
  managed?: JsonObject;
  options?: ResolveConfigOptions;
}

function settings(layers: Layers, choices: Partial<SettingsChoices> = {}) {
  const { config, problems } = resolveConfig(
    [
      { name: 'user', source: '/home/config.toml', values: layers.file ?? {} },
      { name: 'flags', source: 'command line', values: layers.flags ?? {} },
      { name: 'managed', source: '/etc/managed_config.toml', values: layers.managed ?? {} },
    ],
    layers.options,
  );
  expect(problems).toEqual([]);
  return chooseSettings(config, { cwd: '/repo', catalogue: bundledCatalogue(), ...choices });
}

const withheld = [
  'ANTHROPIC_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'CODEX_ACCESS_TOKEN',
  'CODEX_API_KEY',
  'GEMINI_API_KEY',
  'OPENAI_API_KEY',
  'OPENAI_ORGANIZATION',
  'OPENAI_PROJECT',
  'OPENROUTER_API_KEY',
];

test('nothing must be configured', () => {
  expect(settings({})).toEqual({
    settings: {
      model: 'gpt-6.1-sol',
      provider: 'openai',
      cwd: '/repo',
      approvals: 'on-request',
      sandbox: builtInProfile('read-only', none),
      shellEnvironment: { ...defaultShellEnvironmentPolicy, withheld },
      window: {},
      origins: {},
    },
    notices: [],
  });
});

test.each([
  ['openai', 'gpt-6.1-sol'],
  ['mine', 'gpt-6.1-sol'],
  ['ollama', 'gpt-oss:20b'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['lmstudio', 'openai/gpt-oss-20b'],
])('the model of %s is %s when none is named', (provider, model) => {
  const expected = { settings: { provider, model, origins: { provider: 'user' } } };
  expect(settings({ file: { model_provider: provider } })).toMatchObject(expected);
  expect(settings({ file: { model_provider: provider, model: 'm' } })).toMatchObject({
    settings: { provider, model: 'm', origins: { model: 'user' } },
  });
});

test('the default is the first model of the catalogue, and one that goes with the provider of the thread', () => {
  const [first] = bundledCatalogue().models;
  const catalogue = { models: [{ ...first, slug: 'own' }, first] } as const;
  expect(settings({}, { catalogue })).toMatchObject({ settings: { model: 'own' } });
  expect(settings({}, { catalogue, resumed: { provider: 'ollama' } })).toMatchObject({
    settings: { model: 'gpt-oss:20b', origins: { provider: 'thread' } },
  });
  expect(settings({}, { catalogue, resumed: { model: 'had' } })).toMatchObject({
    settings: { model: 'had', origins: { model: 'thread' } },
  });
});

test('everything that is configured arrives', () => {
  expect(
    settings(
      {
        file: {
          model: 'm',
          model_provider: 'p',
          model_reasoning_effort: 'high',
          model_reasoning_summary: 'detailed',
          model_verbosity: 'low',
          service_tier: 'flex',
          model_context_window: 1000,
          model_auto_compact_token_limit: 700,
          model_auto_compact_token_limit_scope: 'body_after_prefix',
          tool_output_token_limit: 50,
          window: {
            effective_percent: 80,
            auto_compact_percent: 85,
            reserve_percent: 15,
            skills_percent: 3,
            memory_percent: 60,
            baseline_tokens: 100,
          },
          approval_policy: 'never',
          sandbox_mode: 'workspace-write',
          sandbox_workspace_write: { writable_roots: ['/more'], network_access: true, exclude_slash_tmp: true },
          shell_environment_policy: { inherit: 'core' },
          instructions: 'from the key',
          model_instructions_file: '/file',
          developer_instructions: 'Ask first.',
          compaction: { strategy: 'plain' },
          compact_prompt: 'Shorten.',
          experimental_compact_prompt_file: '/file',
          personality: 'friendly',
          include_permissions_instructions: false,
          include_collaboration_mode_instructions: false,
          include_environment_context: false,
          include_apps_instructions: false,
          experimental_realtime_start_instructions: 'Speak.',
          project_doc_max_bytes: 5,
          project_doc_fallback_filenames: ['NOTES.md'],
          project_root_markers: ['top'],
          features: {
            memories: true,
            hooks: false,
            multi_agent_v2: { enabled: true },
            tool_registry: {},
            collab: true,
          },
        },
      },
      { baseInstructions: 'from the file', compactPrompt: 'from the file' },
    ),
  ).toEqual({
    settings: {
      model: 'm',
      provider: 'p',
      effort: 'high',
      summary: 'detailed',
      verbosity: 'low',
      serviceTier: 'flex',
      window: {
        contextWindow: 1000,
        autoCompactTokens: 700,
        autoCompactScope: 'body',
        toolOutputTokens: 50,
        effectivePercent: 80,
        autoCompactPercent: 85,
        reservePercent: 15,
        skillsPercent: 3,
        memoryPercent: 60,
        baselineTokens: 100,
      },
      cwd: '/repo',
      approvals: 'never',
      sandbox: builtInProfile('workspace-write', {
        network: true,
        writableRoots: ['/more'],
        excludeTmpdir: false,
        excludeSlashTmp: true,
      }),
      shellEnvironment: { ...defaultShellEnvironmentPolicy, inherit: 'core', withheld },
      baseInstructions: 'from the file',
      developerInstructions: 'Ask first.',
      compactPrompt: 'Shorten.',
      compaction: 'plain',
      personality: 'friendly',
      leaveOut: ['permissions', 'collaboration-mode', 'environment', 'apps'],
      realtime: { active: false, startInstructions: 'Speak.' },
      instructionRules: { maxBytes: 5, fallbackFilenames: ['NOTES.md'], rootMarkers: ['top'] },
      features: { memories: true, hooks: false, multi_agent_v2: true, multi_agent: true },
      origins: Object.fromEntries(
        [
          'model provider effort summary verbosity serviceTier approvals sandbox shellEnvironment',
          'baseInstructions developerInstructions compactPrompt compaction personality leaveOut features',
          'realtime.startInstructions instructionRules.maxBytes instructionRules.fallbackFilenames instructionRules.rootMarkers',
          'window.contextWindow window.autoCompactTokens window.autoCompactScope window.toolOutputTokens window.effectivePercent',
          'window.autoCompactPercent window.reservePercent window.skillsPercent window.memoryPercent window.baselineTokens',
        ].flatMap((names) => names.split(' ').map((name) => [name, 'user'])),
      ),
    },
    notices: [],
  });
});

test('an effective window in tokens', () => {
  expect(settings({ file: { model: 'm', window: { effective_tokens: 900 } } })).toMatchObject({
    settings: { window: { effectiveTokens: 900 }, origins: { 'window.effectiveTokens': 'user' } },
  });
});

test('the strategy "auto" is no choice, and the scope "total" is one', () => {
  const plain = settings({ file: { model: 'm' } });
  expect(settings({ file: { model: 'm', compaction: { strategy: 'auto' } } })).toEqual(plain);
  expect(settings({ file: { model: 'm', model_auto_compact_token_limit_scope: 'total' } })).toMatchObject({
    settings: { window: { autoCompactScope: 'total' }, origins: { 'window.autoCompactScope': 'user' } },
  });
});

test('blank texts count as none, and true leaves nothing out', () => {
  const blank = {
    model: 'm',
    developer_instructions: ' ',
    compact_prompt: '\n',
    experimental_realtime_start_instructions: '',
    include_environment_context: true,
    features: {},
  };
  const plain = settings({ file: { model: 'm' } });
  expect(settings({ file: blank })).toEqual(plain);
  expect(settings({ file: blank }, { compactPrompt: 'from the file' })).toEqual({
    ...plain,
    settings: { ...('settings' in plain ? plain.settings : {}), compactPrompt: 'from the file' },
  });
});

test('the origin of a setting is the highest layer that had a part in it', () => {
  const made = settings(
    {
      file: { model: 'm', shell_environment_policy: { inherit: 'core' }, sandbox_mode: 'workspace-write' },
      flags: { shell_environment_policy: { set: { A: '1' } }, model_verbosity: 'low' },
      managed: { model_provider: 'p' },
      options: { addedRoots: ['/b'] },
    },
    { resumed: { model: 'old', cwd: '/repo', verbosity: 'high' }, approval: 'never' },
  );
  expect(made).toMatchObject({
    settings: {
      origins: {
        model: 'thread',
        cwd: 'thread',
        verbosity: 'flags',
        provider: 'managed',
        shellEnvironment: 'flags',
        sandbox: 'flags',
        approvals: 'surface',
      },
    },
  });
  expect(settings({ file: { model: 'm' } }, { resumed: { cwd: '/other', sandbox: workspace } })).toMatchObject({
    settings: { origins: { model: 'user', cwd: 'flags', sandbox: 'thread' } },
  });
});

test('the instructions key serves where there is no file, and a blank one counts as none', () => {
  expect(settings({ file: { model: 'm', instructions: 'be kind' } })).toMatchObject({
    settings: { baseInstructions: 'be kind' },
  });
  expect(settings({ file: { model: 'm', instructions: ' \n' } })).not.toHaveProperty('settings.baseInstructions');
});

test('network access of workspace-write opens nothing in read-only', () => {
  expect(settings({ file: { model: 'm', sandbox_workspace_write: { network_access: true } } })).toMatchObject({
    settings: { sandbox: { type: 'managed', network: 'restricted' } },
  });
});

const resumed: Partial<Settings> = {
  model: 'old',
  provider: 'old-provider',
  effort: 'low',
  approvals: 'never',
  sandbox: builtInProfile('workspace-write', none),
};

test('what the thread had beats the file', () => {
  const file = {
    model: 'new',
    model_provider: 'new',
    model_reasoning_effort: 'high',
    sandbox_mode: 'danger-full-access',
  };
  expect(settings({ file }, { resumed })).toMatchObject({ settings: resumed });
});

test('a flag beats what the thread had, key by key', () => {
  const flags = { model: 'flagged', sandbox_mode: 'read-only', shell_environment_policy: { set: { A: '1' } } };
  const shellEnvironment = { ...defaultShellEnvironmentPolicy, inherit: 'none' as const };
  expect(settings({ flags }, { resumed: { ...resumed, shellEnvironment } })).toMatchObject({
    settings: {
      ...resumed,
      model: 'flagged',
      sandbox: builtInProfile('read-only', none),
      shellEnvironment: { ...defaultShellEnvironmentPolicy, set: { A: '1' } },
    },
  });
});

test('a model of the thread is enough', () => {
  expect(settings({}, { resumed: { model: 'old' } })).toMatchObject({ settings: { model: 'old', provider: 'openai' } });
});

test('a flag for workspace-write changes one option of a thread that has it', () => {
  const file = { sandbox_workspace_write: { writable_roots: ['/from-file'], exclude_slash_tmp: true } };
  const flags = { sandbox_workspace_write: { network_access: true } };
  const had = { ...none, writableRoots: ['/from-thread'], excludeTmpdir: true };
  expect(
    settings({ file, flags }, { resumed: { ...resumed, sandbox: builtInProfile('workspace-write', had) } }),
  ).toMatchObject({ settings: { sandbox: builtInProfile('workspace-write', { ...had, network: true }) } });
});

const workspace = builtInProfile('workspace-write', none);
const withRulesOfItsOwn = {
  ...workspace,
  file_system: { type: 'restricted', entries: [{ path: { type: 'path', path: '/secret' }, access: 'deny' }] },
} as PermissionProfile;

test.each<[string, PermissionProfile]>([
  ['read-only', builtInProfile('read-only', none)],
  ['full access', { type: 'disabled' }],
  ['a sandbox around us', { type: 'external', network: 'restricted' }],
  ['rules of its own', withRulesOfItsOwn],
])('and leaves one with %s as it is', (_, profile) => {
  const flags = { sandbox_workspace_write: { network_access: true, writable_roots: ['/more'] } };
  expect(settings({ flags }, { resumed: { ...resumed, sandbox: profile } })).toMatchObject({
    settings: { sandbox: profile },
  });
});

describe('the managed file', () => {
  test('beats what the thread had', () => {
    const managed = { model: 'ours', sandbox_mode: 'read-only', approval_policy: 'on-request' };
    expect(settings({ managed }, { resumed })).toMatchObject({
      settings: { model: 'ours', sandbox: builtInProfile('read-only', none), approvals: 'on-request' },
    });
  });

  test('gives a thread that only reads nothing more', () => {
    const managed = { model: 'm', sandbox_mode: 'workspace-write' };
    const profile = builtInProfile('read-only', none);
    expect(settings({ managed }, { resumed: { sandbox: profile } })).toMatchObject({ settings: { sandbox: profile } });
    expect(settings({ managed }, { resumed: { sandbox: { type: 'disabled' } } })).toMatchObject({
      settings: { sandbox: builtInProfile('workspace-write', none) },
    });
  });
});

describe('the default of the sandbox', () => {
  test.each([
    ['trusted', 'workspace-write'],
    ['untrusted', 'read-only'],
    ['unknown', 'read-only'],
  ] as const)('in a project of trust %s is %s', (trust, mode) => {
    expect(settings({ file: { model: 'm' }, options: { trust } })).toMatchObject({
      settings: { sandbox: builtInProfile(mode, none) },
    });
  });
});

describe('added folders', () => {
  const file = { model: 'm', sandbox_mode: 'workspace-write', sandbox_workspace_write: { writable_roots: ['/a'] } };
  const options = { addedRoots: ['/b', '/a'] };

  test('are writable besides the configured ones, in a resumed thread too', () => {
    expect(settings({ file, options })).toMatchObject({
      settings: { sandbox: builtInProfile('workspace-write', { ...none, writableRoots: ['/a', '/b'] }) },
      notices: [],
    });
    const had = builtInProfile('workspace-write', { ...none, writableRoots: ['/c'], network: true });
    expect(settings({ file, options }, { resumed: { sandbox: had } })).toMatchObject({
      settings: {
        sandbox: builtInProfile('workspace-write', { ...none, writableRoots: ['/c', '/b', '/a'], network: true }),
      },
      notices: [],
    });
  });

  test.each<[string, Layers, PermissionProfile | undefined, string]>([
    ['commands only read', { file: { model: 'm' } }, undefined, 'Start with -s workspace-write to write there.'],
    ['the thread has rules of its own', { file }, withRulesOfItsOwn, 'Start with -s workspace-write to write there.'],
    [
      'the managed file lists them',
      { file, managed: { sandbox_workspace_write: { writable_roots: ['/z'] } } },
      undefined,
      'Ask the administrator of this machine.',
    ],
  ])('are reported to have no effect when %s', (_, layers, profile, next) => {
    const resumed = profile === undefined ? {} : { sandbox: profile };
    const without = settings(layers, { resumed });
    expect(settings({ ...layers, options }, { resumed })).toEqual({
      ...without,
      notices: [
        {
          code: 'added-folders-unused',
          message: 'The added folders stay read-only: /b, /a.',
          next,
        },
      ],
    });
  });

  test('need nothing where there is no sandbox', () => {
    const flags = { sandbox_mode: 'danger-full-access' };
    expect(settings({ file, flags, options })).toMatchObject({
      settings: { sandbox: { type: 'disabled' } },
      notices: [],
    });
  });
});
