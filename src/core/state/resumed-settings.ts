import { type ModelChoices, modelDefaults, type Catalogue, lookUpModel } from '../envelope/model-record.ts';
import type { CollaborationSetting, Personality, Settings } from '../envelope/settings.ts';
import { readClientTools } from '../../protocol/client-tool.ts';
import { defined } from '../../base/objects.ts';
import { profileFromPolicy, readNetworkDetails } from '../policy/profiles/read-profile.ts';
import type { NetworkRule } from '../policy/rules/rule-set.ts';
import { expandWorkspaceSymbols } from '../policy/profiles/profiles.ts';
import { isWrongValue } from '../policy/profiles/profile-entries.ts';
import { arrayAt, equalJson, isJsonObject, objectAt, stringAt, trueAt } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { PermissionProfile, SandboxPolicy } from '../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../protocol/question.ts';
import { nonBlankTextAt } from './current-provider.ts';
import type { ThreadState } from './thread-state.ts';
import { readApprovalPolicy } from '../policy/decide/approval-policy.ts';

/** Settings of the thread's last turn, or for its next one: resume uses them unless a flag overrides them. */
export type LastSettings = Partial<Omit<Settings, 'personality'>> & {
  /** `null`: explicitly none, whatever is configured. */
  readonly personality?: Personality | null;
  /** Values that may be defaults of the model instead of choices: their line does not say. */
  readonly resolved?: readonly ResolvedChoice[];
};

type ResolvedChoice = keyof ModelChoices;

export function lastSettings({ meta, context, settings, newest }: ThreadState): LastSettings {
  const chosen = newest === 'settings' ? fromSettings(settings, context) : fromContext(context, settings);
  const provider = chosen.provider ?? stringAt(meta, 'model_provider');
  const cwd = chosen.cwd ?? absolute(meta);
  const resolved = (chosen.resolved ?? []).filter((name) => chosen[name] !== undefined);
  const more = { provider, cwd, resolved: resolved.length === 0 ? undefined : resolved };
  return defined({ ...startedWith(settings), ...chosen, ...more });
}

/** Settings that a thread keeps from its start. The newest change of settings has them, even if turns follow it. */
function startedWith(settings: JsonObject | undefined): Loose {
  const start = objectAt(objectAt(settings, 'capstan'), 'start');
  const names = (key: string) => arrayAt(start, key)?.filter((name) => typeof name === 'string');
  const tools = start?.['client_tools'] && readClientTools(start['client_tools']);
  return {
    developerInstructions: stringAt(start, 'developer_instructions'),
    compactPrompt: stringAt(start, 'compact_prompt'),
    onlyTools: names('only_tools'),
    withoutTools: names('without_tools'),
    clientTools: Array.isArray(tools) ? tools : undefined,
  };
}

export function withoutStartSettings(last: LastSettings): LastSettings {
  const { developerInstructions: _instructions, compactPrompt: _prompt, ...others } = last;
  const { clientTools: _given, onlyTools: _only, withoutTools: _left, ...rest } = others;
  return rest;
}

/** True if a resume of this state restores these `thread_settings` anyway. */
export function restoresSettings(state: ThreadState, settings: JsonObject): boolean {
  const [now, then] = [state, { ...state, settings, newest: 'settings' as const }].map(lastSettings);
  return equalJson(now as unknown as JsonObject, then as unknown as JsonObject);
}

/** The line with all grants: our newest change of settings, otherwise the newest turn. */
export const newestGrantingSettings = ({ context, settings, newest }: ThreadState): JsonObject | undefined =>
  newest === 'settings' && settings?.['capstan'] !== undefined ? settings : context;

/** Removes values that the line's model has by default: they were no choices. */
export function withoutModelDefaults({ resolved = [], ...last }: LastSettings, catalogue: Catalogue): LastSettings {
  if (resolved.length === 0 || last.model === undefined) return last;
  const defaults = modelDefaults(lookUpModel(catalogue, last.model));
  const isDefault = (name: string): boolean =>
    resolved.some((choice) => choice === name && last[choice] === defaults[choice]);
  return Object.fromEntries(Object.entries(last).filter(([name]) => !isDefault(name)));
}

