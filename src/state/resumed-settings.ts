import { profileOf } from '../policy/legacy.ts';
import { materialise } from '../policy/profiles.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { equalJson } from '../world/merge-patch.ts';
import type { ApprovalPolicy, PermissionProfile, SandboxPolicy } from '../protocol/permission-profile.ts';
import type { ThreadState } from './thread-state.ts';

/** What the thread ran with last: resume goes on with it unless somebody names something else. */
export interface LastSettings {
  readonly model?: string;
  readonly provider?: string;
  readonly effort?: string;
  readonly cwd?: string;
  readonly approval?: ApprovalPolicy;
  readonly profile?: PermissionProfile;
}

export function lastSettings({ meta, context, settings }: ThreadState): LastSettings {
  const ours = context === undefined ? undefined : objectAt(context, 'capstan');
  const at = (source: Json | undefined, key: string) => (isJsonObject(source) ? stringAt(source, key) : undefined);
  return withoutUndefined({
    model: at(context, 'model') ?? at(settings, 'model'),
    provider: at(ours, 'provider') ?? at(settings, 'model_provider_id') ?? at(meta, 'model_provider'),
    effort: at(context, 'effort') ?? at(settings, 'reasoning_effort'),
    cwd: at(context, 'cwd') ?? at(meta, 'cwd'),
    approval: readApproval(context?.['approval_policy']),
    profile: readProfile(ours?.['profile']) ?? foreignProfile(context),
  });
}

/**
 * What another program recorded. It writes the workspace's own path where the profile says "the workspace"; if the
 * coarser form means just that, the symbol is put back, so that the thread may go on in another folder.
 */
function foreignProfile(context: JsonObject | undefined): PermissionProfile | undefined {
  if (context === undefined) return undefined;
  const recorded = readProfile(context['permission_profile']);
  const symbolic = readLegacy(context['sandbox_policy']);
  if (recorded === undefined || symbolic === undefined) return recorded ?? symbolic;
  const cwd = stringAt(context, 'cwd') ?? '';
  const filledIn = materialise(symbolic, [cwd]) as unknown as JsonObject;
  return equalJson(filledIn, recorded as unknown as JsonObject) ? symbolic : recorded;
}

function readApproval(value: Json | undefined): ApprovalPolicy | undefined {
  if (value === 'on-failure') return 'on-request';
  return value === 'untrusted' || value === 'on-request' || value === 'never' ? value : undefined;
}

/** Only a whole profile counts; a broken one falls through to the next source, and in the end to the configuration. */
function readProfile(value: Json | undefined): PermissionProfile | undefined {
  if (!isJsonObject(value)) return undefined;
  const network = value['network'];
  const hasNetwork = network === 'restricted' || network === 'enabled';
  if (value['type'] === 'disabled') return { type: 'disabled' };
  if (value['type'] === 'external') return hasNetwork ? { type: 'external', network } : undefined;
  const files = objectAt(value, 'file_system');
  if (value['type'] !== 'managed' || files === undefined || !hasNetwork) return undefined;
  if (files['type'] === 'unrestricted') return { type: 'managed', file_system: { type: 'unrestricted' }, network };
  if (files['type'] !== 'restricted' || !Array.isArray(files['entries'])) return undefined;
  return value as unknown as PermissionProfile;
}

function readLegacy(value: Json | undefined): PermissionProfile | undefined {
  return isJsonObject(value) && typeof value['type'] === 'string'
    ? profileOf(value as unknown as SandboxPolicy)
    : undefined;
}

function withoutUndefined(values: {
  readonly [Key in keyof LastSettings]: LastSettings[Key] | undefined;
}): LastSettings {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
