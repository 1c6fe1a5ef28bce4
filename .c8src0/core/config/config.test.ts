import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { resolveConfig } from './config.ts';
import { combinedError, type ConfigLayer } from './layer-order.ts';

function user(values: JsonObject): ConfigLayer {
  return { name: 'user', source: '/home/config.toml', values };
}

function flags(values: JsonObject): ConfigLayer {
  return { name: 'flags', source: 'command line', values };
}

test('nothing configured gives the defaults', () => {
  expect(resolveConfig([])).toEqual({
    config: {
      modelProvider: 'openai',
      approvalPolicy: 'on-request',
      sandboxMode: 'read-only',
      sandboxWorkspaceWrite: {
        writableRoots: [],
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      },
      shellEnvironmentPolicy: { inherit: 'all', ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] },
      blobs: { maxBytes: 1024 ** 3 },
      compaction: { maxBytes: 8_388_608, timeoutMs: 600_000 },
      undo: { enabled: true, maxFileBytes: 10_485_760, maxTotalBytes: 1_073_741_824 },
      allowLoginShell: true,
      answer: { maxItems: 10_000, maxBytes: 64 * 1024 ** 2 },
      projectDocMaxBytes: 32_768,
      projectDocFallbackFilenames: [],
      projectRootMarkers: ['.git'],
      modelProviders: {},
      projects: {},
      trust: 'unknown',
      pinned: new Map(),
      origins: new Map(),
      addedRoots: [],
    },
    problems: [],
  });
});

test('flags win over the file, tables merge, lists are replaced, and the flags are remembered', () => {
  const { config, problems } = resolveConfig([
    user({
      model: 'from-file',
      model_reasoning_effort: 'low',
      sandbox_workspace_write: { writable_roots: ['/a', '/b'], network_access: true },
      shell_environment_policy: { set: { A: '1', B: '1' }, exclude: ['X'] },
      model_providers: { mine: { name: 'Mine', base_url: 'http://one' } },
    }),
    flags({
      model: 'from-flag',
      sandbox_workspace_write: { writable_roots: ['/c'] },
      shell_environment_policy: { set: { B: '2' } },
      model_providers: { mine: { base_url: 'http://two' } },
    }),
  ]);

  expect(problems).toEqual([]);
  expect(config).toMatchObject({
    model: 'from-flag',
    modelReasoningEffort: 'low',
    sandboxWorkspaceWrite: {
      writableRoots: ['/c'],
      networkAccess: true,
      excludeTmpdirEnvVar: false,
      excludeSlashTmp: false,
    },
    shellEnvironmentPolicy: { set: { A: '1', B: '2' }, exclude: ['X'] },
    modelProviders: { mine: { name: 'Mine', baseUrl: 'http://two' } },
    userFile: '/home/config.toml',
  });
  expect(config.pinned).toEqual(
    new Map([
      ['model', 'flags'],
      ['sandbox_workspace_write.writable_roots', 'flags'],
      ['shell_environment_policy.set', 'flags'],
      ['model_providers.mine.base_url', 'flags'],
    ]),
  );
});

test('names that the user made up keep their spelling', () => {
  const { config } = resolveConfig([
    user({
      shell_environment_policy: { set: { MY_VAR: 'x', my_other: 'y' } },
      model_providers: { my_server: { base_url: 'http://x', http_headers: { x_custom_header: '1' } } },
    }),
  ]);
  expect(config.shellEnvironmentPolicy.set).toEqual({ MY_VAR: 'x', my_other: 'y' });
  expect(config.modelProviders).toEqual({
    my_server: { baseUrl: 'http://x', httpHeaders: { x_custom_header: '1' } },
  });
});

test('on-failure is read as on-request', () => {
  const { config, problems } = resolveConfig([user({ approval_policy: 'on-failure' })]);
  expect(config.approvalPolicy).toBe('on-request');
  expect(problems).toEqual([]);
});

