import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configKeyNames } from '../../../core/config/keys/inspect-keys.ts';
import type { ConfigChoices } from '../../../adapters/gather/config/config-layers.ts';
import { type LoadedConfig, loadFolderConfig } from '../../../engine/home/folder-config.ts';
import { explainKey } from './config.ts';
import { configJson, configToml } from '../../views/wording/settings-text.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-show-')));
  write('repo/.git/HEAD', 'ref: refs/heads/main\n');
  write(
    'home/config.toml',
    `model = "gpt-5.5"
sandbox_mod = "read-only"
chatgpt_base_url = "https://a.org"

[shell_environment_policy]
set = { GREETING = "hello", DB_PASSWORD = "hunter2" }

[model_providers.mine]
base_url = "https://models.example/v1"
experimental_bearer_token = "hunter2"

[projects."${join(root, 'repo')}"]
trust_level = "trusted"
`,
  );
  write('home/work.config.toml', 'model = "gpt-5.4"\nmodel_provider = "mine"\n');
  write('repo/.codex/config.toml', 'notify = ["beep"]\n\n[sandbox_workspace_write]\nnetwork_access = true\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
}

async function load(choices: Partial<ConfigChoices> = {}): Promise<LoadedConfig> {
  const configured = await loadFolderConfig(join(root, 'repo'), {
    env: { CAPSTAN_HOME: join(root, 'home') },
    osHome: root,
    cwd: join(root, 'repo'),
    config: [],
    systemFolders: [join(root, 'etc')],
    ...choices,
  });
  if ('code' in configured) throw new Error(configured.message);
  return configured;
}

function shortened(text: string): string {
  return text.replaceAll(root, '');
}

test('a provider that a flag chooses has its own model, and not the one that files name for another', async () => {
  const shown = async (...overrides: readonly string[]) =>
    JSON.parse(configJson(await load({ config: overrides }), { origin: true })) as {
      values: { model: string };
      origins: { model: { layer: string; source: string } };
    };
  const origin = (source: string) => expect.objectContaining({ layer: 'default', source });
  const moved = await shown('model_provider="anthropic"');
  expect(moved.values.model).toMatch(/^claude-/);
  expect(moved.origins.model).toEqual(origin('model_provider: anthropic'));
  expect((await shown('model_provider="anthropic"', 'model="x"')).values.model).toBe('x');
  expect((await shown('model_provider="mine"')).values.model).toBe('gpt-5.5');
  expect((await shown('model_provider="openai"')).values.model).toBe('gpt-5.5');
  // It has no usual one: a thread is refused without a name.
  expect((await shown('model_provider="vllm"')).values).not.toHaveProperty('model');
  const { text } = explainKey(await load({ config: ['model_provider="anthropic"'] }), 'model') as { text: string };
  expect(shortened(text)).toMatch(
    /^model = "claude-[^"]+"\nThe files name a model for the provider "openai", and model_provider is "anthropic"\.\n[^]*\nwins -> +default +model_provider: anthropic/,
  );
});