/** A turn's own record, completed by the thread's settings. */
function fromContext(context: JsonObject | undefined, settings: JsonObject | undefined): Loose {
  const ours = objectAt(context, 'capstan');
  return {
    ...choices(ours, nonBlankTextAt(context, 'effort') ?? nonBlankTextAt(settings, 'reasoning_effort')),
    model: nonBlankTextAt(context, 'model') ?? nonBlankTextAt(settings, 'model'),
    provider: nonBlankTextAt(ours, 'provider') ?? nonBlankTextAt(settings, 'model_provider_id'),
    cwd: absolute(context) ?? absolute(settings),
    approvals: readApprovalPolicy(ours?.['approval'] ?? context?.['approval_policy'] ?? settings?.['approval_policy']),
    sandbox: readProfile(ours?.['profile']) ?? foreignProfile(context),
    personality: readPersonality(ours?.['personality'] === undefined ? context?.['personality'] : ours['personality']),
    collaboration: readMode(ours, context),
    realtime: (ours?.['realtime'] ?? context?.['realtime_active']) === true ? { active: true } : undefined,
  };
}

function fromSettings(settings: JsonObject | undefined, context: JsonObject | undefined): Loose {
  const ours = objectAt(settings, 'capstan');
  if (settings === undefined || ours === undefined) return fromContext(context, settings);
  return {
    ...choices(ours, nonBlankTextAt(settings, 'reasoning_effort')),
    model: nonBlankTextAt(settings, 'model'),
    // The seal does not cover the shared key, so ours takes precedence.
    provider: nonBlankTextAt(ours, 'provider') ?? nonBlankTextAt(settings, 'model_provider_id'),
    cwd: absolute(settings),
    approvals: readApprovalPolicy(ours['approval'] ?? settings['approval_policy']),
    sandbox: readProfile(ours['profile']) ?? readProfile(settings['permission_profile']),
    personality: readPersonality(ours['personality']),
    collaboration: readMode(ours, settings),
    realtime: ours['realtime'] === true ? { active: true } : undefined,
  };
}

type Loose = { readonly [Key in keyof LastSettings]: LastSettings[Key] | undefined };

/** All choices, also those that a model has defaults for. Older lines and other programs have resolved values only. */
function choices(ours: JsonObject | undefined, resolvedEffort: string | undefined): Loose {
  const chosen = objectAt(ours, 'chosen');
  return {
    serviceTier: stringAt(ours, 'service_tier'),
    reviewer: readReviewer(ours?.['reviewer']),
    changesNothing: trueAt(ours, 'changes_nothing'),
    approvedPrefixes: readPrefixes(ours?.['approved_prefixes']),
    networkRules: readRules(ours?.['network_rules']),
    effort: chosen === undefined ? resolvedEffort : nonBlankTextAt(chosen, 'effort'),
    summary: stringAt(chosen ?? ours, 'summary'),
    verbosity: stringAt(chosen ?? ours, 'verbosity'),
    resolved: chosen === undefined ? ['effort', 'summary', 'verbosity'] : undefined,
  };
}

/** The base of a relative folder is no longer known. */
function absolute(source: JsonObject | undefined): string | undefined {
  const cwd = stringAt(source, 'cwd');
  return cwd?.startsWith('/') === true ? cwd : undefined;
}

const readReviewer = (value: Json | undefined): ApprovalsReviewer | undefined =>
  value === 'user' || value === 'auto_review' ? value : undefined;

const readPersonality = (value: Json | undefined): Personality | null | undefined =>
  value === null || value === 'none' || value === 'friendly' || value === 'pragmatic' ? value : undefined;

/** Our value if we wrote the record; otherwise that of another program under the shared key. */
function readMode(ours: JsonObject | undefined, source: JsonObject | undefined): CollaborationSetting | undefined {
  const shared = objectAt(source, 'collaboration_mode');
  const mode = stringAt(ours ?? shared, 'mode');
  const foreign = stringAt(objectAt(shared, 'settings'), 'developer_instructions');
  const instructions = ours === undefined ? foreign : stringAt(ours, 'mode_instructions');
  if (mode !== 'plan' && instructions === undefined) return undefined;
  return { mode: mode === 'plan' ? 'plan' : 'default', ...defined({ instructions }) };
}

