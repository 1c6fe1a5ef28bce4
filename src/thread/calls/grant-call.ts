import { declined, lapsed, refusedCall } from '../../fragments/answers/call-answers.ts';
import { decideApproval, grantedPolicy } from '../../policy/approval.ts';
import type { AskUser } from '../../ports/ask-user.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import { defined } from '../../protocol/defined.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import type { CallItem } from '../../protocol/item.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { shownCall } from '../../state/call-start.ts';
import { questionAnswered, questionAsked } from '../../state/questions.ts';
import type { PreparedCall, RefusedCall } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';

/** What the call may do, or why it may do nothing: by the policy alone, or by the user where the policy says so. */
export function grantCall(
  turn: Turn,
  call: CallItem,
  { needs, item }: Pick<PreparedCall, 'needs' | 'item'>,
): ResolvedPolicy | RefusedCall | Promise<ResolvedPolicy | RefusedCall> {
  const { approval, resolved } = turn.envelope.policy;
  const decision = decideApproval(approval, needs);
  if (decision === 'run') return resolved;
  const { askUser } = turn.parts;
  if (decision === 'refuse' || askUser === undefined) {
    const within = needs.escalation === undefined ? 'Tell the user what is needed.' : withinTheSandbox;
    const output = refusedCall(`the approval policy is ${approval}, and the user cannot be asked.`, within);
    return { kind: 'refused', output };
  }
  const { paths, escalation } = needs;
  const question: Question = {
    callId: call.call_id,
    turnId: turn.turnId,
    tool: call.name,
    item: shownCall(item),
    ...defined({ paths, escalation }),
  };
  return ask(turn, askUser, question).then((refusal) => refusal ?? grantedPolicy(resolved, needs));
}

/** Undefined when the user allows it. */
async function ask({ log, signal }: Turn, askUser: AskUser, question: Question): Promise<RefusedCall | undefined> {
  log.record(questionAsked(question));
  log.tell({ kind: 'question-asked', turnId: question.turnId, question });
  await log.durable();
  // A turn that is interrupted does not wait for an answer.
  const answer = await beforeAbort(askUser.ask(question, signal), signal, unanswered);
  log.record(questionAnswered(question, answer));
  log.tell({ kind: 'question-answered', turnId: question.turnId, callId: question.callId, answer });
  if (answer.kind === 'allowed') return undefined;
  return { kind: 'refused', output: answer.kind === 'lapsed' ? lapsed : declined(answer.note) };
}

const unanswered: Answer = { kind: 'lapsed' };
const withinTheSandbox = 'Run it within the sandbox, or tell the user what is needed.';
