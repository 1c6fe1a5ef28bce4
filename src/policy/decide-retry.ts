import { defined } from '../protocol/defined.ts';
import { isDenied, needsSandbox } from './access.ts';
import type { Blocked, CallNeeds } from './approval.ts';
import { type CallDecision, canAskAbout, type DecisionContext } from './call-decision.ts';
import { commandKey, coversAll, hostKey } from './grants.ts';
import { judgeCommands } from './judge-commands.ts';
import { offeredPrefix } from './offered-prefix.ts';
import { usualPort } from './rules/rule-set.ts';
import { outsideWords } from './place-words.ts';

/**
 * Whether a command that the sandbox stopped may run once more, in the same call: outside the sandbox if files were in
 * its way, with the host let through if only that was. Undefined: its failure stands, without a question.
 */
export function decideRetry(context: DecisionContext, needs: CallNeeds, blocked: Blocked): CallDecision | undefined {
  const { policy, grants } = context;
  if (
    needs.effect !== 'program' ||
    needs.argv === undefined ||
    !needsSandbox(policy) ||
    !canAskAbout(context, 'sandbox')
  )
    return undefined;
  const paths = blocked.paths.filter(({ path }) => !isDenied(policy, path));
  if (paths.length === 0) return retryWithHost(context, needs, blocked);
  const { argv = [], cwd = '/' } = needs;
  const judged = judgeCommands(context, needs, { escalates: true });
  if (judged.decision === 'forbidden') return undefined;
  const command = context.canonical ?? JSON.stringify(argv);
  const grantKeys = judged.danger === undefined ? [commandKey({ command, cwd, where: 'outside' })] : [];
  if (coversAll(grants, grantKeys)) return { kind: 'run', where: 'outside' };
  const prefix = offeredPrefix(judged, needs.escalation?.prefix);
  const scopes = ['call', 'session', ...(prefix === undefined ? [] : (['rule'] as const))] as const;
  return {
    kind: 'ask',
    question: {
      kind: 'retry',
      reason: `The sandbox stopped it. It would run again ${outsideWords(policy)}.`,
      ...defined({ justification: needs.escalation?.reason, prefix }),
      ...defined({ commands: context.analysis?.commands, seen: context.analysis?.seen }),
      argv,
      cwd,
      paths,
      scopes: judged.danger === undefined ? scopes : ['call'],
    },
    where: 'outside',
    grantKeys,
  };
}

/** One host at a time: the next one that is missing is asked for when the command reaches it. */
function retryWithHost(
  { policy, grants, rules }: DecisionContext,
  { argv = [], cwd = '/', escalation }: CallNeeds,
  { hosts }: Blocked,
): CallDecision | undefined {
  const isForbidden = (name: string): boolean =>
    rules.hosts.some(({ host, decision }) => decision === 'forbidden' && host === name.toLowerCase());
  const host = policy.lists === undefined ? undefined : hosts.find(({ name }) => !isForbidden(name));
  if (host === undefined) return undefined;
  const grantKeys = [hostKey(host)];
  const granted = { where: 'sandbox', extra: { hosts: [host] } } as const;
  if (coversAll(grants, grantKeys)) return { kind: 'run', ...granted };
  return {
    kind: 'ask',
    question: {
      kind: 'network',
      reason: `It wants to connect to ${host.name}:${host.port}, which is not allowed yet.`,
      ...defined({ justification: escalation?.reason }),
      argv,
      cwd,
      host,
      // A rule has no port: it is offered only where it would allow no more than this.
      scopes: ['call', 'session', ...(usualPort(host.protocol) === host.port ? (['rule'] as const) : [])],
    },
    ...granted,
    grantKeys,
  };
}
