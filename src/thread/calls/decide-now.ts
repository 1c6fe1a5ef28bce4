import { decideApproval, grantedPolicy } from '../../policy/approval.ts';
import type { ApprovalPolicy } from '../../protocol/permission-profile.ts';
import type { Question } from '../../protocol/question.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { defined } from '../../protocol/defined.ts';
import type { PreparedCall } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';
import { canAsk as isAnswered } from '../review/asker.ts';

type Where = 'sandbox' | 'outside';

/** What the policy says about a call, with all that the thread knows by now. */
export type DecidedCall =
  | { readonly kind: 'run'; readonly where: Where }
  | {
      readonly kind: 'ask';
      readonly question: Omit<Question, 'callId' | 'turnId' | 'tool' | 'item'>;
      readonly where: Where;
      /** What an answer for the session keeps. */
      readonly grantKeys: readonly string[];
    }
  | { readonly kind: 'refuse'; readonly why: string; readonly next: string };

export interface DecideOptions {
  /** That of the turn, unless the call was asked about under another one. */
  readonly approval?: ApprovalPolicy;
  /** Whether a question can be answered; by default whether there is someone to ask. */
  readonly canAsk?: boolean;
}

/** The one place that asks the policy about a call. */
export function decideNow(
  turn: Turn,
  { needs, item }: Pick<PreparedCall, 'needs' | 'item'>,
  { approval = turn.envelope.policy.approval, canAsk = isAnswered(turn) }: DecideOptions = {},
): DecidedCall {
  const { escalation, paths, effect } = needs;
  const decision = decideApproval(approval, needs);
  const where = escalation === undefined ? 'sandbox' : 'outside';
  if (decision === 'run') return { kind: 'run', where };
  const command = item.kind === 'command' ? { argv: item.argv, cwd: item.cwd } : {};
  const grantKeys = item.kind === 'command' ? [JSON.stringify([where, item.cwd, item.argv])] : [];
  const isGranted = ({ grants }: Turn['log']['state']): boolean =>
    grantKeys.length > 0 && grantKeys.every((key) => grants.some(({ keys }) => keys.includes(key)));
  if (decision === 'refuse' || !canAsk) {
    const next = escalation === undefined ? 'Tell the user what is needed.' : withinTheSandbox;
    return { kind: 'refuse', why: `the approval policy is ${approval}, and the user cannot be asked.`, next };
  }
  if (isGranted(turn.log.state)) return { kind: 'run', where };
  const question: Extract<DecidedCall, { kind: 'ask' }>['question'] = {
    kind: effect === 'files' ? 'patch' : 'command',
    ...defined({ justification: escalation?.reason }),
    ...command,
    ...defined({ paths }),
    scopes: grantKeys.length === 0 ? ['call'] : ['call', 'session'],
  };
  return { kind: 'ask', question, where, grantKeys };
}

const withinTheSandbox = 'Run it within the sandbox, or tell the user what is needed.';

/** What a call runs under there. */
export function policyFor({ resolved }: Turn['envelope']['policy'], where: Where): ResolvedPolicy {
  return grantedPolicy(resolved, where === 'outside' ? { escalation: {} } : {});
}
