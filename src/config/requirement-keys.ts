import { approvalNames } from '../policy/approval-policy.ts';
import { type CredentialStoreName, credentialStores, loginMethods } from '../policy/login-limits.ts';
import { type WebSearchMode, webSearchModes } from '../policy/web-search.ts';
import type { ApprovalsReviewer } from '../protocol/review-verdict.ts';
import type { ProfileWidth } from '../policy/profile-width.ts';
import { featureNames } from './feature-names.ts';
import type { ChoiceKind, ChoiceListKind, KeyKind, KeyTable, TableKind, ValuesOf } from './key-kind.ts';

const text = { type: 'string', blank: 'allowed' } as const;
const name = { type: 'string', blank: 'refused' } as const;
const flag = { type: 'boolean' } as const;
const models = { type: 'string-list' } as const;
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
  allowed_approval_policies: choices(approvalNames, { 'on-failure': 'on-request' }),
  allowed_approvals_reviewers: choices<ApprovalsReviewer>(['user', 'auto_review'], {
    guardian_subagent: 'auto_review',
  }),
  guardian_policy_config: text,
  allowed_sandbox_modes: choices<ProfileWidth>([
    'read-only',
    'workspace-write',
    'danger-full-access',
    'external-sandbox',
  ]),
  additional_developer_instructions: text,
  features: pins,
  feature_requirements: pins,
  // Read by `required-profiles.ts`.
  permissions: { type: 'free', shape: 'table' },
  allowed_permission_profiles: { type: 'free', shape: 'table' },
  default_permissions: name,
  rules: table({ prefix_rules: { type: 'free', shape: 'list' } as const }),
  auto_review: table({ ignore_rules: models, required_on_models: models }),
  allowed_web_search_modes: choices<WebSearchMode>(webSearchModes),
  allow_login_shell: flag,
  allowed_login_methods: choices(loginMethods),
  allowed_chatgpt_workspaces: { type: 'string-list' },
  cli_auth_credentials_store: {
    type: 'choice',
    choices: credentialStores,
    aliases: {},
  } as ChoiceKind<CredentialStoreName>,
  // Read by `required-servers.ts`.
  mcp_servers: { type: 'free', shape: 'table' },
  // Read when hooks are.
  hooks: { type: 'free', shape: 'table' },
  allow_managed_hooks_only: flag,
  models: table({ new_thread: table({ model: name, model_reasoning_effort: name, service_tier: name }) }),
} as const satisfies KeyTable;

/** What limits something that is there and cannot be limited in that way yet. A warning says so. */
export const unenforcedKeys: readonly (readonly string[])[] = [
  ['remote_sandbox_config'],
  ['experimental_network'],
  ['auto_review', 'required_on_models'],
  ['model_catalog_json'],
];

/** What limits something that is not there. It passes without a word, but not with a value of the wrong sort. */
const passing: KeyTable = {
  ...each({ type: 'free', shape: 'list' }, 'remote_sandbox_config'),
  ...each(
    { type: 'free', shape: 'table' },
    'experimental_network plugins marketplaces apps feedback windows computer_use browser_use in_app_browser',
  ),
  ...each(name, 'model_catalog_json enforce_residency chatgpt_base_url sqlite_home log_dir'),
  ...each(flag, 'check_for_update_on_startup allow_browser_and_computer_use allow_appshots allow_remote_control'),
};

function each(kind: KeyKind, keys: string): KeyTable {
  return Object.fromEntries(keys.split(' ').map((key) => [key, kind]));
}

/** The values of `requirements.toml` after checking. */
export type RequirementValues = ValuesOf<typeof enforced>;

/** Every key of `requirements.toml`. */
export const requirementTable: TableKind<typeof enforced> = table({ ...enforced, ...passing });
