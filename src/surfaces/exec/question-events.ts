import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { type AnswerFields, answerFields } from '../wording/answer-fields.ts';
import { type AskedFields, askedFields } from '../wording/asked-fields.ts';

/** What `exec --json` prints about a question. There are none without `--approvals` or a reviewer. */
export type ExecQuestionEvent =
  | { readonly type: 'question.asked'; readonly question: AskedFields }
  | ({ readonly type: 'question.answered'; readonly question_id: string } & AnswerFields);

export function execQuestion(
  event: Extract<ThreadEvent, { kind: 'question-asked' | 'question-answered' }>,
): ExecQuestionEvent {
  return event.kind === 'question-asked'
    ? { type: 'question.asked', question: askedFields(event.question) }
    : { type: 'question.answered', question_id: event.id, ...answerFields(event.answer) };
}