test.each<[string, JsonObject, string, string]>([
  ['a number for a name', { model: 5 }, 'model', 'must be a string that is not blank, not 5'],
  ['a blank name', { model: '  ' }, 'model', 'must be a string that is not blank, not "  "'],
  ['a choice that is none', { sandbox_mode: 'open' }, 'sandbox_mode', '"read-only", "workspace-write"'],
  ['granular approvals', { approval_policy: { granular: {} } }, 'approval_policy', 'lacks "sandbox_approval"'],
  ['a negative number', { project_doc_max_bytes: -1 }, 'project_doc_max_bytes', 'a whole number of at least 0, not -1'],
  ['a fraction', { tool_output_token_limit: 1.5 }, 'tool_output_token_limit', 'a whole number of at least 0, not 1.5'],
  [
    'a share over the whole',
    { window: { effective_percent: 101 } },
    'window.effective_percent',
    'a whole number from 1 to 100, not 101',
  ],
  ['a switch that is a text', { features: { memories: 'on' } }, 'features.memories', 'true or false, not "on"'],
  ['switches that are no table', { features: true }, 'features', 'a table of true or false, not true'],
  ['no window at all', { model_context_window: 0 }, 'model_context_window', 'a whole number of at least 1, not 0'],
  ['one string for a list', { project_root_markers: '.git' }, 'project_root_markers', 'a list of strings, not ".git"'],
  ['a list with a number', { project_root_markers: ['.git', 1] }, 'project_root_markers', 'not a list'],
  [
    'a number in a map',
    { shell_environment_policy: { set: { A: 1 } } },
    'shell_environment_policy.set',
    'a table of strings',
  ],
  ['a scalar for a table', { sandbox_workspace_write: true }, 'sandbox_workspace_write', 'a table, not true'],
  [
    'a text for a switch',
    { sandbox_workspace_write: { network_access: 'yes' } },
    'sandbox_workspace_write.network_access',
    'true or false, not "yes"',
  ],
  ['a provider that is no table', { model_providers: { x: 'y' } }, 'model_providers.x', 'a table, not a string.'],
])('%s is an error that names source, key and what is allowed', (_, values, key, message) => {
  const { config, problems } = resolveConfig([user(values)]);
  expect(problems).toEqual([
    {
      code: expect.stringMatching(/^config-(wrong-type|wrong-value)$/),
      severity: 'error',
      source: '/home/config.toml',
      key,
      message: expect.stringContaining(message),
      next: expect.any(String),
    },
  ]);
  // A table at fault may leave an empty one.
  expect({ ...config, features: undefined, window: undefined }).toEqual({
    ...resolveConfig([]).config,
    userFile: '/home/config.toml',
  });
});

test('a message shows no secret', () => {
  const provider = { experimental_bearer_token: 12_345, http_headers: 'Bearer hunter2' };
  const { problems } = resolveConfig([user({ model_providers: { x: provider } })]);
  expect(problems).toHaveLength(2);
  expect(JSON.stringify(problems)).not.toMatch(/12345|hunter2/);
});

test('a wrong value in one layer does not hide the right one below it, nor count as set', () => {
  const { config, problems } = resolveConfig([user({ model: 'good' }), flags({ model: true })]);
  expect(config.model).toBe('good');
  expect(config.pinned).toEqual(new Map());
  expect(problems).toMatchObject([{ source: 'command line', next: 'Write it in quotes: "true".' }]);
});

