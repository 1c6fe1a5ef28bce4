import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveConfig } from '../../../core/config/config.ts';
import type { ConfigLayer } from '../../../core/config/layer-order.ts';
import type { Settings } from '../../../core/envelope/settings.ts';
import { withDeniedReads } from '../../../core/policy/requirements.ts';
import { builtInProfile } from '../../../core/policy/profiles/profiles.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { bundledCatalogue } from '../bundled-models.ts';
import { loadRequirements } from './config-layers.ts';
import { type SettingsChoices, chooseSettings } from '../settings/settings.ts';

const none = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
const place = { cwd: '/repo', catalogue: bundledCatalogue() };
const ask = 'Ask the administrator of this machine.';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-requirements-'));
  path = join(folder, 'requirements.toml');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function managedLayer(values: JsonObject): ConfigLayer {
  return { name: 'managed', source: '/etc/managed_config.toml', values };
}

async function load(text: string, managed?: JsonObject) {
  writeFileSync(path, text);
  return loadRequirements({ path, osHome: '/users/me', ...(managed ? { managed: managedLayer(managed) } : {}) });
}

test('no file, no requirements', async () => {
  expect(await loadRequirements({ path, osHome: '/' })).toEqual({ requirements: {}, problems: [] });
  expect(await loadRequirements({ osHome: '/' })).toEqual({ requirements: {}, problems: [] });
});

test('everything that is enforced', async () => {
  const text = `allowed_approval_policies = ["on-failure", "never", "on-request"]
allowed_sandbox_modes = ["workspace-write", "read-only"]
additional_developer_instructions = "Stay inside."
allow_login_shell = false

[features]
memories = false
collab = true

[permissions.filesystem]
deny_read = ["~/.ssh", "/etc/shadow", "**/*.pem", "beside"]

[models.new_thread]
model = "gpt-5.4"
model_reasoning_effort = "low"
service_tier = "flex"
`;
  expect(await load(text)).toEqual({
    requirements: {
      approvals: { allowed: ['on-request', 'never'], source: `${path}:1`, key: 'allowed_approval_policies' },
      sandboxModes: { allowed: ['workspace-write', 'read-only'], source: `${path}:2`, key: 'allowed_sandbox_modes' },
      instructions: 'Stay inside.',
      allowLoginShell: false,
      features: { pins: { memories: false, multi_agent: true }, source: path },
      denyRead: {
        patterns: ['/users/me/.ssh', '/etc/shadow', '/**/*.pem', join(folder, 'beside')],
        source: `${path}:11`,
      },
      newThread: { model: 'gpt-5.4', effort: 'low', serviceTier: 'flex' },
    },
    problems: [],
  });
});

test('what limits things that are not there passes without a word', async () => {
  const text = 'allow_appshots = true\n[marketplaces]\n';
  expect(await load(text)).toEqual({ requirements: {}, problems: [] });
});

test.each<[string, string, object]>([
  [
    'a key that is not known',
    'allowed_sandbox_mode = ["read-only"]',
    { code: 'config-unknown-key', next: 'Did you mean allowed_sandbox_modes?' },
  ],
  [
    'one deeper',
    '[permissions.filesystem]\ndeny_reed = ["/x"]',
    { code: 'config-unknown-key', key: 'permissions.filesystem.deny_reed' },
  ],
  ['a profile', '[permissions.mine]\nextends = "x"', { code: 'config-wrong-value' }],
  ['a feature that is not known', '[features]\nmemorys = true', { code: 'config-unknown-key' }],
  ['a feature with settings', '[features.memories]\nenabled = true', { code: 'config-wrong-type' }],
  ['a text for a list', 'allowed_approval_policies = "never"', { code: 'config-wrong-type' }],
  ['an empty list', 'allowed_approval_policies = []', { code: 'config-wrong-value' }],
  ['a policy that is none', 'allowed_approval_policies = ["sometimes"]', { code: 'config-wrong-value' }],
  [
    'modes without read-only',
    'allowed_sandbox_modes = ["workspace-write"]',
    { code: 'config-wrong-value', next: 'Add "read-only" to the list.' },
  ],
  ['a list for a table that is not used', 'hooks = []', { code: 'config-wrong-type' }],
  ['an empty path', '[permissions.filesystem]\ndeny_read = [""]', { code: 'config-wrong-value' }],
  ['a pattern without sense', '[permissions.filesystem]\ndeny_read = ["/a/{b"]', { code: 'config-wrong-value' }],
  [
    'instructions without end',
    `additional_developer_instructions = "${'x'.repeat(40_001)}"`,
    { code: 'config-wrong-value' },
  ],
  ['no TOML', 'allowed_approval_policies = [', { code: 'config-syntax' }],
])('%s stops the start', async (_, text, problem) => {
  const { problems } = await load(text);
  expect(problems).toMatchObject([{ severity: 'error', source: path, ...problem }]);
});

