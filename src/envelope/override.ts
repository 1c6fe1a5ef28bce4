import { withDeniedReads } from '../policy/denied-reads.ts';
import { widthOf } from '../policy/profile-width.ts';
import {
  type Allowed,
  brokenByApproval,
  brokenByChoice,
  brokenByProfile,
  brokenByReviewer,
  type Requirements,
} from '../policy/requirements.ts';
import { equalJson, type Json } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { deepFreeze } from './deep-freeze.ts';
import { effortFor, effortProblem } from './effort.ts';
import { type Catalogue, lookUpModel } from './model-record.ts';
import { changeOptions, type ReadChange } from './override-fields.ts';
import type { Settings } from './settings.ts';
import { defined } from '../protocol/defined.ts';
import { approvalName } from '../policy/approval-policy.ts';

export type { SettingsChange } from './override-fields.ts';

export type ChangeProblem = Outcome<'option-wrong' | 'change-not-allowed'>;

export type Changed =
  /** `changed`: the keys of a change for the settings that are not what they were, in a fixed order. `settings` are frozen, deeply. */
  | { readonly kind: 'changed'; readonly settings: Settings; readonly changed: readonly string[] }
  | { readonly kind: 'refused'; readonly outcome: ChangeProblem };

/**
 * The settings with a change over them. All of it is applied or nothing: an effort that the model lacks, or a value that
 * breaks a requirement, refuses the whole change. A turn that runs keeps the envelope that it has.
 */
export function applyChange(
  settings: Settings,
  given: ReadChange,
  { catalogue, requirements }: { readonly catalogue: Catalogue; readonly requirements: Requirements },
): Changed {
  const wanted = { ...settings, ...settingsOf(given, settings, catalogue) };
  const effort = given.effort ? effortProblem(lookUpModel(catalogue, wanted.model), given.effort) : undefined;
  if (effort !== undefined) {
    const { message, next } = effort;
    return { kind: 'refused', outcome: { code: 'option-wrong', message, next: `${next} Nothing was changed.` } };
  }
  const outcome = notAllowed(requirements, wanted);
  if (outcome !== undefined) return { kind: 'refused', outcome };
  const allowed = { ...wanted, profile: withDeniedReads(requirements, wanted.profile) };
  const differs = (name: keyof Settings): boolean => !equalJson(settings[name] as Json, allowed[name] as Json);
  const changed = Object.keys(changeOptions).filter(
    (name) => differs(settingOf(name)) || (name === 'approvals' && differs('askedApproval')),
  );
  if (changed.length === 0) return { kind: 'changed', settings, changed };
  const origins = { ...settings.origins, ...Object.fromEntries(changed.map((name) => [settingOf(name), 'override'])) };
  return { kind: 'changed', settings: deepFreeze(defined({ ...allowed, origins })), changed };
}

/** The setting that a key of a change decides. */
export function settingOf(name: string): keyof Settings {
  if (name === 'approvals') return 'approval';
  return name === 'sandbox' ? 'profile' : (name as keyof Settings);
}

/** What the fields make of the settings; undefined for a setting whose choice is taken back. */
function settingsOf(given: ReadChange, settings: Settings, catalogue: Catalogue) {
  const { sandbox, approvals, effort, personality, realtime, ...plain } = given;
  const model = given.model ?? settings.model;
  return {
    ...plain,
    ...defined({ profile: sandbox, approval: approvals }),
    ...(effort === undefined
      ? { effort: effortFor(lookUpModel(catalogue, model), settings) }
      : { effort: effort ?? undefined }),
    ...(personality === undefined ? {} : { personality: personality ?? undefined }),
    // A caller that names a policy now means it for the thread and for the surface.
    ...(approvals === undefined ? {} : { askedApproval: undefined }),
    ...(realtime === undefined ? {} : { realtime: { ...settings.realtime, ...realtime } }),
  };
}

function notAllowed(
  requirements: Requirements,
  { approval, reviewer = 'user', profile }: Pick<Settings, 'approval' | 'reviewer' | 'profile'>,
): ChangeProblem | undefined {
  const byApproval = brokenByApproval(requirements, approval);
  if (byApproval !== undefined) {
    const allowed = byApproval.allowed.map(approvalName) as [string, ...string[]];
    return forbidden('approval', approvalName(approval), { ...byApproval, allowed });
  }
  const byReviewer = brokenByReviewer(requirements, reviewer);
  if (byReviewer !== undefined) return forbidden('reviewer', reviewer, byReviewer);
  const byProfile = brokenByProfile(requirements, profile);
  if (byProfile !== undefined) return forbidden('sandbox mode', widthOf(profile), byProfile);
  const byChoice = brokenByChoice(requirements, profile);
  if (byChoice === undefined) return undefined;
  const [first, ...others] = byChoice.allowed.map(({ id }) => id);
  const rule = { ...byChoice, allowed: [first as string, ...others] } as const;
  return forbidden('profile', widthOf(profile), rule);
}

function forbidden(what: string, value: string, { allowed, key, source }: Allowed<string>): ChangeProblem {
  return {
    code: 'change-not-allowed',
    message: `${key} in ${source} does not allow the ${what} "${value}". Nothing was changed.`,
    next: `Choose one of these: ${allowed.join(', ')}. Or ask the administrator.`,
  };
}
