import { defined } from '../../../../base/objects.ts';
import { forbiddenKeys } from '../../../../core/config/project-trust.ts';
import type { SettingsChange } from '../../../../core/envelope/read-settings-change.ts';
import type { Settings } from '../../../../core/envelope/settings.ts';
import { isWrongValue, profileSandboxLevel } from '../../../../core/policy/profiles/profile-entries.ts';
import { withoutReopenedPlaces } from '../../../../core/policy/profiles/profiles.ts';
import { readSandbox } from '../../../../core/policy/profiles/read-profile.ts';
import type { ThreadRequest } from '../../../../engine/thread-request.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { PermissionProfile } from '../../../../protocol/permissions.ts';
import { shortenCallText } from '../server-interface.ts';
import { asToolOutcome } from './tool-answers.ts';
import { schemaParts } from './tool-definition.ts';
import { resolve } from 'node:path';

const policies = {
  approval_policy: { description: 'untrusted, on-request or never' },
  sandbox: { description: 'read-only, workspace-write, danger-full-access or {type}' },
};

export const contextArguments: JsonObject = {
  ...schemaParts.fields('cwd'),
  ...policies,
  ...schemaParts.fields('model'),
  effort: { type: ['string', 'null'] },
  ...schemaParts.fields('summary, mode'),
};

export const startArguments: JsonObject = {
  ...schemaParts.fields('model'),
  profile: schemaParts.text('config profile'),
  ...schemaParts.fields('cwd'),
  ...policies,
  permissions: schemaParts.text('name of a permission profile'),
  ...schemaParts.fields('config: object, base_instructions, developer_instructions, compact_prompt'),
  ...schemaParts.fields('plan_tool: boolean, patch_tool: boolean'),
  tools: { ...schemaParts.list, description: 'yours: {name, description, inputSchema}' },
};

const settingsByArgument = {
  cwd: 'cwd',
  approval_policy: 'approvals',
  sandbox: 'sandbox',
  model: 'model',
  effort: 'effort',
  summary: 'summary',
  mode: 'collaboration',
  tools: 'clientTools',
} as const;

/** The folder in which a call wants a thread to work. Relative paths start at the server's folder. */
export function folderFrom(args: JsonObject, here: string): string | undefined {
  const cwd = stringAt(args, 'cwd');
  return cwd === undefined ? undefined : resolve(here, cwd);
}

/** A change of a thread's settings; undefined if the call names none. */
export function settingsChangeFrom(args: JsonObject, here: string): SettingsChange | undefined {
  const given = Object.entries(settingsByArgument).flatMap(([name, key]) => {
    const value = args[name];
    if (value === undefined) return [];
    if (name === 'cwd') return [[key, folderFrom(args, here) ?? value]];
    if (name === 'mode') return [[key, { mode: value }]];
    return [[key, name === 'sandbox' ? sandboxOfCall(value) : value]];
  });
  return given.length === 0 ? undefined : (Object.fromEntries(given) as SettingsChange);
}

export const argumentOfSetting = (setting: string): string =>
  Object.entries(settingsByArgument).find(([, each]) => each === setting)?.[0] ?? setting;

/** Refusal of a change, worded with the argument names of the call. */
export function outcomeForCall(outcome: Outcome): Outcome {
  if (!/^(?:change|options?)-/.test(outcome.code)) return asToolOutcome(outcome);
  const said = (sentence: string): string =>
    sentence
      .replaceAll(/\bclientTools\b/g, 'tools')
      .replaceAll(/\bcollaboration( of .+) must be .*, not\b/g, 'mode$1 must be "default" or "plan", not')
      .replaceAll(/\bcollaboration(?:\.mode)?\b/g, 'mode')
      .replaceAll(/\bapprovals\b(?= of | or leave)/g, 'approval_policy');
  return { ...outcome, message: said(shortenCallText(outcome.message)), next: said(shortenCallText(outcome.next)) };
}

/** A client cannot reopen Capstan's own places. Faults are reported where the value is applied. */
function sandboxOfCall(value: Json): Json {
  const given = sandboxPolicy(value);
  const read = readSandbox(given);
  if (read === undefined || typeof read === 'string' || isWrongValue(read)) return given;
  return withoutReopenedPlaces(read) as unknown as Json;
}

/** Older clients say `mode` and use camel case. */
function sandboxPolicy(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const named = Object.entries(value).map(([key, member]) => {
    const snake = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [snake === 'mode' && value['type'] === undefined ? 'type' : snake, member];
  });
  return Object.fromEntries(named) as JsonObject;
}

