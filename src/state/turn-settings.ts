import { defined } from '../protocol/defined.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';

/** The settings of a turn in words for lists. */
export interface SettingsInWords {
  readonly model?: string;
  readonly provider?: string;
  readonly effort?: string;
  readonly cwd?: string;
  readonly approval?: string;
  readonly sandbox?: string;
  readonly mode?: string;
}

/** What a `turn_context` says, in the forms of all programs that write one. */
export function contextSettings(context: JsonObject): SettingsInWords {
  const provider = stringAt(objectAt(context, 'capstan'), 'provider');
  return defined({ ...sharedSettings(context), provider, effort: stringAt(context, 'effort') });
}

/** What a `thread_settings_applied` says. */
export function appliedSettings(settings: JsonObject): SettingsInWords {
  const provider = stringAt(settings, 'model_provider_id');
  return defined({ ...sharedSettings(settings), provider, effort: stringAt(settings, 'reasoning_effort') });
}

function sharedSettings(source: JsonObject) {
  const mode = stringAt(objectAt(source, 'collaboration_mode'), 'mode');
  // What was chosen, as `threads set` shows it and a resume takes it up: `exec` runs every turn with `never`.
  const approval = approvalWord(objectAt(source, 'capstan')?.['approval'] ?? source['approval_policy']);
  const sandbox = sandboxWord(source);
  return { model: stringAt(source, 'model'), cwd: stringAt(source, 'cwd'), approval, sandbox, mode };
}

function approvalWord(value: Json | undefined): string | undefined {
  if (isJsonObject(value)) return 'granular' in value ? 'granular' : undefined;
  return value === 'on-failure' ? 'on-request' : typeof value === 'string' ? value : undefined;
}

/** The coarse form if there is one; old files call its type `mode`. */
function sandboxWord(source: JsonObject): string | undefined {
  const policy = objectAt(source, 'sandbox_policy');
  const shared = objectAt(source, 'permission_profile');
  const word = stringAt(policy, 'type') ?? stringAt(policy, 'mode') ?? profileWord(shared);
  const profile = objectAt(objectAt(source, 'capstan'), 'profile') ?? shared;
  const isOpen = profile === undefined ? policy?.['network_access'] === true : profile['network'] === 'enabled';
  const more = [...limitWords(profile), ...(isOpen && isFenced(word) && !hasLists(profile) ? ['network access'] : [])];
  return word === undefined || more.length === 0 ? word : `${word} with ${more.join(' and ')}`;
}

/** What a profile has that no coarse form says. */
function limitWords(profile: JsonObject | undefined): readonly string[] {
  const entries = arrayAt(objectAt(profile, 'file_system'), 'entries') ?? [];
  const denies = entries.some((entry) => isJsonObject(entry) && entry['access'] === 'deny');
  return [...(denies ? ['denied paths'] : []), ...(hasLists(profile) ? ['listed hosts'] : [])];
}

function hasLists(profile: JsonObject | undefined): boolean {
  return objectAt(objectAt(profile, 'capstan_network'), 'lists') !== undefined;
}

/** Modes that leave the network closed unless something opens it. */
function isFenced(word: string | undefined): boolean {
  return word === 'read-only' || word === 'workspace-write';
}

function profileWord(profile: JsonObject | undefined): string | undefined {
  if (profile === undefined) return undefined;
  if (profile['type'] === 'disabled') return 'danger-full-access';
  if (profile['type'] === 'external') return 'external-sandbox';
  const files = objectAt(profile, 'file_system');
  if (files === undefined) return undefined;
  if (files['type'] === 'unrestricted') return 'danger-full-access';
  const writes = arrayAt(files, 'entries')?.some((entry) => isJsonObject(entry) && entry['access'] === 'write');
  return writes === true ? 'workspace-write' : 'read-only';
}