test('a table of rules has nothing else in it', async () => {
  expect((await load('[rules]\nprefix_rule = []\n')).problems).toMatchObject([{ severity: 'error' }]);
  expect((await load('[rules]\nprefix_rules = "rm"\n')).problems).toMatchObject([{ code: 'config-wrong-type' }]);
});

test('a limit that is not enforced is reported', async () => {
  expect((await load('[experimental_network]\nenabled = true\n')).problems).toMatchObject([
    { code: 'config-unsupported-key', severity: 'warning', key: 'experimental_network' },
  ]);
  expect((await load('[auto_review]\nrequired_on_models = ["x"]\n')).problems).toMatchObject([
    {
      severity: 'warning',
      key: 'auto_review.required_on_models',
      next: expect.stringContaining('allowed_approvals_reviewers') as string,
    },
  ]);
});

test('MCP servers that are allowed arrive, and a slip in their table stops the start', async () => {
  const { requirements, problems } = await load('[mcp_servers.docs.identity]\nurl = "https://a.org"\n');
  const docs = { kind: 'address', url: { match: 'exact', value: 'https://a.org' } };
  expect([requirements, problems]).toEqual([{ mcpServers: { allowed: { docs }, source: `${path}:1` } }, []]);
  expect((await load('[mcp_servers.docs]\nurl = "https://a.org"\n')).problems).toMatchObject([
    { severity: 'error', code: 'config-unknown-key', key: 'mcp_servers.docs.url' },
    { severity: 'error', code: 'config-wrong-type', key: 'mcp_servers.docs.identity' },
  ]);
});

test('names the models for which rules that allow commands do not count', async () => {
  const { requirements, problems } = await load('[auto_review]\nignore_rules = ["gpt-5.5"]\n');
  expect([requirements, problems]).toEqual([{ allowIgnoredOn: ['gpt-5.5'] }, []]);
  expect((await load('[auto_review]\nignore_rules = true\n')).problems).toMatchObject([{ severity: 'error' }]);
});

test('instructions of just the allowed length pass', async () => {
  expect((await load(`additional_developer_instructions = "${'x'.repeat(40_000)}"`)).problems).toEqual([]);
});

test('the managed configuration demands what it decides', async () => {
  const file = 'allowed_approval_policies = ["on-request"]\nallowed_sandbox_modes = ["read-only"]\n';
  const managed = { approval_policy: 'never', sandbox_mode: 'workspace-write', model: 'x' };
  const source = '/etc/managed_config.toml';
  expect((await load(file, managed)).requirements).toEqual({
    approvals: { allowed: ['never'], source, key: 'approval_policy' },
    sandboxModes: { allowed: ['workspace-write', 'read-only'], source, key: 'sandbox_mode' },
  });
  expect((await load('', { sandbox_mode: 'read-only' })).requirements).toEqual({
    sandboxModes: { allowed: ['read-only'], source, key: 'sandbox_mode' },
  });
  expect((await load('', { sandbox_mode: 'wide' })).requirements).toEqual({});
});

