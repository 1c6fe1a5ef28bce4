import { resolvePolicy } from '../policy/resolve-policy.ts';
import type { ShellEnvironmentPolicy } from '../policy/shell-environment-policy.ts';
import type { ApprovalPolicy, PermissionProfile } from '../protocol/permission-profile.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import type { Identity } from './identity.ts';
import type { Instructions } from './instructions.ts';
import type { Settings } from './settings.ts';
import type { Workspace } from './workspace.ts';

/** What the turn may do. The text for the model and the sandbox are made from `resolved` (I5). */
export interface Policy {
  readonly approval: ApprovalPolicy;
  /** As chosen, with its symbols: what the rollout keeps. */
  readonly profile: PermissionProfile;
  readonly resolved: ResolvedPolicy;
  readonly shellEnvironment: ShellEnvironmentPolicy;
}

export function resolvePolicyGroup(
  settings: Settings,
  before: { identity: Identity; workspace: Workspace; instructions: Instructions },
): Policy {
  return {
    approval: settings.approval,
    profile: settings.profile,
    resolved: resolvePolicy(settings.profile, before.workspace.places),
    shellEnvironment: settings.shellEnvironment,
  };
}
