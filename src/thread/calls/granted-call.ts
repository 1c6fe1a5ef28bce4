import { type AskedRefusal, textOfRefusal } from '../../fragments/answers/refusing-answer.ts';
import { needsSandbox } from '../../policy/access.ts';
import type { AskDecision, RunDecision } from '../../policy/call-decision.ts';
import type { CommandGround } from '../../policy/command-ground.ts';
import { grantedPolicy } from '../../policy/granted-policy.ts';
import { defined } from '../../protocol/defined.ts';
import type { Answer, AnswerScope } from '../../protocol/question.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import type { RefusedCall } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';

/** What a call may do. `outside`: beyond the sandbox of its turn. */
export interface GrantedCall {
  readonly kind: 'granted';
  readonly policy: ResolvedPolicy;
  readonly where: 'sandbox' | 'outside';
  /** It leaves the sandbox of its turn. */
  readonly leaves?: true;
  /** And runs in a wider one: what is denied to read stays so. */
  readonly confined?: true;
  /** What it was decided on. Absent: nothing depends on it. */
  readonly ground?: CommandGround;
  /** How far the user's yes goes. Absent: no question was asked. */
  readonly allowed?: AnswerScope;
  /** Absent: no question was asked. */
  readonly answer?: Answer;
}

/** `answer`: the one that refused it. */
export type AnsweredRefusal = RefusedCall & { readonly answer?: Answer };

/** A decision, or a yes to what it asks, as what the call may do. */
export function grantedBy(
  { envelope, parts }: Turn,
  decided: RunDecision | AskDecision,
  allowed: AnswerScope | undefined,
): GrantedCall {
  const { where, ground } = decided;
  const asked = decided.kind === 'ask' ? decided.question.permissions?.write : undefined;
  parts.ground?.open([...(decided.extra?.write ?? []), ...(asked ?? [])]);
  const { resolved } = envelope.policy;
  const policy = grantedPolicy(resolved, decided);
  const isConfined = needsSandbox(policy);
  const leaves = (needsSandbox(resolved) && (where === 'outside' || !isConfined)) || undefined;
  const confined = (leaves && isConfined) || undefined;
  return { kind: 'granted', policy, where, ...defined({ leaves, confined, ground, allowed }) };
}

/** A no as what the model reads, and the end of the turn where the user wants it. */
export function refusedBy(turn: Turn, answer: Answer, asked?: AskedRefusal): AnsweredRefusal {
  if (answer.kind === 'stopped') turn.stop();
  return { kind: 'refused', output: textOfRefusal(answer, asked), answer };
}
