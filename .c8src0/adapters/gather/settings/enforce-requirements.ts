import type { Config } from '../../../core/config/config.ts';
import type { Settings } from '../../../core/envelope/settings.ts';
import {
  brokenApprovalRequirement,
  brokenProfileRequirement,
  brokenSandboxRequirement,
  brokenReviewerRequirement,
  effectiveSandboxLevel,
  replacementMode,
  withDeniedReads,
} from '../../../core/policy/requirements.ts';
import type { AllowedValues, Requirements } from '../../../core/policy/requirements.ts';
import { profileSandboxLevel } from '../../../core/policy/profiles/profile-entries.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ApprovalPolicy } from '../../../protocol/permissions.ts';
import { profileForMode } from './choose-profile.ts';
import { approvalName } from '../../../core/policy/decide/approval-policy.ts';

export type RequirementNotice = Outcome<'requirement-overrides'>;

export interface EnforcedSettings {
  readonly settings: Settings;
  /** Choices that are not allowed. A disallowed default is replaced silently. */
  readonly notices: readonly RequirementNotice[];
  /** `managed`: the administrator restricts what commands may touch. */
  readonly sandbox: 'managed' | 'free';
}

export function enforceRequirements(requirements: Requirements, settings: Settings, config: Config): EnforcedSettings {
  const steps = [requiredApproval, requiredReviewer, requiredProfile, requiredFeatures, requiredInstructions];
  const sandbox = isManaged(requirements, settings, config) ? 'managed' : 'free';
  const start: EnforcedSettings = { settings, notices: [], sandbox };
  return steps.reduce((before, step) => {
    const { settings: after, notices = [] } = step(requirements, before.settings, config);
    return { ...before, settings: after, notices: [...before.notices, ...notices] };
  }, start);
}

type Step = Pick<EnforcedSettings, 'settings'> & Partial<EnforcedSettings>;

function isManaged(requirements: Requirements, { sandbox: profile }: Settings, { pinned }: Config): boolean {
  const { denyRead, sandboxModes } = requirements;
  return (
    denyRead !== undefined ||
    pinned.get('default_permissions') === 'managed' ||
    brokenProfileRequirement(requirements, profile) !== undefined ||
    sandboxModes?.key === 'sandbox_mode' ||
    brokenSandboxRequirement(requirements, profile) !== undefined
  );
}

function requiredApproval(requirements: Requirements, settings: Settings): Step {
  const broken = brokenApprovalRequirement(requirements, settings.approvals);
  if (broken === undefined) return { settings };
  const [approval] = broken.allowed;
  const [value, instead] = [approvalName(settings.approvals), approvalName(approval)];
  const what = { key: 'approval_policy', value, broken: named(broken), instead };
  const notices = noticesOf(settings, 'approvals', what);
  return { settings: decided({ ...settings, approvals: approval }, 'approvals'), notices };
}

export function allowedReviewer(requirements: Requirements, reviewer: Settings['reviewer']) {
  return brokenReviewerRequirement(requirements, reviewer ?? 'user')?.allowed[0] ?? reviewer;
}

function requiredReviewer(requirements: Requirements, settings: Settings): Step {
  const { reviewer = 'user' } = settings;
  const { reviewPolicy } = requirements;
  const told = reviewPolicy === undefined ? settings : decided({ ...settings, reviewPolicy }, 'reviewPolicy');
  const broken = brokenReviewerRequirement(requirements, reviewer);
  if (broken === undefined) return { settings: told };
  const [instead] = broken.allowed;
  const notices = noticesOf(settings, 'reviewer', { key: 'approvals_reviewer', value: reviewer, broken, instead });
  return { settings: decided({ ...told, reviewer: instead }, 'reviewer'), notices };
}

function named({ allowed: [first, ...others], ...rest }: AllowedValues<ApprovalPolicy>): AllowedValues<string> {
  return { ...rest, allowed: [approvalName(first), ...others.map(approvalName)] };
}

function requiredProfile(requirements: Requirements, settings: Settings, config: Config): Step {
  const broken = brokenSandboxRequirement(requirements, settings.sandbox);
  if (broken === undefined) return chosenProfile(requirements, settings, config);
  const mode = replacementMode(broken);
  const [width, counted] = [
    profileSandboxLevel(settings.sandbox),
    effectiveSandboxLevel(requirements, settings.sandbox),
  ];
  // The requirements would allow the mode, but the profile also reopens Capstan's own files.
  const isNamed = width !== counted && config.namedProfile !== undefined;
  const chosen = isNamed
    ? { key: 'default_permissions', value: config.namedProfile.id, why: reopens }
    : { key: 'sandbox_mode', value: counted };
  const notices = noticesOf(settings, 'sandbox', { ...chosen, broken, instead: mode });
  const inMode = decided({ ...settings, sandbox: profileForMode(config, mode) }, 'sandbox');
  return { settings: chosenProfile(requirements, inMode, config).settings, notices };
}

function chosenProfile(requirements: Requirements, settings: Settings, { namedProfile }: Config): Step {
  const broken = brokenProfileRequirement(requirements, settings.sandbox);
  if (broken === undefined)
    return { settings: { ...settings, sandbox: withDeniedReads(requirements, settings.sandbox) } };
  const { instead, source, key: rule } = broken;
  const allowed = broken.allowed.map(({ id }) => id) as [string, ...string[]];
  const value = namedProfile?.id ?? profileSandboxLevel(settings.sandbox);
  const key = namedProfile === undefined ? 'sandbox_mode' : 'default_permissions';
  const what = { key, value, broken: { allowed, source, key: rule }, instead: instead.id };
  const sandbox = withDeniedReads(requirements, instead.profile);
  const notices = noticesOf(settings, 'sandbox', what);
  return { settings: decided({ ...settings, sandbox }, 'sandbox'), notices };
}

function requiredFeatures({ features: demanded }: Requirements, settings: Settings): Step {
  if (demanded === undefined) return { settings };
  const { pins, source } = demanded;
  const overridden = Object.keys(pins).filter(
    (name) => settings.features?.[name] !== undefined && settings.features[name] !== pins[name],
  );
  const notices = overridden.map((name) =>
    overriding(`features.${name} = ${String(!pins[name])} has no effect: features.${name} in ${source} overrides it.`),
  );
  return { settings: decided({ ...settings, features: { ...settings.features, ...pins } }, 'features'), notices };
}

function requiredInstructions({ instructions }: Requirements, settings: Settings): Step {
  if (instructions === undefined) return { settings };
  return { settings: decided({ ...settings, managedInstructions: instructions }, 'managedInstructions') };
}

function decided(settings: Settings, name: keyof Settings): Settings {
  return { ...settings, origins: { ...settings.origins, [name]: 'managed' } };
}

const reopens = ", which opens Capstan's own files";

function noticesOf(
  { origins = {} }: Settings,
  name: keyof Settings,
  { key, value, why = '', broken, instead }: Overruled,
): readonly RequirementNotice[] {
  const origin = origins[name];
  // No notice: the value is a default, or one that a surface fixes without a choice.
  if (origin === undefined || origin === 'surface') return [];
  const rule = `${broken.key} in ${broken.source}`;
  const message = `${rule} does not allow ${key} = "${value}" (${origin})${why}: Capstan uses "${instead}" instead.`;
  return [overriding(message)];
}

interface Overruled extends Readonly<Record<'key' | 'value' | 'instead', string>> {
  readonly why?: string;
  readonly broken: AllowedValues<string>;
}

function overriding(message: string): RequirementNotice {
  return { code: 'requirement-overrides', message, next: 'Ask the administrator of this machine.' };
}
