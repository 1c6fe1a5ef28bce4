import { declined, lapsed, refusedCall } from '../../fragments/answers/call-answers.ts';
import type { RefuseDecision } from '../../policy/call-decision.ts';
import { decideCall } from '../../policy/decide-call.ts';
import { grantedPolicy } from '../../policy/granted-policy.ts';
import type { AskUser } from '../../ports/ask-user.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import type { CallItem } from '../../protocol/item.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { shownCall } from '../../state/call-start.ts';
import { questionAnswered, questionAsked } from '../../state/questions.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';
import type { PreparedCall, RefusedCall } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';

/** What the call may do, or why it may do nothing: by the policy alone, or by the user where the policy says so. */
export function grantCall(
  turn: Turn,
  call: CallItem,
  { needs, item }: Pick<PreparedCall, 'needs' | 'item'>,
): ResolvedPolicy | RefusedCall | Promise<ResolvedPolicy | RefusedCall> {
  const { approval, resolved: policy, rules } = turn.envelope.policy;
  const { askUser } = turn.parts;
  const canAsk = askUser !== undefined;
  const decision = decideCall({ approval, policy, rules, grants: [], canAsk }, needs);
  if (decision.kind === 'refuse' || (decision.kind === 'ask' && askUser === undefined)) {
    const { why, next } = decision as RefuseDecision;
    return { kind: 'refused', output: refusedCall(why, next) };
  }
  const granted = grantedPolicy(policy, decision);
  if (decision.kind === 'run' || askUser === undefined) return granted;
  const about = { callId: call.call_id, turnId: turn.turnId, tool: call.name, item: shownCall(item) };
  return ask(turn, askUser, { ...about, ...decision.question }, item).then((refusal) => refusal ?? granted);
}

/** Undefined when the user allows it. */
async function ask(
  { log, signal }: Turn,
  askUser: AskUser,
  question: Question,
  item: TurnItem,
): Promise<RefusedCall | undefined> {
  log.record(questionAsked(question));
  log.tell({ kind: 'question-asked', turnId: question.turnId, question, item });
  await log.durable();
  // A turn that is interrupted does not wait for an answer.
  const answer = await beforeAbort(askUser.ask(question, signal), signal, unanswered);
  log.record(questionAnswered(question, answer));
  log.tell({ kind: 'question-answered', turnId: question.turnId, callId: question.callId, answer });
  if (answer.kind === 'allowed') return undefined;
  return { kind: 'refused', output: answer.kind === 'lapsed' ? lapsed : declined(answer.note) };
}

const unanswered: Answer = { kind: 'lapsed' };
