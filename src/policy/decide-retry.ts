import { defined } from '../protocol/defined.ts';
import { isDenied, needsSandbox } from './access.ts';
import type { Blocked, CallNeeds } from './approval.ts';
import { type CallDecision, canAskAbout, type DecisionContext } from './call-decision.ts';
import { startsGit } from './git-danger.ts';
import { commandKey, coversAll } from './grants.ts';
import { judgeCommands } from './judge-commands.ts';
import { leavingDanger } from './leaving-danger.ts';
import { notOfferedWords, offeredRule, whyNoSession } from './offered-answers.ts';
import { outsideWords, ruleConfines } from './where-words.ts';

/**
 * Whether a command that the sandbox kept from its files may run once more, in the same call and outside the sandbox.
 * Undefined: its failure stands, without a question.
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
  if (paths.length === 0) return undefined;
  const { argv = [], cwd = '/' } = needs;
  const judged = judgeCommands(context, needs, { escalates: true });
  if (judged.decision === 'forbidden') return undefined;
  const command = context.canonical ?? JSON.stringify(argv);
  const besides = leavingDanger(context, needs);
  // Other calls of its step may still run, and change what git finds.
  const isByUser = besides !== undefined || startsGit(context.analysis);
  const noSession = whyNoSession(context, judged, { typed: needs.typed === true, isByUser, leaves: true });
  const isOnce = judged.danger !== undefined || besides !== undefined;
  const grantKeys = isByUser || noSession !== undefined ? [] : [commandKey({ command, cwd, where: 'outside' })];
  if (coversAll(grants, grantKeys)) return { kind: 'run', where: 'outside' };
  const offered = isOnce && judged.danger === undefined ? undefined : offeredRule(context, judged, needs);
  const prefix = offered !== undefined && 'prefix' in offered ? offered.prefix : undefined;
  const noRule = offered === undefined ? noSession : 'why' in offered ? offered.why : undefined;
  const notOffered = defined({ rule: noRule, session: noSession });
  const session = grantKeys.length === 0 ? [] : (['session'] as const);
  const scopes = ['call', ...session, ...(prefix === undefined ? [] : (['rule'] as const))] as const;
  return {
    kind: 'ask',
    question: {
      kind: 'retry',
      reason: [
        `It would run again ${outsideWords(policy)}.`,
        besides,
        notOfferedWords(notOffered, { isSaid: besides !== undefined }),
      ]
        .filter((part) => part !== undefined)
        .join(' '),
      ...defined({ justification: needs.escalation?.reason, prefix, confined: ruleConfines(policy, prefix) }),
      ...defined({ commands: context.analysis?.commands, seen: context.analysis?.seen, typed: needs.typed }),
      argv,
      cwd,
      paths,
      scopes: isOnce ? ['call'] : scopes,
    },
    where: 'outside',
    ...(besides === undefined ? {} : { byUser: true }),
    ...(Object.keys(notOffered).length === 0 ? {} : { notOffered }),
    grantKeys,
  };
}
