import type { Question } from '../../protocol/question.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { type AnswerFields, answerFields } from '../wording/answer-fields.ts';

/** What `exec --json` prints about a question. There are none without `--approvals` or a reviewer. */
export type ExecQuestionEvent =
  | { readonly type: 'question.asked'; readonly question: ExecQuestion }
  | ({ readonly type: 'question.answered'; readonly question_id: string } & AnswerFields);

/** The question as the thread keeps it, by an id of its own. */
type ExecQuestion = { readonly id: string } & Omit<Question, 'callId' | 'turnId' | 'item'>;

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
      const { callId, turnId: _turn, item: _item, ...question } = event.question;
      times.set(callId, (times.get(callId) ?? 0) + 1);
      return { type: 'question.asked', question: { id: idOf(callId), ...question } };
    }
    return { type: 'question.answered', question_id: idOf(event.callId), ...answerFields(event.answer) };
  };
}
