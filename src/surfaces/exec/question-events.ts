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

/** The call's own id, and the question as the thread keeps it. */
type ExecQuestion = { readonly id: string } & Omit<Question, 'callId' | 'turnId' | 'item'>;

const decisions = { allowed: 'approved', declined: 'denied', stopped: 'abort', lapsed: 'lapsed' } as const;

export function execQuestion(
  event: Extract<ThreadEvent, { kind: 'question-asked' | 'question-answered' }>,
): ExecQuestionEvent {
  if (event.kind === 'question-asked') {
    const { callId, turnId: _turn, item: _item, ...question } = event.question;
    return { type: 'question.asked', question: { id: callId, ...question } };
  }
  const { kind, scope, note, by, verdict } = event.answer;
  return {
    type: 'question.answered',
    question_id: event.callId,
    decision: decisions[kind],
    ...defined({ scope, note, by, verdict }),
  };
}
