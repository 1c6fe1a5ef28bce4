import type { RequestedHost } from '../../../protocol/permissions.ts';
import { defined } from '../../../base/objects.ts';
import { endWithFullStop } from '../../../protocol/outcome.ts';
import { canAskAbout, refusalDecision } from '../decide/call-decision.ts';
import type { CallDecision, CallNeeds, DecisionContext, NotOfferedAnswers } from '../decide/call-decision.ts';
import { grantedPolicy, standingPermissions } from '../grants/granted-policy.ts';
import { hostGrantKey } from '../grants/grants.ts';
import { decideHost, hostAtPort, readHostLists } from './host-lists.ts';
import { normaliseHost } from './host-name.ts';
import { networkReach } from '../paths/access.ts';
import { describeNotOffered } from '../decide/question-content.ts';
import { usualPort } from '../rules/rule-set.ts';

/**
 * Decides whether a running command may connect to a host; its proxy waits for this when the lists require an answer.
 * The context's policy is the one that the command runs under, whose lists the proxy uses.
 */
export function decideConnection(
  context: DecisionContext,
  { argv, cwd, escalation }: CallNeeds,
  host: RequestedHost,
): CallDecision {
  const { grants } = context;
  const extra = standingPermissions(context.policy, grants);
  const policy = grantedPolicy(context.policy, { where: 'sandbox', extra });
  const { lists } = policy;
  const target = hostAtPort(host.name, host.port);
  if (lists === undefined || networkReach(policy) !== 'listed') return refused(target);
  const verdict = decideHost(readHostLists(lists), { host: host.name, port: host.port });
  if (verdict.kind === 'allowed') return { kind: 'run', where: 'sandbox' };
  if (verdict.kind === 'blocked') return refused(target);
  const byRule = verdict.by === 'rule';
  if (!canAskAbout(context, byRule ? 'rules' : 'sandbox')) return refused(target);
  const why = byRule ? askedByRule(context, host) : 'No list allows this host at this port yet.';
  // A rule has no port: offer it only if it would allow no more than this, and no rule demands the question.
  const canBeRule = !byRule && usualPort(host.protocol) === host.port;
  const notOffered: NotOfferedAnswers | undefined = canBeRule
    ? undefined
    : { rule: { kind: byRule ? 'rule' : 'port' } };
  const once = notOffered === undefined ? '' : ` ${describeNotOffered(notOffered)}`;
  return {
    kind: 'ask',
    question: {
      kind: 'network',
      reason: `The command runs and waits to connect to ${target}. ${why}${once}`,
      ...defined({ justification: escalation?.reason, argv, cwd }),
      host,
      scopes: ['call', 'session', ...(canBeRule ? (['rule'] as const) : [])],
    },
    where: 'sandbox',
    grantKeys: [hostGrantKey(host)],
    notOffered,
  };
}

/** Worded by the applicable rule's author, if it has a justification. */
function askedByRule({ rules }: DecisionContext, { name }: RequestedHost): string {
  const rule = rules.hosts.findLast(({ host, decision }) => {
    return decision === 'prompt' && (normaliseHost(host) ?? host) === normaliseHost(name);
  });
  const asks = 'A rule asks before this host is reached';
  return endWithFullStop(rule?.justification === undefined ? asks : `${asks}: ${rule.justification.trim()}`);
}

const refused = (target: string): CallDecision =>
  refusalDecision(`${target} cannot be reached, and no question can change that.`);
