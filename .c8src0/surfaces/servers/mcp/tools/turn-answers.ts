import type { LiveThread } from '../../../../engine/live/live-thread-types.ts';
import { formatCount } from '../../../../engine/wording.ts';
import type { JsonObject } from '../../../../protocol/json.ts';
import { outcomeText } from '../../../../protocol/outcome.ts';
import type { Question } from '../../../../protocol/question.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import { questionLines } from '../../../views/questions/question-lines.ts';
import { paint } from '../../../views/terminal/styled-text.ts';
import { questionJson } from '../../../views/wording/json-fields.ts';
import { errorFields } from '../event-fields.ts';
import type { ToolAnswer } from '../server-interface.ts';
import { outcomeForCall } from './settings-arguments.ts';
import { toolAnswer } from './tool-answers.ts';
import type { TurnRunEnd, TurnRun } from './turn-runs.ts';

/** Includes the basis of the decision: the reason, the place, and how far an approval may reach. */
export function questionText(question: Question, item?: TurnItem): string {
  const end = question.kind === 'client-tool' ? toolWords : `Scopes: ${question.scopes.join(', ')}.`;
  return `${question.id}: ${questionMessage(question, item).text}\n  ${end}`;
}

const toolWords = 'Run it, and give its result as content, with success.';

export function openQuestionsAnswer(
  run: Pick<TurnRun, 'turnId'> & { readonly thread: Pick<LiveThread, 'id'> } & Partial<Pick<TurnRun, 'itemOf'>>,
  questions: readonly Question[],
  more: JsonObject,
): ToolAnswer {
  const { thread, turnId } = run;
  const asked = questions.map((question) => questionText(question, run.itemOf?.(question))).join('\n');
  const queued = more['queued'] === true ? 'The message waits for a turn that asks. ' : '';
  return toolAnswer(
    `${queued}The turn of thread ${thread.id} waits for an answer. Answer with thread_answer, or end the turn with thread_interrupt.\n${asked}`,
    { thread_id: thread.id, turn_id: turnId, status: 'waiting', questions: questions.map(questionJson), ...more },
  );
}

const statuses = { completed: 'completed', failed: 'failed', aborted: 'interrupted', suspended: 'waiting' } as const;

export function turnEndAnswer({ thread, turnId }: TurnRun, end: TurnRunEnd, more: JsonObject): ToolAnswer {
  const { lastMessage: message } = end;
  const questions = end.kind === 'suspended' ? thread.questions.map(questionJson) : undefined;
  const data = { thread_id: thread.id, turn_id: turnId, status: statuses[end.kind], message, questions };
  if (end.kind === 'failed') {
    const outcome = outcomeForCall(end.outcome);
    return { ...toolAnswer(outcomeText(outcome), { ...data, error: errorFields(outcome), ...more }), isError: true };
  }
  const { percentRemaining } = thread.usage();
  const stopped = more['steered'] === true && end.kind === 'aborted' ? steeredThenStopped : undefined;
  const words = end.kind === 'completed' ? (message ?? '') : (stopped ?? endWords[end.kind]);
  const text = typeof more['notice'] === 'string' ? `${words}\nNote: ${more['notice']}` : words;
  return toolAnswer(text, { ...data, percent_remaining: percentRemaining, ...more });
}

/** A client that believes the message lost would send it twice. */
const steeredThenStopped =
  'The turn was interrupted. The message stays in the thread, and the model reads it with the next one.';

const endWords = {
  aborted: 'The turn was interrupted. The thread can be continued with thread_send.',
  suspended:
    'The server has unloaded the thread while its turn waits for an answer. Answer with thread_answer to continue.',
} as const;

/** Hosts show the message in a window of their own; a longer one is cut in the middle. */
const longest = 64 * 1024;
const columns = 100;

export interface QuestionMessage {
  readonly text: string;
  /** False: the user does not see everything, so only an explicit decision is an approval. */
  readonly isWhole: boolean;
}

/** A question in the words of `exec`: everything that an approval would allow, with hidden characters made visible. */
export function questionMessage(question: Question, item: TurnItem | undefined): QuestionMessage {
  const shown = paint(questionLines(question, item, { width: columns }), false).trimEnd();
  const lines = question.argv?.at(-1)?.split('\n').length ?? 1;
  // A host may show the message without its line breaks.
  const text = lines > 1 ? `${shown}\n  The command has ${formatCount(lines)} lines.` : shown;
  if (text.length <= longest) return { text, isWhole: true };
  const half = longest / 2;
  const missing = `[${formatCount(text.length - longest)} characters are not shown here. Do not approve what you cannot see.]`;
  return { text: `${text.slice(0, half)}\n${missing}\n${text.slice(-half)}`, isWhole: false };
}