function readPrefixes(value: Json | undefined): readonly (readonly string[])[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((words): words is string[] => Array.isArray(words) && words.every((w) => typeof w === 'string'));
}

function readRules(value: Json | undefined): readonly NetworkRule[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isJsonObject).flatMap((rule) => {
    const host = stringAt(rule, 'host');
    const action = (['allow', 'deny', 'ask'] as const).find((each) => each === rule['action']);
    return host === undefined || action === undefined ? [] : [{ host, action, why: stringAt(rule, 'why') }];
  });
}

/** Another program's profile. If its coarser form means the same, that form is used: it keeps the workspace symbol. */
function foreignProfile(context: JsonObject | undefined): PermissionProfile | undefined {
  if (context === undefined) return undefined;
  const recorded = readProfile(context['permission_profile']);
  const symbolic = readLegacy(objectAt(context, 'sandbox_policy'));
  if (recorded === undefined || symbolic === undefined) return recorded ?? symbolic;
  const filledIn = expandWorkspaceSymbols(symbolic, [stringAt(context, 'cwd') ?? '']) as unknown as JsonObject;
  return equalJson(filledIn, recorded as unknown as JsonObject) ? symbolic : recorded;
}

/** Only a complete profile counts; otherwise the next source is used, and finally the configuration. */
function readProfile(value: Json | undefined): PermissionProfile | undefined {
  if (!isJsonObject(value)) return undefined;
  const network = value['network'];
  const hasNetwork = network === 'restricted' || network === 'enabled';
  if (value['type'] === 'disabled') return { type: 'disabled' };
  if (value['type'] === 'external') return hasNetwork ? { type: 'external', network } : undefined;
  const files = objectAt(value, 'file_system');
  if (value['type'] !== 'managed' || files === undefined || !hasNetwork) return undefined;
  const details = value['capstan_network'] === undefined ? undefined : readNetworkDetails(value['capstan_network']);
  if (isWrongValue(details)) return undefined;
  if (files['type'] === 'unrestricted') {
    const listed = defined({ capstan_network: details });
    return { type: 'managed', file_system: { type: 'unrestricted' }, network, ...listed };
  }
  const written = arrayAt(files, 'entries');
  if (files['type'] !== 'restricted' || written === undefined) return undefined;
  const entries = written.map(withNewWords);
  const isNew = entries.every((entry, index) => entry === written[index]);
  return (isNew ? value : { ...value, file_system: { ...files, entries } }) as unknown as PermissionProfile;
}

/** Replaces older words for `deny` and for the workspace. */
function withNewWords(entry: Json): Json {
  if (!isJsonObject(entry)) return entry;
  const path = objectAt(entry, 'path');
  const special = objectAt(path, 'value');
  const isOldPlace = stringAt(special, 'kind') === 'current_working_directory';
  if (entry['access'] !== 'none' && !isOldPlace) return entry;
  const access = entry['access'] === 'none' ? { access: 'deny' } : {};
  const place = isOldPlace ? { path: { ...path, value: { ...special, kind: 'project_roots' } } } : {};
  return { ...entry, ...access, ...place };
}

const readLegacy = (value: JsonObject | undefined): PermissionProfile | undefined =>
  stringAt(value, 'type') === undefined ? undefined : profileFromPolicy(value as unknown as SandboxPolicy);

/** Names of settings that apply because a resumed thread took them from its past. */
export interface RestoredSettings {
  readonly from: 'turn' | 'settings';
  readonly turnId?: string;
  readonly names: readonly string[];
}

export function restoredSettings(state: ThreadState, { origins = {} }: Settings): RestoredSettings {
  const turnId = stringAt(state.context, 'turn_id');
  // A turn also records the thread's settings, which then equal its contract.
  const [last, ofTurn] = [state, { ...state, newest: 'context' as const }].map(lastSettings) as unknown as Json[];
  const names = Object.keys(origins).filter((name) => origins[name] === 'thread' && name !== 'askedApproval');
  return { from: equalJson(last, ofTurn) ? 'turn' : 'settings', turnId, names };
}

export function restoredFields({ from, turnId, names }: RestoredSettings): JsonObject {
  return { from, turn_id: turnId, names };
}
