import { expect, test } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import { type ConfigLayer, readConfig } from './config.ts';

function user(values: JsonObject): ConfigLayer {
  return { name: 'user', source: '/home/config.toml', values };
}

function flags(values: JsonObject): ConfigLayer {
  return { name: 'flags', source: 'command line', values };
}

test('nothing configured gives the defaults', () => {
  expect(readConfig([])).toEqual({
    config: {
      modelProvider: 'openai',
      approvalPolicy: 'on-request',
      sandboxWorkspaceWrite: {
        writableRoots: [],
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      },
      shellEnvironmentPolicy: { inherit: 'all', ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] },
      projectDocMaxBytes: 32_768,
      projectDocFallbackFilenames: [],
      projectRootMarkers: ['.git'],
      modelProviders: {},
      setByFlags: new Set(),
    },
    problems: [],
  });
});

test('flags win over the file, tables merge, lists are replaced, and the flags are remembered', () => {
  const { config, problems } = readConfig([
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
  expect(config.setByFlags).toEqual(
    new Set([
      'model',
      'sandbox_workspace_write.writable_roots',
      'shell_environment_policy.set',
      'model_providers.mine.base_url',
    ]),
  );
});

test('names that the user made up keep their spelling', () => {
  const { config } = readConfig([
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
  const { config, problems } = readConfig([user({ approval_policy: 'on-failure' })]);
  expect(config.approvalPolicy).toBe('on-request');
  expect(problems).toEqual([]);
});

test.each<[string, JsonObject, string, string]>([
  ['a number for a name', { model: 5 }, 'model', 'must be a string that is not blank, not 5'],
  ['a blank name', { model: '  ' }, 'model', 'must be a string that is not blank, not "  "'],
  ['a choice that is none', { sandbox_mode: 'open' }, 'sandbox_mode', '"read-only", "workspace-write"'],
  ['granular approvals', { approval_policy: { granular: {} } }, 'approval_policy', 'not a table'],
  ['a negative number', { project_doc_max_bytes: -1 }, 'project_doc_max_bytes', 'a whole number from 0, not -1'],
  ['a fraction', { tool_output_token_limit: 1.5 }, 'tool_output_token_limit', 'a whole number from 0, not 1.5'],
  ['no window at all', { model_context_window: 0 }, 'model_context_window', 'a whole number from 1, not 0'],
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
  ['a provider that is no table', { model_providers: { x: 'y' } }, 'model_providers.x', 'a table, not "y"'],
  ['a built-in provider', { model_providers: { openai: { name: 'x' } } }, 'model_providers.openai', 'is built in'],
])('%s is an error that names source, key and what is allowed', (_, values, key, message) => {
  const { config, problems } = readConfig([user(values)]);
  expect(problems).toEqual([
    {
      code: expect.stringMatching(/^config-(wrong-type|wrong-value|reserved-name)$/),
      severity: 'error',
      source: '/home/config.toml',
      key,
      message: expect.stringContaining(message),
      next: expect.any(String),
    },
  ]);
  expect(config).toEqual({ ...readConfig([]).config, userFile: '/home/config.toml' });
});

test('a wrong value in one layer does not hide the right one below it, nor count as set', () => {
  const { config, problems } = readConfig([user({ model: 'good' }), flags({ model: true })]);
  expect(config.model).toBe('good');
  expect(config.setByFlags).toEqual(new Set());
  expect(problems).toMatchObject([{ source: 'command line', next: 'Write it in quotes: "true".' }]);
});

test.each<[JsonObject, string, string]>([
  [{ modle: 'x' }, 'modle', 'Did you mean model?'],
  [
    { sandbox_workspace_write: { network_acess: true } },
    'sandbox_workspace_write.network_acess',
    'Did you mean sandbox_workspace_write.network_access?',
  ],
  [{ web_serch: 'live' }, 'web_serch', 'Did you mean web_search?'],
  [{ model_providers: { x: { url: 'y' } } }, 'model_providers.x.url', 'Remove it.'],
  [{ constructor: 'x' }, 'constructor', 'Remove it.'],
])('%j is warned about with the nearest key', (values, key, next) => {
  const { problems } = readConfig([user(values)]);
  expect(problems).toEqual([
    {
      code: 'config-unknown-key',
      severity: 'warning',
      source: '/home/config.toml',
      key,
      message: `/home/config.toml: ${key} is not a known key and has no effect`,
      next: expect.stringContaining(next),
    },
  ]);
});

test('keys that other programs read pass without a word', () => {
  const { problems } = readConfig([
    user({
      tui: { anything: true },
      mcp_servers: { x: { command: 'y' } },
      projects: { '/a': { trust_level: 'trusted' } },
      tools: { web_search: true },
      shell_environment_policy: { experimental_use_profile: true },
      model_providers: { x: { websocket_connect_timeout_ms: 1, auth: { command: 'key' } } },
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a restriction that is not enforced is never left out in silence', () => {
  const { problems } = readConfig([
    user({
      default_permissions: ':read-only',
      permissions: { strict: {} },
      shell_environment_policy: { filters: { 'AWS_*': 'exclude' } },
    }),
  ]);
  expect(problems.map(({ code, severity, key }) => ({ code, severity, key }))).toEqual([
    { code: 'config-unsupported-key', severity: 'warning', key: 'default_permissions' },
    { code: 'config-unsupported-key', severity: 'warning', key: 'permissions' },
    { code: 'config-unsupported-key', severity: 'warning', key: 'shell_environment_policy.filters' },
  ]);
});