const golden = `model = "gpt-5.4"  # profile, /home/work.config.toml:1
model_provider = "mine"  # profile, /home/work.config.toml:2
model_reasoning_effort = "high"  # flags, command line
model_verbosity = "low"  # default, model gpt-5.4
model_context_window = 272000  # default, model gpt-5.4
model_auto_compact_token_limit_scope = "total"  # default
approval_policy = "on-request"  # default
approvals_reviewer = "user"  # default
sandbox_mode = "workspace-write"  # default, trust: trusted
allow_login_shell = true  # default
include_permissions_instructions = true  # default
include_collaboration_mode_instructions = true  # default
include_environment_context = true  # default
include_apps_instructions = true  # default
project_doc_max_bytes = 32768  # default
project_doc_fallback_filenames = []  # default
project_root_markers = [".git"]  # default
chatgpt_base_url = "https://a.org"  # user, /home/config.toml:3

[window]
auto_compact_percent = 90  # default
reserve_percent = 10  # default
skills_percent = 2  # default
memory_percent = 70  # default
baseline_tokens = 12000  # default
effective_percent = 95  # default, model gpt-5.4

[undo]
enabled = true  # default
max_file_bytes = 10485760  # default
max_total_bytes = 1073741824  # default

[blobs]
max_bytes = 1073741824  # default

[answer]
max_items = 10000  # default
max_bytes = 67108864  # default

[sandbox_workspace_write]
writable_roots = []  # default
network_access = true  # project, /repo/.codex/config.toml:4
exclude_tmpdir_env_var = false  # default
exclude_slash_tmp = false  # default

[shell_environment_policy]
inherit = "all"  # default
ignore_default_excludes = false  # default
exclude = []  # default
include_only = []  # default

[shell_environment_policy.set]
GREETING = "hello"  # user, /home/config.toml:6
DB_PASSWORD = "<hidden>"  # user, /home/config.toml:6

[compaction]
strategy = "auto"  # default
max_bytes = 8388608  # default
timeout_ms = 600000  # default

[model_providers.mine]
base_url = "https://models.example/v1"  # user, /home/config.toml:9
experimental_bearer_token = "<hidden>"  # user, /home/config.toml:10

[projects."/repo"]
trust_level = "trusted"  # user, /home/config.toml:13

# Not set: oss_provider, plan_mode_reasoning_effort, model_reasoning_summary,
#   service_tier, model_auto_compact_token_limit, tool_output_token_limit,
#   model_catalog_json, model_fallback, max_turn_tokens, max_thread_tokens,
#   max_turn_cost, max_thread_cost, window.effective_tokens,
#   disable_paste_burst, history.persistence, history.max_bytes,
#   auto_review.policy, review_model, web_search, tools.edit, sandbox_fallback,
#   sandbox.max_processes, sandbox.max_memory_mb, cli_auth_credentials_store,
#   forced_login_method, forced_chatgpt_workspace_id, developer_instructions,
#   instructions, model_instructions_file, compact_prompt,
#   experimental_compact_prompt_file, personality,
#   experimental_realtime_start_instructions, openai_base_url,
#   skills.include_instructions, skills.max_context_tokens,
#   skills.bundled.enabled, memories.use_memories, memories.generate_memories,
#   memories.disable_on_external_context,
#   memories.max_raw_memories_for_consolidation, memories.max_unused_days,
#   memories.max_rollout_age_days, memories.max_rollouts_per_startup,
#   memories.min_rollout_idle_hours, memories.extract_model,
#   memories.consolidation_model, goals.max_goal_token_budget, notify,
#   tui.animations, tui.show_tooltips, tui.notifications,
#   tui.notification_method, tui.notification_condition, tui.vim_mode_default,
#   tui.alternate_screen, tui.status_line, tui.status_line_use_colors,
#   tui.terminal_title, tui.theme, tui.screen_reader, tui.ascii,
#   tui.session_picker_view, tui.resume_cwd, default_permissions
`;

