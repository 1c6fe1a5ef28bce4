import { allowsSomeQuestion, canBeAsked, mayReviewerAnswer } from '../policy/decide/approval-policy.ts';
import { type PolicyDescription, sandboxLevelOf } from '../policy/profiles/describe-policy.ts';
import { noRules, rulesFor, withNetworkRules, withoutAllowedCommands } from '../policy/rules/rule-set.ts';
import type { NetworkRule, RuleSet } from '../policy/rules/rule-set.ts';
import { networkReach } from '../policy/paths/access.ts';
import { readOnlyProfile } from '../policy/profiles/narrower-profile.ts';
import { resolvePolicy } from '../policy/profiles/resolve-policy.ts';
import { defined } from '../../base/objects.ts';
import type { ApprovalPolicy, PermissionProfile, ResolvedPolicy } from '../../protocol/permissions.ts';
import { collaborationFor, type TurnIdentity } from './identity.ts';
import type { TurnFacts } from './facts.ts';
import type { Settings } from './settings.ts';
import type { TurnWorkspace } from './workspace-and-instructions.ts';

/** The text for the model and the sandbox are both made from `resolved` (I5). */
export interface Policy extends Pick<
  Settings,
  'askedApproval' | 'reviewer' | 'reviewPolicy' | 'shellEnvironment' | 'limits'
> {
  readonly approval: ApprovalPolicy;
  readonly profile: PermissionProfile;
  /** Why the turn is read-only: its thread was started so, or its mode asks for it. Absent: it is not. */
  readonly changesNothing?: 'thread' | 'mode';
  readonly askedProfile?: PermissionProfile;
  readonly resolved: ResolvedPolicy;
  /** Some questions may be asked, and a user or a reviewer answers them. Absent: nothing is asked. */
  readonly canAsk?: true;
  /** A surface can ask the user. Absent: no one, or only a reviewer, answers. */
  readonly hasUser?: true;
  /** Answers save no rule: a reviewer or a prepared file gives them, or rules do not count for the model. */
  readonly answersOnce?: true;
  readonly sandboxLevel: PolicyDescription['mode'];
  readonly rules: RuleSet;
  readonly approvedPrefixes: readonly (readonly string[])[];
  /** The thread's approved prefixes, where rules do not count in the turn. */
  readonly askedPrefixes?: readonly (readonly string[])[];
  readonly networkRules: readonly NetworkRule[];
  /** Between commands and the network: a proxy with lists of hosts, or nothing. */
  readonly networkProxy: 'none' | 'lists';
}

export function resolvePolicyGroup(
  { canAsk, answersOnce }: Pick<TurnFacts, 'canAsk' | 'answersOnce'>,
  settings: Settings,
  { workspace, identity }: { readonly workspace: TurnWorkspace; readonly identity: TurnIdentity },
): Policy {
  const { approvals: approval, askedApproval, sandbox: asked, shellEnvironment, networkRules = [] } = settings;
  const { mode } = collaborationFor(identity, settings);
  const changesNothing: 'thread' | 'mode' | undefined =
    settings.changesNothing === true ? 'thread' : mode === 'plan' ? 'mode' : undefined;
  // A read-only turn may not write by the sandbox or by a rule.
  const profile = changesNothing === undefined ? asked : readOnlyProfile(asked);
  const known = settings.rules ?? noRules;
  const rules = changesNothing === undefined ? rulesFor(known, identity.model.slug) : withoutAllowedCommands(known);
  const { approvedPrefixes: askedPrefixes = [] } = settings;
  const approvedPrefixes = rules.savesNone === true ? [] : askedPrefixes;
  const { reviewer, reviewPolicy, limits } = settings;
  const chosen = { approval, ...defined({ reviewer }) };
  const isAnswered = canBeAsked(defined({ canAsk }), chosen);
  const resolved = withNetworkRules(resolvePolicy(profile, workspace.places), networkRules);
  return {
    approval,
    ...defined({ askedApproval, reviewer, reviewPolicy, limits }),
    profile,
    ...defined({ changesNothing }),
    ...(profile === asked ? {} : { askedProfile: asked }),
    resolved,
    ...(isAnswered && allowsSomeQuestion(approval) ? { canAsk: true } : {}),
    ...defined({ hasUser: canAsk }),
    ...(answersOnce === true || rules.savesNone === true || mayReviewerAnswer(chosen) ? { answersOnce: true } : {}),
    sandboxLevel: sandboxLevelOf(resolved),
    shellEnvironment,
    rules,
    approvedPrefixes,
    ...(askedPrefixes.length === approvedPrefixes.length ? {} : { askedPrefixes }),
    networkRules,
    networkProxy: resolved.enforcement === 'managed' && networkReach(resolved) === 'listed' ? 'lists' : 'none',
  };
}
