import { describePolicy, type PolicyDescription } from '../policy/describe-policy.ts';
import { resolvePolicy } from '../policy/resolve-policy.ts';
import { defined } from '../protocol/defined.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import type { NetworkRule, Settings } from './settings.ts';
import type { Workspace } from './workspace.ts';

/** What the turn may do. The text for the model and the sandbox are made from `resolved` (I5). */
export interface Policy extends Pick<
  Settings,
  'approval' | 'askedApproval' | 'reviewer' | 'reviewPolicy' | 'profile' | 'shellEnvironment'
> {
  readonly resolved: ResolvedPolicy;
  /** How far commands are shut in, in one word. */
  readonly sandboxLevel: PolicyDescription['mode'];
  readonly approvedPrefixes: readonly (readonly string[])[];
  readonly networkRules: readonly NetworkRule[];
  /** What stands between commands and the network. There is none so far. */
  readonly networkProxy: 'none';
}

export function resolvePolicyGroup(settings: Settings, { workspace }: { readonly workspace: Workspace }): Policy {
  const { approval, askedApproval, profile, shellEnvironment, approvedPrefixes = [], networkRules = [] } = settings;
  const { reviewer, reviewPolicy } = settings;
  const resolved = resolvePolicy(profile, workspace.places);
  return {
    approval,
    ...defined({ askedApproval, reviewer, reviewPolicy }),
    profile,
    resolved,
    sandboxLevel: describePolicy(resolved, workspace.cwd).mode,
    shellEnvironment,
    approvedPrefixes,
    networkRules,
    networkProxy: 'none',
  };
}
