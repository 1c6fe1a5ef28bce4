import { resolve } from 'node:path';
import type { SettingsChange } from '../../../envelope/override-fields.ts';
import type { Settings } from '../../../envelope/settings.ts';
import { widthOf } from '../../../policy/profile-width.ts';
import { keepingOwn } from '../../../policy/profiles.ts';
import { readSandbox } from '../../../policy/read-profile.ts';
import { isWrong } from '../../../policy/wrong-value.ts';
import { defined } from '../../../protocol/defined.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { PermissionProfile } from '../../../protocol/permission-profile.ts';
import { shortened } from '../offer/shortened.ts';
import type { ThreadRequest } from '../../engine/thread-request.ts';
import { asToolOutcome } from './tool-words.ts';
import { anObject, list, yesOrNo, text } from './tool-schema.ts';

const sandboxes = 'read-only, workspace-write, danger-full-access or {type}';

/** The context of a turn, as calls name it. */
export const contextArguments: JsonObject = {
  cwd: text(),
  approval_policy: { description: 'untrusted, on-request or never' },
  sandbox: { description: sandboxes },
  model: text(),
  effort: { type: ['string', 'null'] },
  summary: text(),
  mode: text(),
};

/** Tools of the client. */
export const ownTools: JsonObject = { tools: list };

/** What a thread starts with, beside its first message. */
export const startArguments: JsonObject = {
  model: text(),
  profile: text('config profile'),
  cwd: text(),
  approval_policy: contextArguments['approval_policy']!,
  sandbox: contextArguments['sandbox']!,
  permissions: text('name of a permission profile'),
  config: anObject,
  base_instructions: text(),
  developer_instructions: text(),
  compact_prompt: text(),
  plan_tool: yesOrNo,
  patch_tool: yesOrNo,
  tools: { ...list, description: 'yours: {name, description, inputSchema}' },
};

/** Keys of a change of settings by the names that calls have for them. */
const names = {
  cwd: 'cwd',
  approval_policy: 'approvals',
  sandbox: 'sandbox',
  model: 'model',
  effort: 'effort',
  summary: 'summary',
  mode: 'collaboration',
  tools: 'clientTools',
} as const;

/** Where a call wants a thread to work. Relative paths start where the server works. */
export function folderFrom(args: JsonObject, here: string): string | undefined {
  const cwd = stringAt(args, 'cwd');
  return cwd === undefined ? undefined : resolve(here, cwd);
}

/** A change of a thread's settings; undefined where the call names none. */
export function changeFrom(args: JsonObject, here: string): SettingsChange | undefined {
  const given = Object.entries(names).flatMap(([name, key]) => {
    const value = args[name];
    if (value === undefined) return [];
    if (name === 'cwd') return [[key, folderFrom(args, here) ?? value]];
    if (name === 'mode') return [[key, { mode: value }]];
    return [[key, name === 'sandbox' ? sandboxOfCall(value) : value]];
  });
  return given.length === 0 ? undefined : (Object.fromEntries(given) as SettingsChange);
}

/** A setting by the name that calls have for it. */
export function nameOfSetting(setting: string): string {
  return Object.entries(names).find(([, each]) => each === setting)?.[0] ?? setting;
}

/** A refusal of a change, in the words of the call. */
export function asCalled(outcome: Outcome): Outcome {
  if (!/^(?:change|options?)-/.test(outcome.code)) return asToolOutcome(outcome);
  const said = (sentence: string): string =>
    sentence
      .replaceAll(/\bclientTools\b/g, 'tools')
      .replaceAll(/\bcollaboration( of .+) must be .*, not\b/g, 'mode$1 must be "default" or "plan", not')
      .replaceAll(/\bcollaboration(?:\.mode)?\b/g, 'mode')
      .replaceAll(/\bapprovals\b(?= of | or leave)/g, 'approval_policy');
  return { ...outcome, message: said(shortened(outcome.message)), next: said(shortened(outcome.next)) };
}

/** A client names places, and reopens nothing of Capstan's own with them. What is wrong is reported where it is applied. */
function sandboxOfCall(value: Json): Json {
  const given = sandboxPolicy(value);
  const read = readSandbox(given);
  if (read === undefined || typeof read === 'string' || isWrong(read)) return given;
  return keepingOwn(read) as unknown as Json;
}

/** Older clients say `mode` and have names in camel case. */
function sandboxPolicy(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const named = Object.entries(value).map(([key, member]) => {
    const snake = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [snake === 'mode' && value['type'] === undefined ? 'type' : snake, member];
  });
  return Object.fromEntries(named) as JsonObject;
}

/** What a call that starts a thread asks of the engine. */
export function requestFrom(args: JsonObject, here: string): ThreadRequest & { readonly cwd: string } {
  const keys = {
    model: args['model'],
    approval_policy: args['approval_policy'],
    default_permissions: args['permissions'],
    instructions: args['base_instructions'],
    developer_instructions: args['developer_instructions'],
    compact_prompt: args['compact_prompt'],
  };
  const config = Object.entries(objectAt(args, 'config') ?? {});
  const overrides = [
    ...sandboxOverrides(args['sandbox']).map((override) => ({ ...override, ofCall: true as const })),
    ...config.map(
      ([key, value]) => ({ path: key.split('.'), value: value ?? null, foreign: true, ofCall: true }) as const,
    ),
    ...Object.entries(defined(keys)).map(([key, value]) => ({ path: [key], value: value as Json })),
  ];
  const withoutTools = [
    ...(args['plan_tool'] === false ? ['update_plan'] : []),
    ...(args['patch_tool'] === false ? ['apply_patch', 'edit_file'] : []),
  ];
  // Checked where the thread is opened.
  const clientTools = args['tools'] as ThreadRequest['clientTools'];
  return {
    cwd: folderFrom(args, here) ?? here,
    ...defined({ clientTools }),
    ...defined({ profile: stringAt(args, 'profile') }),
    ...(overrides.length === 0 ? {} : { config: overrides }),
    ...(withoutTools.length === 0 ? {} : { withoutTools }),
  };
}

/** A mode, or a policy with `type`: the rest of it is what the configuration has under the mode. */
function sandboxOverrides(value: Json | undefined): readonly { readonly path: string[]; readonly value: Json }[] {
  if (value === undefined) return [];
  const policy = sandboxPolicy(value);
  if (!isJsonObject(policy)) return [{ path: ['sandbox_mode'], value: policy }];
  const { type = null, ...rest } = policy;
  const more = Object.entries(rest).map(([key, each]) => ({
    path: ['sandbox_workspace_write', key],
    value: each ?? null,
  }));
  return [{ path: ['sandbox_mode'], value: type }, ...more];
}

/** The settings of a thread under the names that calls have for them. */
export function settingsShown(settings: Settings): JsonObject {
  const { model, provider, effort, summary, cwd, approvals: approval, sandbox: profile, collaboration } = settings;
  return {
    model,
    provider,
    ...defined({ effort, summary, mode: collaboration?.mode }),
    cwd,
    approval_policy: approval as unknown as Json,
    sandbox: widthOf(profile),
    network: networkShown(profile),
  };
}

function networkShown(profile: PermissionProfile): string {
  if (profile.type === 'disabled') return 'enabled';
  const isListed = profile.type === 'managed' && profile.capstan_network?.lists !== undefined;
  return profile.network === 'enabled' && isListed ? 'listed hosts' : profile.network;
}
