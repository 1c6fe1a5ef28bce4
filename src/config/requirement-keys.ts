import type { ApprovalPolicy } from '../protocol/permission-profile.ts';
import type { ProfileWidth } from '../policy/profile-width.ts';
import { featureNames } from './feature-names.ts';
import type { ChoiceListKind, KeyTable, TableKind, ValuesOf } from './key-kind.ts';

const text = { type: 'string', blank: 'allowed' } as const;
const name = { type: 'string', blank: 'refused' } as const;
const flag = { type: 'boolean' } as const;
const strings = { type: 'string-list' } as const;
const anyTable = { type: 'free', shape: 'table' } as const;
const anyList = { type: 'free', shape: 'list' } as const;
const pins = { type: 'toggles', names: featureNames, tables: 'refused' } as const;

function choices<const Choice extends string>(
  all: readonly Choice[],
  aliases: Readonly<Record<string, NoInfer<Choice>>> = {},
): ChoiceListKind<Choice> {
  return { type: 'choice-list', choices: all, aliases };
}

/** A misspelt requirement is none: every unknown name is an error. */
function table<Keys extends KeyTable>(keys: Keys): TableKind<Keys> {
  return { type: 'table', keys, unused: [], unknown: 'error' };
}

/** What is enforced. */
const enforced = {
  allowed_approval_policies: choices<ApprovalPolicy>(['untrusted', 'on-request', 'never'], {
    'on-failure': 'on-request',
  }),
  allowed_sandbox_modes: choices<ProfileWidth>([
    'read-only',
    'workspace-write',
    'danger-full-access',
    'external-sandbox',
  ]),
  additional_developer_instructions: text,
  features: pins,
  feature_requirements: pins,
  permissions: table({ filesystem: table({ deny_read: { type: 'path-list' } as const }) }),
  allow_login_shell: flag,
  models: table({ new_thread: table({ model: name, model_reasoning_effort: name, service_tier: name }) }),
} as const satisfies KeyTable;

/** What limits something that is there and cannot be limited in that way yet. A warning says so. */
export const unenforcedKeys = [
  'remote_sandbox_config',
  'allowed_permission_profiles',
  'default_permissions',
  'rules',
  'experimental_network',
  'model_catalog_json',
] as const;

/** What limits something that is not there. It passes without a word, but not with a value of the wrong sort. */
const passing = {
  remote_sandbox_config: anyList,
  allowed_permission_profiles: anyTable,
  default_permissions: name,
  rules: anyTable,
  experimental_network: anyTable,
  model_catalog_json: name,
  allowed_approvals_reviewers: strings,
  allowed_web_search_modes: strings,
  allow_managed_hooks_only: flag,
  hooks: anyTable,
  mcp_servers: anyTable,
  plugins: anyTable,
  marketplaces: anyTable,
  apps: anyTable,
  enforce_residency: name,
  allowed_login_methods: strings,
  allowed_chatgpt_workspaces: strings,
  cli_auth_credentials_store: name,
  chatgpt_base_url: name,
  sqlite_home: name,
  log_dir: name,
  check_for_update_on_startup: flag,
  feedback: anyTable,
  auto_review: anyTable,
  guardian_policy_config: text,
  windows: anyTable,
  allow_browser_and_computer_use: flag,
  allow_appshots: flag,
  allow_remote_control: flag,
  computer_use: anyTable,
  browser_use: anyTable,
  in_app_browser: anyTable,
} as const satisfies KeyTable;

const keys = { ...enforced, ...passing };

/** The values of `requirements.toml` after checking. */
export type RequirementValues = ValuesOf<typeof keys>;

/** Every key of `requirements.toml`. */
export const requirementTable: TableKind<typeof keys> = table(keys);
