import { defined, valueOr } from '../../../base/objects.ts';
import { type Json, type JsonObject, isJsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import type { ApprovalPolicy, SandboxMode } from '../../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../../protocol/question.ts';
import { approvalNames } from '../../policy/decide/approval-policy.ts';
import type { SandboxLevel } from '../../policy/profiles/profile-entries.ts';
import type { NamedProfile } from '../../policy/profiles/profiles.ts';
import { compileProfile, profileTableProblems } from '../../policy/profiles/tables/compile-profile.ts';
import type { ProfileCompileBase } from '../../policy/profiles/tables/compile-profile.ts';
import {
  profileTableWarning,
  unknownTableKey,
  wrongProfileType,
  wrongValueInProfile,
} from '../../policy/profiles/tables/profile-tables.ts';
import type { ProfileTables, ProfileTableProblem } from '../../policy/profiles/tables/profile-tables.ts';
import { credentialStores, loginMethods, webSearchModes } from '../../policy/requirements.ts';
import type { AllowedValues, AllowedProfiles, ManagedRequirements, WebSearchMode } from '../../policy/requirements.ts';
import type { PrefixRule } from '../../policy/rules/rule-set.ts';
import { type ConfigLayer, type ConfigProblem, configKeyProblem, configKeySource } from '../layer-order.ts';
import { featureSwitches, featureNames } from '../features.ts';
import { checkConfigLayers } from '../keys/check-layers.ts';
import { checkConfigValues } from '../keys/check-values.ts';
import {
  choiceKind,
  booleanKey,
  keysOfKind,
  nameKey,
  stringListKind,
  textKey,
  withCamelCaseKeys,
} from '../keys/key-kinds.ts';
import type { ChoiceListKind, SchemaKeys, TableKeyKind, ValuesOf } from '../keys/key-kinds.ts';
import { locateProblem } from '../permission-profiles.ts';
import { wholePattern } from '../../policy/allowed-mcp-servers.ts';
import type { AllowedServers, ServerIdentity, TextMatcher } from '../../policy/allowed-mcp-servers.ts';

export type RequirementsResult = {
  readonly requirements: ManagedRequirements;
  readonly problems: readonly ConfigProblem[];
};

/** Merges `requirements.toml` with the managed configuration, which wins. A caller that finds an error must stop. */
export function readRequirements(
  file: ConfigLayer,
  managed: ConfigLayer | undefined,
  base: ProfileCompileBase,
): RequirementsResult {
  const checked = checkConfigValues(requirementsSchema, file, { unknown: 'error' });
  const values = withCamelCaseKeys(requirementsSchema, checked.values);
  const { rules, problems: ofRules } = requirementRules(file, values.rules?.prefixRules ?? []);
  const profiles = requiredProfiles({ ...file, values: checked.values }, base);
  const { servers: mcpServers, problems: ofServers } = parseAllowedServers({ ...file, values: checked.values });
  const isReadOnlyMissing = values.allowedSandboxModes?.includes('read-only') === false;
  const problems = [
    ...checked.problems,
    ...unenforced(file, checked.values),
    ...(isReadOnlyMissing ? [configKeyProblem(file, ['allowed_sandbox_modes'], readOnlyMissing)] : []),
    ...ofRules,
    ...[...profiles.problems, ...ofServers].map((problem) => locateProblem([file], problem)),
  ];
  const held = defined({ rules: rules.length === 0 ? undefined : rules, mcpServers });
  return { requirements: { ...demanded(file, values, profiles), ...held, ...decided(managed) }, problems };
}

function demanded(file: ConfigLayer, values: RequirementValues, profiles: RequiredProfiles): ManagedRequirements {
  const approvals = allowed(file, 'allowed_approval_policies', values.allowedApprovalPolicies);
  const reviewers = allowed(file, 'allowed_approvals_reviewers', values.allowedApprovalsReviewers);
  const sandboxModes = allowed(file, 'allowed_sandbox_modes', values.allowedSandboxModes);
  const pins = { ...featureSwitches(values.featureRequirements ?? {}), ...featureSwitches(values.features ?? {}) };
  const { denyRead: patterns, tables } = profiles;
  const instructions = values.additionalDeveloperInstructions ?? '';
  const { model, modelReasoningEffort: effort, serviceTier } = values.models?.newThread ?? {};
  const newThread = defined({ model, effort, serviceTier });
  const { ignoreRules: ignored = [] } = values.autoReview ?? {};
  const hooks = isJsonObject(values.hooks) ? values.hooks : undefined;
  const deniedAt = configKeySource(file, ['permissions', 'filesystem', 'deny_read']);
  return defined({
    approvals,
    reviewers,
    reviewPolicy: values.guardianPolicyConfig?.trim() === '' ? undefined : values.guardianPolicyConfig,
    sandboxModes,
    profiles: profiles.allowed,
    profileTables: Object.keys(tables).length === 0 ? undefined : tables,
    denyRead: patterns.length === 0 ? undefined : { patterns, source: deniedAt },
    features: Object.keys(pins).length === 0 ? undefined : { pins, source: file.source },
    instructions: instructions.trim() === '' ? undefined : instructions,
    allowIgnoredOn: ignored.length === 0 ? undefined : ignored,
    webSearchModes: values.allowedWebSearchModes,
    allowLoginShell: values.allowLoginShell,
    loginMethods: values.allowedLoginMethods,
    loginWorkspaces: values.allowedChatgptWorkspaces,
    credentialStore: values.cliAuthCredentialsStore,
    hooks: hooks === undefined ? undefined : { table: hooks, source: file.source },
    managedHooksOnly: values.allowManagedHooksOnly === true ? (true as const) : undefined,
    newThread: Object.keys(newThread).length === 0 ? undefined : newThread,
  });
}

/** The managed configuration's values for these three keys are requirements as well. */
function decided(
  managed: ConfigLayer | undefined,
): Pick<ManagedRequirements, 'approvals' | 'reviewers' | 'sandboxModes'> {
  if (managed === undefined) return {};
  // All were checked against the key table, which has the same choices.
  const values = checkConfigLayers([managed], { unknown: 'error' })[0]?.values ?? {};
  const approval = values['approval_policy'] as ApprovalPolicy | undefined;
  const reviewer = values['approvals_reviewer'] as ApprovalsReviewer | undefined;
  const mode = values['sandbox_mode'] as SandboxMode | undefined;
  return defined({
    approvals: allowed(managed, 'approval_policy', approval && [approval]),
    reviewers: allowed(managed, 'approvals_reviewer', reviewer && [reviewer]),
    sandboxModes: allowed<SandboxLevel>(managed, 'sandbox_mode', mode && [mode, 'read-only']),
  });
}

function allowed<Value>(
  layer: ConfigLayer,
  key: string,
  values: readonly Value[] | undefined,
): AllowedValues<Value> | undefined {
  const [first, ...others] = [...new Set(values)];
  return first === undefined ? undefined : { allowed: [first, ...others], source: configKeySource(layer, [key]), key };
}

const readOnlyMissing = {
  code: 'config-wrong-value',
  severity: 'error',
  what: 'must contain "read-only"',
  next: 'Add "read-only" to the list.',
} as const;

const insteadOfOthers =
  'Use allowed_sandbox_modes and permissions.filesystem.deny_read to choose what commands may access.';
const insteadOf: Readonly<Record<string, string>> = {
  'auto_review.required_on_models': 'Use allowed_approvals_reviewers to choose who answers, for all models.',
};

function unenforced(file: ConfigLayer, values: JsonObject): readonly ConfigProblem[] {
  return unenforcedKeys
    .filter(([table = '', key]) => {
      const value = objectAt(values, table);
      return key === undefined ? Object.hasOwn(values, table) : value !== undefined && Object.hasOwn(value, key);
    })
    .map((path) =>
      configKeyProblem(file, path, {
        code: 'config-unsupported-key',
        severity: 'warning',
        what: 'is not enforced by this version',
        next: insteadOf[path.join('.')] ?? insteadOfOthers,
      }),
    );
}

const pins = { type: 'toggles', names: featureNames, tables: 'refused' } as const;
const freeTable = { type: 'free', shape: 'table' } as const;

function choices<const Choice extends string>(
  all: readonly Choice[],
  aliases: Readonly<Record<string, NoInfer<Choice>>> = {},
): ChoiceListKind<Choice> {
  return { type: 'choice-list', choices: all, aliases };
}

/** Every unknown name is an error: a misspelt requirement would not be enforced. */
const table = <Keys extends SchemaKeys>(keys: Keys): TableKeyKind<Keys> => ({
  type: 'table',
  keys,
  unused: [],
  unknown: 'error',
});

const widths: readonly SandboxLevel[] = ['read-only', 'workspace-write', 'danger-full-access', 'external-sandbox'];

const enforced = {
  allowed_approval_policies: choices(approvalNames, { 'on-failure': 'on-request' }),
  allowed_approvals_reviewers: choices<ApprovalsReviewer>(['user', 'auto_review'], {
    guardian_subagent: 'auto_review',
  }),
  guardian_policy_config: textKey,
  allowed_sandbox_modes: choices(widths),
  additional_developer_instructions: textKey,
  features: pins,
  feature_requirements: pins,
  permissions: freeTable,
  allowed_permission_profiles: freeTable,
  default_permissions: nameKey,
  rules: table({ prefix_rules: { type: 'free', shape: 'list' } as const }),
  auto_review: table({ ignore_rules: stringListKind, required_on_models: stringListKind }),
  allowed_web_search_modes: choices<WebSearchMode>(webSearchModes),
  allow_login_shell: booleanKey,
  allowed_login_methods: choices(loginMethods),
  allowed_chatgpt_workspaces: stringListKind,
  cli_auth_credentials_store: choiceKind(credentialStores),
  mcp_servers: freeTable,
  hooks: freeTable,
  allow_managed_hooks_only: booleanKey,
  models: table({ new_thread: table({ model: nameKey, model_reasoning_effort: nameKey, service_tier: nameKey }) }),
} as const satisfies SchemaKeys;

/** Limits on existing features that cannot be enforced yet; each gives a warning. */
const unenforcedKeys: readonly (readonly string[])[] = [
  ['remote_sandbox_config'],
  ['experimental_network'],
  ['auto_review', 'required_on_models'],
  ['model_catalog_json'],
];

/** Limits that Capstan does not enforce: it checks only their type. Those in `unenforcedKeys` give a warning. */
const passing: SchemaKeys = {
  ...keysOfKind({ type: 'free', shape: 'list' }, 'remote_sandbox_config'),
  ...keysOfKind(
    freeTable,
    'experimental_network plugins marketplaces apps feedback windows computer_use browser_use in_app_browser',
  ),
  ...keysOfKind(nameKey, 'model_catalog_json enforce_residency chatgpt_base_url sqlite_home log_dir'),
  ...keysOfKind(
    booleanKey,
    'check_for_update_on_startup allow_browser_and_computer_use allow_appshots allow_remote_control',
  ),
};

type RequirementValues = ValuesOf<typeof enforced>;
export const requirementsSchema: TableKeyKind<typeof enforced> = table({ ...enforced, ...passing });
const path = ['rules', 'prefix_rules'];

/** Rules in `requirements.toml` may restrict commands but allow none. */
export function requirementRules(file: ConfigLayer, written: Json) {
  const source = configKeySource(file, path);
  const read = (Array.isArray(written) ? written : []).map((rule: Json) => readRule(rule, source));
  return {
    rules: read.flatMap((rule) => (typeof rule === 'string' ? [] : rule)),
    problems: read.flatMap((rule, at) => {
      if (typeof rule !== 'string') return [];
      const what = `has a wrong entry (${at + 1}): ${rule}`;
      return configKeyProblem(file, path, { code: 'config-wrong-value', severity: 'error', what, next: shape });
    }),
  };
}

const shape =
  'Write each rule as { pattern = [{ token = "rm" }, { any_of = ["-rf", "-fr"] }], decision = "forbidden" }.';

const known = new Set(['pattern', 'decision', 'justification']);

function readRule(rule: Json, source: string): readonly PrefixRule[] | string {
  if (!isJsonObject(rule)) return 'it is not a table';
  const odd = Object.keys(rule).find((key) => !known.has(key));
  if (odd !== undefined) return `${odd} is unknown`;
  const decision = stringAt(rule, 'decision');
  if (decision !== 'prompt' && decision !== 'forbidden') return 'decision must be "prompt" or "forbidden"';
  const { pattern, justification } = rule;
  if (justification !== undefined && (typeof justification !== 'string' || justification.trim() === ''))
    return 'justification must be a text';
  if (!Array.isArray(pattern) || pattern.length === 0) return 'pattern must be a list that is not empty';
  const slots = pattern.map((slot: Json) => (isJsonObject(slot) ? slotOf(slot) : undefined));
  const [first, ...rest] = slots.filter((slot) => slot !== undefined);
  if (first === undefined || rest.length < pattern.length - 1) return 'each part of pattern must have token or any_of';
  const about = defined({ justification: justification as string | undefined });
  const programs = typeof first === 'string' ? [first] : first;
  return programs.map((program) => ({ pattern: [program, ...rest], decision, ...about, source }));
}

function slotOf(slot: JsonObject): string | readonly string[] | undefined {
  const { token, any_of: choices, ...others } = slot;
  if (Object.keys(others).length > 0 || (token === undefined) === (choices === undefined)) return undefined;
  if (token !== undefined) return typeof token === 'string' ? token : undefined;
  if (!Array.isArray(choices) || choices.length === 0) return undefined;
  return choices.every((choice) => typeof choice === 'string') ? choices : undefined;
}

const allowedKey = 'allowed_permission_profiles';
const defaultKey = 'default_permissions';

interface RequiredProfiles {
  readonly allowed?: AllowedProfiles;
  readonly tables: ProfileTables;
  readonly denyRead: readonly string[];
  readonly problems: readonly ProfileTableProblem[];
}

/** Permission profiles of `requirements.toml`. An allowed profile must be built in or defined there. */
function requiredProfiles(file: ConfigLayer, base: ProfileCompileBase): RequiredProfiles {
  const { filesystem, ...profiles } = objectAt(file.values, 'permissions') ?? {};
  const denied = deniedReads(filesystem ?? {});
  const tables = Object.fromEntries(
    Object.entries(profiles).filter(([, table]) => isJsonObject(table)),
  ) as ProfileTables;
  const choices = allowedProfiles(file, tables, base);
  return {
    ...(choices.allowed === undefined ? {} : { allowed: choices.allowed }),
    tables,
    denyRead: denied.patterns,
    problems: [
      ...denied.problems,
      ...profileTableProblems(profiles, base),
      ...relativeRoots(tables),
      ...parentProblems(tables, base),
      ...choices.problems,
    ],
  };
}

function deniedReads(filesystem: unknown) {
  const at = ['permissions', 'filesystem'];
  if (!isJsonObject(filesystem))
    return { patterns: [], problems: [wrongProfileType(at, 'a table', String(filesystem))] };
  const { deny_read: patterns = [], ...others } = filesystem;
  const unknown = Object.keys(others).map((key) => unknownTableKey([...at, key], ['deny_read']));
  const key = [...at, 'deny_read'];
  if (!Array.isArray(patterns) || !patterns.every((text) => typeof text === 'string'))
    return { patterns: [], problems: [...unknown, wrongProfileType(key, 'a list of paths', patterns)] };
  if (!patterns.includes('')) return { patterns: patterns as readonly string[], problems: unknown };
  return {
    patterns: [],
    problems: [...unknown, wrongValueInProfile(key, 'must not contain an empty path', 'Remove it.')],
  };
}

function parentProblems(tables: ProfileTables, base: ProfileCompileBase): readonly ProfileTableProblem[] {
  return Object.keys(tables).flatMap((id) => {
    const compiled = compileProfile(tables, id, base);
    return 'problem' in compiled ? [compiled.problem] : [];
  });
}

/** A relative root would allow different things in different folders. */
function relativeRoots(tables: ProfileTables): readonly ProfileTableProblem[] {
  return Object.entries(tables).flatMap(([id, table]) =>
    Object.keys(objectAt(table, 'workspace_roots') ?? {})
      .filter((root) => !/^[/~]/.test(root))
      .map((root) =>
        wrongValueInProfile(
          ['permissions', id, 'workspace_roots', root],
          'must be absolute here',
          'Write the whole path.',
        ),
      ),
  );
}

function allowedProfiles(file: ConfigLayer, tables: ProfileTables, base: ProfileCompileBase) {
  const given = file.values[allowedKey];
  const fallback = stringAt(file.values, defaultKey);
  if (given === undefined) {
    const what = `has no effect without ${allowedKey}`;
    const next = `List the profiles that may be chosen under ${allowedKey}.`;
    return { problems: fallback === undefined ? [] : [profileTableWarning([defaultKey], what, next)] };
  }
  const problems: ProfileTableProblem[] = [];
  const allowed: NamedProfile[] = [];
  for (const [id, isAllowed = null] of Object.entries(isJsonObject(given) ? given : {})) {
    const path = [allowedKey, id];
    if (typeof isAllowed !== 'boolean') problems.push(wrongProfileType(path, 'true or false', isAllowed));
    if (isAllowed !== true) continue;
    const compiled = compileProfile(tables, id, base);
    // Must be built in or defined in this file: a user's own profile of that name could allow anything.
    if ('problem' in compiled) problems.push({ ...compiled.problem, path });
    else allowed.push({ id, profile: compiled.profile });
  }
  const has = (id: string): boolean => allowed.some((profile) => profile.id === id);
  const id = fallback ?? (has(':workspace') && has(':read-only') ? ':workspace' : undefined);
  const instead = allowed.find((profile) => profile.id === id);
  if (instead === undefined && problems.length === 0) {
    const what = id === undefined ? `needs ${defaultKey} beside it` : `does not contain ${defaultKey} ("${id}")`;
    problems.push(
      wrongValueInProfile([allowedKey], what, `Set ${defaultKey} to one of the profiles that are allowed.`),
    );
  }
  const [first, ...others] = allowed;
  if (instead === undefined || first === undefined) return { problems };
  const source = configKeySource(file, [allowedKey]);
  const rule: AllowedProfiles = { allowed: [first, ...others], instead, source, key: allowedKey };
  return { allowed: rule, problems };
}

export type AllowedServersResult = {
  readonly servers?: AllowedServers;
  readonly problems: readonly ProfileTableProblem[];
};
const serversKey = 'mcp_servers';

/** An empty table allows no MCP server. */
export function parseAllowedServers(file: ConfigLayer): AllowedServersResult {
  const table = objectAt(file.values, serversKey);
  if (table === undefined) return { problems: [] };
  const problems: ProfileTableProblem[] = [];
  const servers = Object.entries(table).flatMap(([name, entry]) => {
    const identity = identityOf([serversKey, name], entry ?? null, problems);
    return identity === undefined ? [] : [[name, identity] as const];
  });
  return { servers: { allowed: Object.fromEntries(servers), source: configKeySource(file, [serversKey]) }, problems };
}

type Path = readonly string[];
const refuse = (problems: ProfileTableProblem[], problem: ProfileTableProblem): undefined =>
  void problems.push(problem);

function identityOf(path: Path, entry: Json, problems: ProfileTableProblem[]): ServerIdentity | undefined {
  const server = tableAt(path, entry, ['identity'], problems);
  const at = [...path, 'identity'];
  const identity = server && tableAt(at, server['identity'] ?? null, ['command', 'url'], problems);
  if (identity === undefined) return undefined;
  const { command, url } = identity;
  if ((command === undefined) === (url === undefined))
    return refuse(problems, wrongValueInProfile(at, 'must have either a command or a url', 'Write one of them.'));
  if (url !== undefined) {
    const matcher = matcherOf([...at, 'url'], typeof url === 'string' ? { match: 'exact', value: url } : url, problems);
    return matcher && { kind: 'address', url: matcher };
  }
  if (typeof command === 'string') return { kind: 'program', command };
  return programOf([...at, 'command'], command ?? null, problems);
}

function programOf(path: Path, given: Json, problems: ProfileTableProblem[]): ServerIdentity | undefined {
  const table = tableAt(path, given, ['executable', 'args'], problems);
  if (table === undefined) return undefined;
  const { executable, args } = table;
  if (typeof executable !== 'string')
    problems.push(wrongProfileType([...path, 'executable'], 'a string', executable ?? null));
  if (!Array.isArray(args)) problems.push(wrongProfileType([...path, 'args'], 'a list of tables', args ?? null));
  if (typeof executable !== 'string' || !Array.isArray(args)) return undefined;
  const matchers = (args as readonly Json[]).map((each) => matcherOf([...path, 'args'], each, problems));
  const read = matchers.filter((matcher) => matcher !== undefined);
  return read.length === matchers.length ? { kind: 'program', command: executable, args: read } : undefined;
}

function matcherOf(path: Path, given: Json, problems: ProfileTableProblem[]): TextMatcher | undefined {
  const table = tableAt(path, given, ['match', 'value', 'expression'], problems);
  if (table === undefined) return undefined;
  const { match, value, expression } = table;
  if ((match === 'exact' || match === 'prefix') && typeof value === 'string' && expression === undefined)
    return { match, value };
  if (match === 'regex' && typeof expression === 'string' && value === undefined) {
    if (isPattern(expression)) return { match, expression };
    return refuse(
      problems,
      wrongValueInProfile(path, `has no valid regular expression (${expression})`, 'Correct it.'),
    );
  }
  const next =
    'Write { match = "exact", value = "…" }, the same with "prefix", or { match = "regex", expression = "…" }.';
  return refuse(problems, wrongValueInProfile(path, 'is not a matcher', next));
}

function isPattern(expression: string): boolean {
  return valueOr(false, () => wholePattern(expression) instanceof RegExp);
}

function tableAt(
  path: Path,
  given: Json,
  known: readonly string[],
  problems: ProfileTableProblem[],
): JsonObject | undefined {
  if (!isJsonObject(given)) return refuse(problems, wrongProfileType(path, 'a table', given));
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  problems.push(...unknown.map((name) => unknownTableKey([...path, name], known)));
  return given;
}