export function threadRequestFrom(args: JsonObject, here: string): ThreadRequest & { readonly cwd: string } {
  const keys = {
    model: args['model'],
    approval_policy: args['approval_policy'],
    default_permissions: args['permissions'],
    instructions: args['base_instructions'],
    developer_instructions: args['developer_instructions'],
    compact_prompt: args['compact_prompt'],
  };
  const config = Object.entries(objectAt(args, 'config') ?? {});
  const ofCall = { ofCall: true } as const;
  const overrides = [
    ...sandboxOverrides(args['sandbox']).map((override) => ({ ...override, ...ofCall })),
    ...config.map(([key, value]) => ({
      path: key.split('.'),
      value: value ?? null,
      foreign: true as const,
      ...ofCall,
    })),
    ...Object.entries(defined(keys)).map(([key, value]) => ({ path: [key], value: value as Json })),
  ];
  const withoutTools = [
    ...(args['plan_tool'] === false ? ['update_plan'] : []),
    ...(args['patch_tool'] === false ? ['apply_patch', 'edit_file'] : []),
  ];
  return {
    cwd: folderFrom(args, here) ?? here,
    // Checked where the thread is opened.
    clientTools: args['tools'] as ThreadRequest['clientTools'],
    profile: stringAt(args, 'profile'),
    config: overrides.length === 0 ? undefined : overrides,
    withoutTools: withoutTools.length === 0 ? undefined : withoutTools,
  };
}

/** A mode, or a policy with `type`: the rest comes from the configuration of that mode. */
function sandboxOverrides(value: Json | undefined): readonly { readonly path: string[]; readonly value: Json }[] {
  if (value === undefined) return [];
  const policy = sandboxPolicy(value);
  if (!isJsonObject(policy)) return [{ path: ['sandbox_mode'], value: policy }];
  const { type = null, ...rest } = policy;
  const more = Object.entries(rest).map(([key, each]) => {
    return { path: ['sandbox_workspace_write', key], value: each ?? null };
  });
  return [{ path: ['sandbox_mode'], value: type }, ...more];
}

export function shownSettings(settings: Settings): JsonObject {
  const { model, provider, effort, summary, cwd, approvals: approval, sandbox: profile, collaboration } = settings;
  return {
    model,
    provider,
    effort,
    summary,
    mode: collaboration?.mode,
    cwd,
    approval_policy: approval as unknown as Json,
    sandbox: profileSandboxLevel(profile),
    network: networkShown(profile),
  };
}

function networkShown(profile: PermissionProfile): string {
  if (profile.type === 'disabled') return 'enabled';
  const isListed = profile.type === 'managed' && profile.capstan_network?.lists !== undefined;
  return profile.network === 'enabled' && isListed ? 'listed hosts' : profile.network;
}

const names = 'it names a program, a file or a server';
const opens = 'it decides which variables commands get';
const permits = 'it decides what commands may access, or who answers for the user';
const limits = 'it limits what threads and agents may use';
const keeps = 'it decides what is kept for the user';

/** A call may choose among what the user configured. The last two are closed to every thread anyway. */
const notClosed: ReadonlySet<string> = new Set(
  'model_provider profile profiles sandbox_fallback features.use_legacy_landlock'.split(' '),
);

/**
 * Closed to calls, whose arguments a model writes: all keys closed to projects, and those that run or read something
 * outside every sandbox, permit, limit, or keep. A call names a permission profile with `default_permissions`.
 */
const closed: ReadonlyMap<string, string> = new Map([
  ...forbiddenKeys
    .map((path) => path.join('.'))
    .filter((key) => !notClosed.has(key))
    .map((key) => [key, 'only the user decides about it'] as const),
  ...`hooks mcp_servers plugins marketplaces log_dir sqlite_home model_catalog_json model_instructions_file
    experimental_instructions_file experimental_compact_prompt_file`
    .split(/\s+/)
    .map((key) => [key, names] as const),
  ...['permissions', 'approvals_reviewer', 'auto_review'].map((key) => [key, permits] as const),
  ...['agents', 'goals'].map((key) => [key, limits] as const),
  ...['undo', 'memories', 'features.memories', 'features.memory_tool'].map((key) => [key, keeps] as const),
  ['shell_environment_policy', opens],
  ['allow_login_shell', opens],
]);

/** Why the configuration of a call is refused; undefined if it is accepted. */
export function configRefusal(config: JsonObject): Outcome | undefined {
  const found = closedPath(config, []);
  if (found === undefined) return undefined;
  return {
    code: 'config-closed',
    message: `A call cannot configure ${found.path.join('.').slice(0, 200)}: ${found.why}.`,
    next: 'Leave it out. The user can set it in config.toml, or with -c when starting the server.',
  };
}

function closedPath(
  table: JsonObject,
  above: readonly string[],
): { readonly path: readonly string[]; readonly why: string } | undefined {
  for (const [key, value] of Object.entries(table)) {
    const path = [...above, ...key.split('.')];
    const why = whyClosed(path);
    if (why !== undefined) return { path, why };
    const found = isJsonObject(value) ? closedPath(value, path) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function whyClosed(path: readonly string[]): string | undefined {
  const spelled = path.map((name) => name.trim().replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const own = spelled[0] === 'profiles' ? spelled.slice(2) : spelled;
  const found = own.map((_, at) => closed.get(own.slice(0, at + 1).join('.'))).find((why) => why !== undefined);
  return found ?? (spelled.includes('command') ? names : undefined);
}