test.each<[JsonObject, string, string, 'warning' | 'error']>([
  [{ modle: 'x' }, 'modle', 'Did you mean model?', 'warning'],
  [{ web_serch: 'live' }, 'web_serch', 'Did you mean web_search?', 'warning'],
  [{ features: { memorys: true } }, 'features.memorys', 'Did you mean features.memories?', 'warning'],
  [{ model_providers: { x: { url: 'y' } } }, 'model_providers.x.url', 'It has no effect; remove it.', 'warning'],
  [{ projects: { '/a.b': { trust: 'y' } } }, 'projects."/a.b".trust', 'It has no effect; remove it.', 'warning'],
  [{ constructor: 'x' }, 'constructor', 'It has no effect; remove it.', 'warning'],
  // A misspelt restriction is none: these must not pass.
  [
    { sandbox_workspace_write: { network_acess: true } },
    'sandbox_workspace_write.network_acess',
    'Did you mean sandbox_workspace_write.network_access?',
    'error',
  ],
  [
    { shell_environment_policy: { exclud: ['X'] } },
    'shell_environment_policy.exclud',
    'Did you mean shell_environment_policy.exclude?',
    'error',
  ],
])('%j is reported with the nearest key', (values, key, next, severity) => {
  const { problems } = resolveConfig([user(values)]);
  expect(problems).toEqual([
    {
      code: 'config-unknown-key',
      severity,
      source: '/home/config.toml',
      key,
      message: `/home/config.toml: ${key} is not a known key.`,
      next,
    },
  ]);
});

test.each([
  ['a flag is refused', flags, 'error'],
  ['a file is reported', user, 'warning'],
] as const)('a feature without its table in %s, with the key that was meant', (_name, layer, severity) => {
  expect(resolveConfig([layer({ use_legacy_landlock: true })]).problems).toMatchObject([
    { code: 'config-unknown-key', severity, key: 'use_legacy_landlock', next: 'Write features.use_legacy_landlock.' },
  ]);
  expect(resolveConfig([layer({ features: { use_legacy_landlock: true } })]).problems).toEqual([]);
});

test('a problem names the line', () => {
  const text = '# mine\nmodel = "x"\n\n[sandbox_workspace_write]\nnetwork_acess = true\n';
  const layer = { ...user({ model: 'x', sandbox_workspace_write: { network_acess: true } }), text };
  expect(resolveConfig([layer]).problems).toMatchObject([
    { line: 5, message: '/home/config.toml:5: sandbox_workspace_write.network_acess is not a known key.' },
  ]);
});

test('strictly, an unknown key is an error; what other programs read is not, and desktop holds anything', () => {
  const values = {
    modle: 'x',
    desktop: { whatever: 1 },
    tui: { theme: 'x' },
    features: { memories: true, nope: true },
  };
  expect(
    resolveConfig([user(values)], { unknown: 'error' }).problems.map(({ key, severity }) => [key, severity]),
  ).toEqual([
    ['modle', 'error'],
    ['features.nope', 'error'],
  ]);
});

test('what is wrong is reported before what is not known', () => {
  const layers = [user({ modle: 'x' }), flags({ unheard: 1, sandbox_mode: 'open', model: 7 })];
  expect(resolveConfig(layers, { unknown: 'error' }).problems.map(({ code }) => code)).toEqual([
    'config-wrong-value',
    'config-wrong-type',
    'config-unknown-key',
    'config-unknown-key',
  ]);
});