describe('config show', () => {
  const choices = { profile: 'work', config: ['model_reasoning_effort=high'] };

  test('prints what is in force, with the line that says so', async () => {
    const configured = await load(choices);
    expect(shortened(configToml(configured, { origin: true }))).toBe(golden);
    expect(shortened(configToml(configured, { origin: false }))).toBe(golden.replace(/ {2}# .*$/gm, ''));
    expect(configured.problems.map(({ message, next }) => shortened(`${message} ${next}`))).toEqual([
      '/home/config.toml:2: sandbox_mod is not a known key. Did you mean sandbox_mode?',
      '/repo/.codex/config.toml:1: notify cannot be set by a project. Set it in your own config.toml instead.',
    ]);
  });

  test('prints one object for programs', async () => {
    const configured = await load(choices);
    const shown = JSON.parse(shortened(configJson(configured, { origin: true })));
    expect(shown.values).toEqual(parse(shortened(configToml(configured, { origin: false }))));
    expect(shown.origins).toMatchObject({
      model: { layer: 'profile', source: '/home/work.config.toml', line: 1 },
      'projects."/repo".trust_level': { layer: 'user', source: '/home/config.toml', line: 13 },
      sandbox_mode: { layer: 'default', source: 'trust: trusted' },
    });
    expect(shown.trust).toBe('trusted');
    expect(shown.layers).toEqual([
      { layer: 'default', source: 'built in' },
      { layer: 'default', source: 'trust: trusted' },
      { layer: 'default', source: 'model catalogue' },
      { layer: 'default', source: 'model gpt-5.4' },
      { layer: 'system', source: '/etc/config.toml', state: 'no such file' },
      { layer: 'user', source: '/home/config.toml' },
      { layer: 'profile', source: '/home/work.config.toml' },
      { layer: 'project', source: '/repo/.codex/config.toml' },
      { layer: 'flags', source: 'command line' },
      { layer: 'managed', source: '/etc/managed_config.toml', state: 'no such file' },
    ]);
    expect(shown.problems).toHaveLength(2);
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect(JSON.parse(configJson(configured, { origin: false }))).not.toHaveProperty('origins');
  });

  test('names the keys that do nothing yet in one sentence', async () => {
    write(
      'home/config.toml',
      'notify = ["beep"]\nweb_search = "live"\nbrowser_use = {}\ntui = { theme = "x" }\n[tools]\nview_image = true\nedit = "patch"\n',
    );
    expect((await load()).notices.map(({ message }) => message)).toEqual([
      'Capstan does not use these configuration keys yet: browser_use, tools.',
    ]);
    write('home/config.toml', 'tui = { theme = "x" }\n');
    expect((await load()).notices).toEqual([]);
  });

  test('shows what is left of the window when one of two shares is chosen', async () => {
    const configured = await load({ config: ['window.auto_compact_percent=95'] });
    expect(configToml(configured, { origin: true })).toContain(
      'auto_compact_percent = 95  # flags, command line\nreserve_percent = 5  # default\n',
    );
  });

  test('continues where a file is broken, and says which', async () => {
    write('home/config.toml', 'model = [');
    const shown = JSON.parse(shortened(configJson(await load(), { origin: false })));
    expect(shown.layers[5]).toEqual({ layer: 'user', source: '/home/config.toml', state: 'cannot be read' });
    expect(shown.problems[0]).toMatchObject({ code: 'config-syntax' });
    expect(shown.values).toMatchObject({ model_provider: 'openai' });
  });
});

async function explain(key: string, choices: Partial<ConfigChoices> = {}): Promise<string> {
  const answer = explainKey(await load(choices), key);
  // The width of the columns depends on where the test runs.
  return shortened('text' in answer ? answer.text : `${answer.message} ${answer.next}`).replace(/(?<=\S) {2,}/g, '  ');
}

describe('config explain', () => {
  test('answers for every key, and names the layer of each default', async () => {
    const configured = await load();
    for (const key of configKeyNames()) expect(explainKey(configured, key)).toHaveProperty('text');
    const [first = ''] = (await explain('window.effective_percent')).split('\n').slice(-2);
    expect(first).toBe('wins ->  default  model gpt-5.5  95');
    expect(await explain('undo.enabled')).toMatch(/^undo.enabled = true\n[^]*wins -> {2}default {2}built in {2}true\n/);
    expect(await explain('compaction.strategy')).toMatch(/wins -> {2}default {2}built in {2}"auto"\n/);
  });

  test('shows what every layer says, the highest first', async () => {
    write('etc/managed_config.toml', '# nothing yet\n');
    expect(await explain('model', { profile: 'work', config: ['model=5'] })).toBe(`model = "gpt-5.4"

         managed  /etc/managed_config.toml  not set
         flags  command line  5
         project  /repo/.codex/config.toml  not set
wins ->  profile  /home/work.config.toml:1  "gpt-5.4"
         user  /home/config.toml:1  "gpt-5.5"
         system  /etc/config.toml  no such file
         default  model catalogue  "gpt-6.1-sol"
`);
  });

  test('says what the machine demands', async () => {
    write('etc/requirements.toml', 'allowed_sandbox_modes = ["read-only"]\n[features]\nmemories = false\n');
    expect(await explain('sandbox_mode')).toMatch(
      /^sandbox_mode = "workspace-write"\nAllowed by allowed_sandbox_modes in \/etc\/requirements.toml:1: read-only\.\n\n/,
    );
    expect(await explain('features.memories')).toMatch(
      /^features.memories is not set\.\nRequired by features.memories in \/etc\/requirements.toml: false\.\n/,
    );
    expect(await explain('model')).toMatch(/^model = "gpt-5.5"\n\n/);
  });

  test('says which of the values do not hold there', async () => {
    write(
      'etc/requirements.toml',
      'allow_login_shell = false\nallowed_sandbox_modes = ["read-only"]\nallowed_approval_policies = ["never"]\n[features]\nmemories = false\n',
    );
    const { problems } = await load({ config: ['features.memories=true'] });
    const told = problems
      .filter(({ code }) => code === 'config-overridden-key')
      .map(({ message }) => shortened(message));
    const file = '/etc/requirements.toml';
    expect(told).toEqual([
      `allowed_approval_policies in ${file}:3 does not allow approval_policy = "on-request": Capstan uses "never" instead.`,
      `allowed_sandbox_modes in ${file}:2 does not allow sandbox_mode = "workspace-write": Capstan uses "read-only" instead.`,
      `allow_login_shell in ${file} does not allow allow_login_shell = true: Capstan uses false instead.`,
      `features.memories in ${file} does not allow features.memories = true: Capstan uses false instead.`,
    ]);
  });

  test('knows the keys of tables and switches', async () => {
    const overrides = ['window.effective_percent=50', 'features.memories=true'];
    expect(await explain('window.effective_percent', { config: overrides })).toMatch(
      /^window.effective_percent = 50\n\n[^]*wins -> {2}flags/,
    );
    expect(await explain('features.memories', { config: overrides })).toMatch(
      /^features.memories = true\n\n[^]*wins -> {2}flags/,
    );
    expect(configToml(await load({ config: overrides }), { origin: true })).toMatch(
      /\[window\]\n[^[]*effective_percent = 50 {2}# flags, command line\n[^]*\[features\]\nmemories = true {2}# flags/,
    );
  });

  test('a project that is not trusted is there, without its values', async () => {
    write('home/config.toml', '');
    expect(await explain('sandbox_mode')).toBe(`sandbox_mode = "read-only"

         managed  /etc/managed_config.toml  no such file
         flags  command line  not set
         project  /repo/.codex/config.toml  not used: you have not trusted the project
         user  /home/config.toml  not set
         system  /etc/config.toml  no such file
wins ->  default  trust: unknown  "read-only"
`);
  });

  test.each([
    ['modle', 'modle is not a known key. Did you mean model?'],
    ['a b', 'a b is not a known key. List all keys with `capstan config show`.'],
  ])('%s: %s', async (key, answer) => {
    expect(await explain(key)).toBe(answer);
  });

  test('a key without a value, one without an effect, and a secret', async () => {
    expect(await explain('personality')).toMatch(/^personality is not set\.\n/);
    expect(await explain('chatgpt_base_url')).toMatch(
      /^chatgpt_base_url = "https:\/\/a\.org"\nCapstan does not use this key yet\.\n/,
    );
    expect(await explain('model_providers.mine.experimental_bearer_token')).not.toContain('hunter2');
    expect(await explain('model_providers')).not.toContain('hunter2');
  });
});
