import { describePolicy, type PolicyDescription } from '../policy/describe-policy.ts';
import { resolvePolicy } from '../policy/resolve-policy.ts';
import type { ShellEnvironmentPolicy } from '../policy/shell-environment-policy.ts';
import { defined } from '../protocol/defined.ts';
import type { ApprovalPolicy, PermissionProfile } from '../protocol/permission-profile.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import type { NetworkRule, Settings } from './settings.ts';
import type { Workspace } from './workspace.ts';

/** What the turn may do. The text for the model and the sandbox are made from `resolved` (I5). */
export interface Policy {
  readonly approval: ApprovalPolicy;
  /** What was chosen for the thread, when the surface of this turn holds another: what the rollout keeps. */
  readonly askedApproval?: ApprovalPolicy;
  /** As chosen, with its symbols: what the rollout keeps. */
  readonly profile: PermissionProfile;
  readonly resolved: ResolvedPolicy;
  /** How far commands are shut in, in one word. */
  readonly sandboxLevel: PolicyDescription['mode'];
  readonly shellEnvironment: ShellEnvironmentPolicy;
  readonly approvedPrefixes: readonly (readonly string[])[];
  readonly networkRules: readonly NetworkRule[];
  /** What stands between commands and the network. There is none so far. */
  readonly networkProxy: 'none';
}

export function resolvePolicyGroup(settings: Settings, { workspace }: { readonly workspace: Workspace }): Policy {
  const resolved = resolvePolicy(settings.profile, workspace.places);
  return {
    approval: settings.approval,
    ...defined({ askedApproval: settings.askedApproval }),
    profile: settings.profile,
    resolved,
    sandboxLevel: describePolicy(resolved, workspace.cwd).mode,
    shellEnvironment: settings.shellEnvironment,
    approvedPrefixes: settings.approvedPrefixes ?? [],
    networkRules: settings.networkRules ?? [],
    networkProxy: 'none',
  };
}
