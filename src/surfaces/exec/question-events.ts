import { defined } from '../../protocol/defined.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';

/** What `exec --json` prints about a question. There are none without `--approvals` or a reviewer. */
export type ExecQuestionEvent =
  | { readonly type: 'question.asked'; readonly question: ExecQuestion }
  | ({
      readonly type: 'question.answered';
      readonly question_id: string;
      readonly decision: 'approved' | 'denied' | 'abort' | 'lapsed';
      readonly scope?: NonNullable<Answer['scope']>;
      readonly note?: string;
    } & Pick<Answer, 'by' | 'verdict'>);

type ExecQuestion = { readonly call_id: string } & Omit<Question, 'callId' | 'turnId' | 'item'>;

const decisions = { allowed: 'approved', declined: 'denied', stopped: 'abort', lapsed: 'lapsed' } as const;

export function execQuestion(
  event: Extract<ThreadEvent, { kind: 'question-asked' | 'question-answered' }>,
): ExecQuestionEvent {
  if (event.kind === 'question-asked') {
    const { id, callId, turnId: _turn, item: _item, ...question } = event.question;
    return { type: 'question.asked', question: { id, call_id: callId, ...question } };
  }
  const { kind, scope, note, by, verdict } = event.answer;
  const decision = decisions[kind];
  return { type: 'question.answered', question_id: event.id, decision, ...defined({ scope, note, by, verdict }) };
}
