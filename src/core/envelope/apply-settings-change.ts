import {
  brokenApprovalRequirement,
  brokenProfileRequirement,
  brokenSandboxRequirement,
  brokenReviewerRequirement,
  effectiveSandboxLevel,
  withDeniedReads,
} from '../policy/requirements.ts';
import type { AllowedValues, ManagedRequirements } from '../policy/requirements.ts';
import { profileSandboxLevel } from '../policy/profiles/profile-entries.ts';
import { equalJson, type Json } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { deepFreeze } from './envelope.ts';
import { effortFor, effortProblem } from './identity.ts';
import { type Catalogue, lookUpModel } from './model-record.ts';
import { settingsChangeOptions, type ParsedSettingsChange, type SettingsChange } from './read-settings-change.ts';
import type { Settings } from './settings.ts';
import { defined } from '../../base/objects.ts';
import { approvalName } from '../policy/decide/approval-policy.ts';

export type { SettingsChange };
export type SettingsChangeProblem = Outcome<'option-wrong' | 'change-not-allowed'>;

export type SettingsChangeResult =
  /** `changed`: the keys of the settings that differ now, in a fixed order. `settings` are deeply frozen. */
  | { readonly kind: 'changed'; readonly settings: Settings; readonly changed: readonly string[] }
  | { readonly kind: 'refused'; readonly outcome: SettingsChangeProblem };

/** Applies the whole change or nothing, if an effort or a requirement forbids it. A running turn keeps its envelope. */
export function applySettingsChange(
  settings: Settings,
  given: ParsedSettingsChange,
  { catalogue, requirements }: { readonly catalogue: Catalogue; readonly requirements: ManagedRequirements },
): SettingsChangeResult {
  const wanted = { ...settings, ...settingsOf(given, settings, catalogue) };
  const effort = given.effort ? effortProblem(lookUpModel(catalogue, wanted.model), given.effort) : undefined;
  if (effort !== undefined) {
    const { message, next } = effort;
    return { kind: 'refused', outcome: { code: 'option-wrong', message, next: `${next} Nothing was changed.` } };
  }
  const outcome = notAllowed(requirements, wanted);
  if (outcome !== undefined) return { kind: 'refused', outcome };
  const allowed = { ...wanted, sandbox: withDeniedReads(requirements, wanted.sandbox) };
  const differs = (name: keyof Settings): boolean => !equalJson(settings[name] as Json, allowed[name] as Json);
  const names = Object.keys(settingsChangeOptions) as (keyof SettingsChange & keyof Settings)[];
  const changed = names.filter((name) => differs(name) || (name === 'approvals' && differs('askedApproval')));
  if (changed.length === 0) return { kind: 'changed', settings, changed };
  const origins = { ...settings.origins, ...Object.fromEntries(changed.map((name) => [name, 'override'])) };
  return { kind: 'changed', settings: deepFreeze(defined({ ...allowed, origins })), changed };
}

/** A setting is undefined where its choice is taken back. */
function settingsOf(given: ParsedSettingsChange, settings: Settings, catalogue: Catalogue) {
  const { effort, personality, realtime, ...plain } = given;
  const model = given.model ?? settings.model;
  return {
    ...plain,
    effort: effort === undefined ? effortFor(lookUpModel(catalogue, model), settings) : (effort ?? undefined),
    ...(personality !== undefined && { personality: personality ?? undefined }),
    // A caller that names a policy now means it for the thread and for the surface.
    ...(given.approvals !== undefined && { askedApproval: undefined }),
    ...(realtime !== undefined && { realtime: { ...settings.realtime, ...realtime } }),
  };
}

function notAllowed(
  requirements: ManagedRequirements,
  { approvals, reviewer = 'user', sandbox }: Pick<Settings, 'approvals' | 'reviewer' | 'sandbox'>,
): SettingsChangeProblem | undefined {
  const byApproval = brokenApprovalRequirement(requirements, approvals);
  if (byApproval !== undefined) {
    const allowed = byApproval.allowed.map(approvalName) as [string, ...string[]];
    return forbidden('approval', approvalName(approvals), { ...byApproval, allowed });
  }
  const byReviewer = brokenReviewerRequirement(requirements, reviewer);
  if (byReviewer !== undefined) return forbidden('reviewer', reviewer, byReviewer);
  const byProfile = brokenSandboxRequirement(requirements, sandbox);
  if (byProfile !== undefined)
    return forbidden('sandbox mode', effectiveSandboxLevel(requirements, sandbox), byProfile);
  const byChoice = brokenProfileRequirement(requirements, sandbox);
  if (byChoice === undefined) return undefined;
  const allowed = byChoice.allowed.map(({ id }) => id) as [string, ...string[]];
  return forbidden('profile', profileSandboxLevel(sandbox), { ...byChoice, allowed });
}

function forbidden(
  what: string,
  value: string,
  { allowed, key, source }: AllowedValues<string>,
): SettingsChangeProblem {
  return {
    code: 'change-not-allowed',
    message: `${key} in ${source} does not allow the ${what} "${value}". Nothing was changed.`,
    next: `Choose one of these: ${allowed.join(', ')}. Or ask the administrator.`,
  };
}