describe('settings', () => {
  async function settings(requirements: string, user: JsonObject, choices: Partial<SettingsChoices> = {}) {
    const { requirements: demanded, problems } = await load(requirements);
    expect(problems).toEqual([]);
    const { config } = resolveConfig([{ name: 'user', source: '/home/config.toml', values: { model: 'm', ...user } }], {
      trust: 'trusted',
    });
    const made = chooseSettings(config, { ...place, requirements: demanded, ...choices });
    if ('code' in made) throw new Error(made.message);
    return { ...made, demanded };
  }

  test('a choice that is not allowed gives way, and the rule is named', async () => {
    const rules =
      'allowed_approval_policies = ["on-request"]\nallowed_sandbox_modes = ["read-only", "workspace-write"]\n';
    expect(await settings(rules, { approval_policy: 'never', sandbox_mode: 'danger-full-access' })).toMatchObject({
      settings: {
        approvals: 'on-request',
        sandbox: builtInProfile('read-only', none),
        origins: { model: 'user', approvals: 'managed', sandbox: 'managed' },
      },
      notices: [
        {
          code: 'requirement-overrides',
          message: `allowed_approval_policies in ${path}:1 does not allow approval_policy = "never" (user): Capstan uses "on-request" instead.`,
          next: ask,
        },
        {
          code: 'requirement-overrides',
          message: `allowed_sandbox_modes in ${path}:2 does not allow sandbox_mode = "danger-full-access" (user): Capstan uses "read-only" instead.`,
          next: ask,
        },
      ],
    });
  });

  test('a default, or a surface that has no choice, gives way in silence', async () => {
    const rules = 'allowed_approval_policies = ["untrusted"]\nallowed_sandbox_modes = ["read-only"]\n';
    const expected = {
      settings: { approvals: 'untrusted', sandbox: builtInProfile('read-only', none) },
      notices: [],
    };
    expect(await settings(rules, {})).toMatchObject(expected);
    expect(await settings(rules, {}, { approval: 'never' })).toMatchObject(expected);
  });

  test('what is allowed stays as it was chosen, its options with it', async () => {
    const rules = 'allowed_sandbox_modes = ["read-only", "workspace-write"]\n';
    const user = { sandbox_mode: 'workspace-write', sandbox_workspace_write: { network_access: true } };
    expect(await settings(rules, user)).toMatchObject({
      settings: {
        sandbox: builtInProfile('workspace-write', { ...none, network: true }),
        origins: { sandbox: 'user' },
      },
      notices: [],
    });
  });

  test('a resumed thread gets no more than is allowed now', async () => {
    const resumed: Partial<Settings> = { approvals: 'never', sandbox: { type: 'disabled' } };
    const rules = 'allowed_sandbox_modes = ["workspace-write", "read-only"]\n';
    expect(await settings(rules, {}, { resumed })).toMatchObject({
      settings: { approvals: 'never', sandbox: builtInProfile('workspace-write', none) },
      notices: [{ message: expect.stringContaining('does not allow sandbox_mode = "danger-full-access" (thread)') }],
    });
  });

  test('what must not be read is denied in every profile, and flags still fit a resumed thread', async () => {
    const rules = '[permissions.filesystem]\ndeny_read = ["/secret"]\n';
    const first = await settings(rules, { sandbox_mode: 'workspace-write' });
    const profile = withDeniedReads(first.demanded, builtInProfile('workspace-write', none));
    expect(first.settings.sandbox).toEqual(profile);
    const { config } = resolveConfig(
      [
        {
          name: 'flags',
          source: 'command line',
          values: { model: 'm', sandbox_workspace_write: { network_access: true } },
        },
      ],
      { addedRoots: ['/more'] },
    );
    const again = chooseSettings(config, { ...place, resumed: { sandbox: profile }, requirements: first.demanded });
    expect(again).toMatchObject({
      settings: {
        sandbox: withDeniedReads(
          first.demanded,
          builtInProfile('workspace-write', { ...none, network: true, writableRoots: ['/more'] }),
        ),
      },
      notices: [],
    });
    expect((await settings(rules, { sandbox_mode: 'danger-full-access' })).settings.sandbox).toMatchObject({
      type: 'managed',
      network: 'enabled',
    });
  });

  test.each(['allowed_sandbox_modes = ["read-only"]\n', '[permissions.filesystem]\ndeny_read = ["/secret"]\n'])(
    'the sandbox cannot be left out where the machine has a say: %s',
    async (rules) => {
      const { requirements } = await load(rules);
      const { config } = resolveConfig([{ name: 'user', source: '/home/config.toml', values: { model: 'm' } }]);
      expect(chooseSettings(config, { ...place, requirements, sandbox: { type: 'disabled' } })).toMatchObject({
        code: 'sandbox-managed',
      });
      const free = chooseSettings(config, { ...place, sandbox: { type: 'disabled' } });
      expect(free).toMatchObject({ settings: { sandbox: { type: 'disabled' }, origins: { sandbox: 'flags' } } });
    },
  );

  test('features are pinned, and a layer that says otherwise is reported', async () => {
    const rules = '[features]\nmemories = false\nhooks = true\n';
    expect(await settings(rules, { features: { memories: true, goals: true } })).toMatchObject({
      settings: { features: { memories: false, hooks: true, goals: true }, origins: { features: 'managed' } },
      notices: [
        { message: `features.memories = true has no effect: features.memories in ${path} overrides it.`, next: ask },
      ],
    });
  });

  test('new threads start with what the machine gives them where nothing was chosen', async () => {
    const rules = '[models.new_thread]\nmodel = "ours"\nmodel_reasoning_effort = "low"\nservice_tier = "flex"\n';
    const { requirements } = await load(rules);
    const { config } = resolveConfig([{ name: 'user', source: '/x', values: { model_reasoning_effort: 'high' } }]);
    expect(chooseSettings(config, { ...place, requirements })).toMatchObject({
      settings: {
        model: 'ours',
        effort: 'high',
        serviceTier: 'flex',
        origins: { model: 'managed', effort: 'user', serviceTier: 'managed' },
      },
    });
    expect(chooseSettings(config, { ...place, requirements, resumed: {} })).toMatchObject({
      settings: { model: 'gpt-6.1-sol', origins: { effort: 'user' } },
    });
  });

  test('managed instructions arrive', async () => {
    expect(await settings('additional_developer_instructions = "Stay inside."\n', {})).toMatchObject({
      settings: { managedInstructions: 'Stay inside.', origins: { managedInstructions: 'managed' } },
    });
    expect((await settings('additional_developer_instructions = " "\n', {})).settings).not.toHaveProperty(
      'managedInstructions',
    );
  });
});