test('keys that other programs read pass without a word', () => {
  const { problems } = resolveConfig([
    user({
      tui: { theme: 'dark', pet: 'none', keymap: { chat: {} } },
      memories: { max_unused_days: 3 },
      projects: { '/a': { trust_level: 'trusted' } },
      tools: { web_search: true },
      shell_environment_policy: { experimental_use_profile: true },
      model_providers: { x: { websocket_connect_timeout_ms: 1, auth: { command: 'key' } } },
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a wrong value of the terminal is a warning with its line, and what is right beside it counts', () => {
  const text = '[tui]\nanimations = "no"\nnotification_method = "mail"\nstatus_line = ["model"]\nthem = "dark"\n';
  const tui = { animations: 'no', notification_method: 'mail', status_line: ['model'], them: 'dark' };
  const { config, problems } = resolveConfig([{ ...user({ tui }), text }]);
  expect(config.tui).toEqual({ statusLine: ['model'] });
  expect(problems).toEqual([
    {
      code: 'config-wrong-type',
      severity: 'warning',
      source: '/home/config.toml',
      line: 2,
      key: 'tui.animations',
      message: '/home/config.toml:2: tui.animations must be true or false, not "no".',
      next: 'Write true or false or remove the key. Until then Capstan ignores it.',
    },
    expect.objectContaining({
      severity: 'warning',
      message: '/home/config.toml:3: tui.notification_method must be one of "auto", "osc9", "bel", not "mail".',
    }),
    expect.objectContaining({ severity: 'warning', next: 'Did you mean tui.theme?' }),
  ]);
  expect(resolveConfig([user({ tui: 5 })]).problems).toMatchObject([{ severity: 'warning', key: 'tui' }]);
  expect(resolveConfig([user({ tui })], { unknown: 'error' }).problems).toMatchObject([
    { severity: 'error' },
    { severity: 'error' },
    { severity: 'error' },
  ]);
  expect(resolveConfig([user({ tui, model: 7 })]).problems[0]).toMatchObject({ severity: 'error', key: 'model' });
});

function managed(values: JsonObject): ConfigLayer {
  return { name: 'managed', source: '/etc/managed_config.toml', values };
}

test('in the managed file nothing passes that has no effect', () => {
  const { problems } = resolveConfig([managed({ modle: 'x', permissions: { strict: { filesystm: {} } } })]);
  expect(problems.map(({ code, severity, key }) => ({ code, severity, key }))).toMatchObject([
    { code: 'config-unknown-key', severity: 'error', key: 'modle' },
    { code: 'config-unknown-key', severity: 'error', key: 'permissions.strict.filesystm' },
    { severity: 'warning' },
  ]);
});

test('the managed file beats the flags, and an overridden flag is reported', () => {
  const { config, problems } = resolveConfig([
    flags({ model: 'mine', model_verbosity: 'low', approval_policy: 'never' }),
    managed({ model: 'theirs', approval_policy: 'never' }),
  ]);
  expect(config).toMatchObject({ model: 'theirs', modelVerbosity: 'low' });
  expect(config.pinned).toEqual(
    new Map([
      ['model', 'managed'],
      ['model_verbosity', 'flags'],
      ['approval_policy', 'managed'],
    ]),
  );
  expect(problems).toEqual([
    {
      code: 'config-overridden-key',
      severity: 'warning',
      source: 'command line',
      key: 'model',
      message: 'command line: model has no effect: /etc/managed_config.toml overrides it.',
      next: 'Ask the administrator of this machine.',
    },
  ]);
});

test('a request for read-only holds, whatever the managed file says', () => {
  const layers = [flags({ sandbox_mode: 'read-only' }), managed({ sandbox_mode: 'workspace-write' })];
  expect(resolveConfig(layers)).toMatchObject({ config: { sandboxMode: 'read-only' }, problems: [] });
  expect(resolveConfig([flags({ sandbox_mode: 'danger-full-access' }), layers[1]!])).toMatchObject({
    config: { sandboxMode: 'workspace-write' },
    problems: [{ code: 'config-overridden-key' }],
  });
});

test.each([
  ['trusted', 'workspace-write', 'on-request'],
  ['untrusted', 'read-only', 'untrusted'],
  ['unknown', 'read-only', 'on-request'],
] as const)('a project of trust %s starts with %s and asks %s', (trust, sandboxMode, approvalPolicy) => {
  expect(resolveConfig([], { trust }).config).toMatchObject({ trust, sandboxMode, approvalPolicy });
  const chosen = { sandbox_mode: 'danger-full-access', approval_policy: 'never' };
  expect(resolveConfig([user(chosen)], { trust }).config).toMatchObject({
    sandboxMode: 'danger-full-access',
    approvalPolicy: 'never',
  });
});

describe('approval_policy', () => {
  const asked = { sandbox_approval: true, rules: false, mcp_elicitations: true };
  const whole = { ...asked, skill_approval: false, request_permissions: false };

  test.each([
    ['untrusted', 'untrusted'],
    ['on-failure', 'on-request'],
    [{ granular: asked }, { granular: whole }],
    [{ granular: { ...asked, request_permissions: true } }, { granular: { ...whole, request_permissions: true } }],
  ])('%j means %j', (given, expected) => {
    const { config, problems } = resolveConfig([user({ approval_policy: given })]);
    expect([config.approvalPolicy, problems]).toEqual([expected, []]);
  });

  test.each([
    ['sometimes', 'config-wrong-value', 'must be one of "untrusted", "on-request", "never" or { granular = {'],
    [{ granular: { sandbox_approval: true, rules: true } }, 'config-wrong-value', 'lacks "mcp_elicitations".'],
    [{ granular: { ...asked, rule: true } }, 'config-wrong-value', 'has no flag "rule".'],
    [
      { granular: { sandbox_approval: true, rule: false } },
      'config-wrong-value',
      'has no flag "rule", and lacks "rules", "mcp_elicitations".',
    ],
    [{ granular: { ...asked, rules: 'yes' } }, 'config-wrong-value', 'takes only true or false for "rules".'],
    [{ granular: true }, 'config-wrong-value', 'must be { granular = {'],
    [{}, 'config-wrong-value', 'must be { granular = {'],
    [true, 'config-wrong-type', 'must be one of "untrusted"'],
  ])('%j is refused', (given, code, what) => {
    const { problems } = resolveConfig([user({ approval_policy: given })]);
    expect(problems).toMatchObject([{ severity: 'error', code, key: 'approval_policy' }]);
    expect(problems[0]?.message).toContain(what);
    const { message = '', next = '' } = problems[0] ?? {};
    expect(message + next).toContain('{ granular = { sandbox_approval = true|false, rules = true|false');
  });

  test('a layer replaces the policy of the layers below as a whole', () => {
    const layers = [user({ approval_policy: { granular: asked } }), flags({ approval_policy: 'never' })];
    expect(resolveConfig(layers).config.approvalPolicy).toBe('never');
    expect(resolveConfig(layers.toReversed()).config.approvalPolicy).toEqual({ granular: whole });
  });
});

test('a layer that is disabled says nothing, right or wrong', () => {
  const layer: ConfigLayer = { name: 'project', source: '/p', values: { model: 5, modle: 1 }, disabled: 'untrusted' };
  expect(resolveConfig([layer], { unknown: 'error' })).toEqual(resolveConfig([]));
});

test('the old forms of profiles are explained', () => {
  expect(resolveConfig([user({ profile: 'work' })]).problems).toMatchObject([
    { code: 'config-retired-key', severity: 'error', next: expect.stringContaining('--profile NAME') },
  ]);
  const tables = user({ profiles: { work: { model: 'x' } } });
  expect(resolveConfig([tables], { profile: 'work' }).problems).toEqual([
    {
      code: 'config-retired-key',
      severity: 'error',
      source: '/home/config.toml',
      key: 'profiles.work',
      message: '/home/config.toml: profiles.work is an old profile table, which Capstan ignores.',
      next: 'Move its keys to work.config.toml in the home folder of Capstan and delete the table.',
    },
  ]);
  expect(resolveConfig([tables], { profile: 'other' }).problems).toEqual([]);
  expect(resolveConfig([tables], { profile: 'toString' }).problems).toEqual([]);
});

test('of several errors the gravest is the answer, and the rest are counted', () => {
  const { problems } = resolveConfig([user({ modle: 'x', model: 5, sandbox_mode: 'open' })], { unknown: 'error' });
  expect(combinedError(problems)).toMatchObject({
    key: 'model',
    next: expect.stringMatching(
      /^Write it in quotes: "5"\.\nThere are 2 more errors; `capstan config show` lists all\.$/,
    ),
  });
  expect(combinedError(resolveConfig([user({ modle: 'x' })]).problems)).toBeUndefined();
});

test('every key that is set has the layer that decided it, the highest last', () => {
  const { config } = resolveConfig([
    { name: 'system', source: '/etc/config.toml', values: { model: 'a', model_verbosity: 'low' } },
    user({ model: 'b', service_tier: 'flex', features: { memories: true } }),
    { name: 'profile', source: '/home/careful.config.toml', values: { personality: 'none' } },
    { name: 'project', source: '/repo/.codex/config.toml', values: { service_tier: 'priority' } },
    { name: 'project', source: '/.codex/config.toml', values: { compact_prompt: 'x' } },
    flags({ window: { effective_percent: 50 } }),
    { name: 'managed', source: '/etc/managed_config.toml', values: { approval_policy: 'never' } },
  ]);
  expect([...config.origins]).toEqual([
    ['model_verbosity', 'system'],
    ['model', 'user'],
    ['features.memories', 'user'],
    ['personality', 'profile careful'],
    ['service_tier', 'project (/repo)'],
    ['compact_prompt', 'project (/)'],
    ['window.effective_percent', 'flags'],
    ['approval_policy', 'managed'],
  ]);
});

test('a switch over a table of settings, or under one, becomes its state', () => {
  const table = { max_concurrent_threads_per_session: 2 };
  const both = (lower: JsonObject, upper: JsonObject) =>
    resolveConfig([user({ features: lower }), flags({ features: upper })]).config.features;
  expect(both({ multi_agent_v2: table }, { multi_agent_v2: true })).toEqual({
    multi_agent_v2: { ...table, enabled: true },
  });
  expect(both({ multi_agent_v2: true }, { multi_agent_v2: table })).toEqual({
    multi_agent_v2: { ...table, enabled: true },
  });
  expect(both({ memories: true, hooks: false }, { memories: false })).toEqual({ memories: false, hooks: false });
});

test('keys of agents and roles are checked like all others', () => {
  const agents = { max_token: 1, max_threads: 0, my_role: { modle: 'm', description: 'x' }, max_tokens: 9 };
  const { config, problems } = resolveConfig([user({ agents })]);
  expect(problems.map(({ severity, key, next }) => [severity, key, next])).toEqual([
    ['error', 'agents.max_threads', expect.stringContaining('at least 1')],
    ['warning', 'agents.max_token', 'Did you mean agents.max_tokens?'],
    ['warning', 'agents.my_role.modle', 'Did you mean agents.my_role.model?'],
  ]);
  expect(config.agents).toEqual({ my_role: { description: 'x' }, max_tokens: 9 });
});

test('of a server no value of a wrong type is repeated', () => {
  const x = { command: 'y', args: '--pat hunter2', cwd: ['hunter2'], bearer_token: 1234567 };
  const z = { base_url: 1234567, http_headers: 'hunter2' };
  const values = { mcp_servers: { x, y: '{env={T="hunter2"}' }, model_providers: { z } };
  const { problems } = resolveConfig([{ name: 'user', source: '/home/config.toml', values }]);
  expect(problems.map(({ message }) => message)).toEqual([
    '/home/config.toml: mcp_servers.x.args must be a list of strings, not a string.',
    '/home/config.toml: mcp_servers.x.cwd must be a path, not a list.',
    '/home/config.toml: mcp_servers.x.bearer_token must be a string that is not blank, not a number.',
    '/home/config.toml: mcp_servers.y must be a table, not a string.',
    '/home/config.toml: model_providers.z.base_url must be a string that is not blank, not a number.',
    '/home/config.toml: model_providers.z.http_headers must be a table of strings, not a string.',
  ]);
  expect(JSON.stringify(problems)).not.toMatch(/hunter2|1234567/);
});
