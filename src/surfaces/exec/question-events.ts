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

/** The question as the thread keeps it, by an id of its own. */
type ExecQuestion = { readonly id: string } & Omit<Question, 'callId' | 'turnId' | 'item' | 'seen'>;

const decisions = { allowed: 'approved', declined: 'denied', stopped: 'abort', lapsed: 'lapsed' } as const;

/** The id is that of the call. A call that is asked about again, after the sandbox stopped it, has another: ID#2. */
export function execQuestions(): (
  event: Extract<ThreadEvent, { kind: 'question-asked' | 'question-answered' }>,
) => ExecQuestionEvent {
  const times = new Map<string, number>();
  const idOf = (callId: string): string => {
    const asked = times.get(callId) ?? 1;
    return asked === 1 ? callId : `${callId}#${asked}`;
  };
  return (event) => {
    if (event.kind === 'question-asked') {
      const { callId, turnId: _turn, item: _item, seen: _seen, ...question } = event.question;
      times.set(callId, (times.get(callId) ?? 0) + 1);
      return { type: 'question.asked', question: { id: idOf(callId), ...question } };
    }
    const { kind, scope, note, by, verdict } = event.answer;
    return {
      type: 'question.answered',
      question_id: idOf(event.callId),
      decision: decisions[kind],
      ...defined({ scope, note, by, verdict }),
    };
  };
}
