import { beforeAbort } from '../../../protocol/before-abort.ts';
import { defined } from '../../../protocol/defined.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { type NewsForm, typedForm } from '../events/client-listeners.ts';
import { eventOf } from '../events/event-of-news.ts';
import { progressWords } from '../events/progress-words.ts';
import type { CallContext, InputRequired, ToolAnswer } from '../offer/server-tool.ts';
import { declineAll, inputRequired } from './ask-client.ts';
import { withNotices } from './call-answers.ts';
import { earlierMessages } from './earlier-messages.ts';
import { questionMessage } from './question-message.ts';
import type { ToolParts } from './tool-parts.ts';
import { choiceOf, list, outputOfTool, text } from './tool-schema.ts';
import { asToolOutcome } from './tool-words.ts';
import { turnAnswer, waitingAnswer } from './turn-answers.ts';
import { isTurnEnd, type TurnRun } from './turn-run.ts';
import type { LiveNews, LiveThread } from '../../engine/live/live-thread.ts';
import type { PlaceCursor } from '../../engine/live/place-cursor.ts';

const turnFields = { thread_id: text(), turn_id: text(), status: text(), message: text(), questions: list };

/** What every call gives that waits for the end of a turn. */
export const turnOutput: JsonObject = outputOfTool(turnFields, ['thread_id', 'status']);

/** The same with what its values are. Once in the list is enough. */
export const explainedTurnOutput: JsonObject = outputOfTool(
  {
    ...turnFields,
    status: choiceOf('completed', 'failed', 'interrupted', 'waiting', 'idle'),
    questions: { ...list, description: 'each with id, reason, argv, cwd, scopes' },
    percent_remaining: { type: 'integer' },
  },
  // What is refused has no thread.
  ['status'],
);

export interface Attendance {
  /** How the client is sent what happens meanwhile. */
  readonly form?: NewsForm;
  /** Of the call, where the form names it. */
  readonly requestId?: CallContext['requestId'];
  /** False: the turn is another call's, and goes on when this client is gone. */
  readonly keeps?: boolean;
  /** Of a call that comes back from its user: by which name it asked. */
  readonly asked?: string;
  /** Done while the client already listens; what it gives is the answer, and there is nothing to wait for. */
  readonly first?: () => Promise<ToolAnswer | undefined>;
  /** The client has seen what was recorded up to here. */
  readonly after?: PlaceCursor;
  /** Members of the answer beside those of the turn. */
  readonly more?: JsonObject;
}

/** Waits for the end of a turn. Meanwhile the client is sent its events, and its user is asked what the turn asks. */
export async function attendTurn(
  parts: ToolParts,
  run: TurnRun,
  context: CallContext,
  { form = typedForm, requestId, keeps = true, more = {}, asked, first, after }: Attendance,
): Promise<ToolAnswer | InputRequired> {
  const listening = parts.listeners.add(run.thread, context.client, { form, ...defined({ requestId, after }) });
  const stopProgress = reportProgress(parts, run.thread, context);
  const leave = run.audience.join(context.signal, { keeps, asked });
  // What happened before is not sent any more.
  const [wasOver, known] = [run.isOver, new Set(run.questions.map(({ id }) => id))];
  tellOpenQuestions(run.thread, context, { form, requestId, except: run.turnId });
  const earlier = keeps ? earlierMessages(run.earlier) : undefined;
  if (earlier !== undefined && asked === undefined) {
    const event = { kind: 'warning', outcome: asToolOutcome(earlier) } as const;
    tellClient(run.thread, context, event, { form, requestId });
  }
  const noted = (answer: ToolAnswer): ToolAnswer => withNotices(answer, earlier === undefined ? [] : [earlier]);
  try {
    const refused = await first?.();
    if (refused !== undefined) return refused;
    for (;;) {
      const changed = run.changed();
      const { questions } = run;
      // The client sees what led to the answer before the answer.
      const awaited = run.isOver ? endOfTurn(run) : asks(questions.filter(({ id }) => !known.has(id)));
      if (!wasOver && awaited !== undefined) await beforeAbort(listening.sent(awaited), context.signal, undefined);
      if (run.isOver) return noted(turnAnswer(run, await run.end, more));
      const ahead = questionsAhead(parts, run);
      if (ahead !== undefined && ahead.length > 0 && answersByTool(parts, context)) {
        return waitingAnswer(run, ahead, { ...more, queued: true });
      }
      // Its own tools are called by no form.
      const calls = questions.filter(({ kind }) => kind === 'client-tool');
      if (calls.length > 0) return noted(waitingAnswer(run, context.client.canAsk ? calls : questions, more));
      const isAsked = questions.every(({ id }) => run.audience.isAskedElsewhere(id, context.client.id));
      if (questions.length > 0 && context.client.canAsk) return inputRequired(run, questions, context, { keeps });
      else if (isAsked) await Promise.race([changed, parts.runs.current(run.thread.id)?.changed() ?? changed]);
      else if (parts.onQuestion === 'report') return noted(waitingAnswer(run, questions, more));
      else await declineAll(run, questions, context.client);
    }
  } finally {
    leave();
    parts.runs.letGo(run);
    stopProgress();
    listening.end();
  }
}

/**
 * Work that comes after a turn that waits for an answer waits as well, for as long as no client answers: its client is sent
 * the questions.
 */
export function tellOpenQuestions(
  thread: LiveThread,
  { client, progress }: CallContext,
  { form = typedForm, requestId, except }: ToldQuestions = {},
): void {
  // A turn that does not run holds nothing up.
  if (thread.isSuspended) return;
  for (const question of thread.questions) {
    const { turnId } = question;
    if (turnId === except) continue;
    tellClient(thread, { client }, { kind: 'question-asked', turnId, question }, { form, requestId });
    progress(0, `Waits for a turn that asks: ${questionMessage(question, undefined).text}\nAnswer with thread_answer.`);
  }
}

/** Sends it to the caller alone. */
function tellClient(
  thread: LiveThread,
  { client }: Pick<CallContext, 'client'>,
  event: ThreadEvent,
  { form = typedForm, requestId }: Pick<ToldQuestions, 'form' | 'requestId'>,
): void {
  for (const { method, params } of form({ kind: 'passing', event }, thread, defined({ requestId }))) {
    client.notify(method, params);
  }
}

interface ToldQuestions {
  readonly form?: NewsForm;
  readonly requestId?: CallContext['requestId'] | undefined;
  readonly except?: TurnId | undefined;
}

/** Whether a question is a part of the answer: the client has no other way to it. */
function answersByTool({ onQuestion }: Pick<ToolParts, 'onQuestion'>, { client }: CallContext): boolean {
  return !client.canAsk && onQuestion === 'report';
}

/** What the turn before this one asks; undefined when this one has begun. */
function questionsAhead({ runs }: ToolParts, run: TurnRun): readonly Question[] | undefined {
  const first = runs.current(run.thread.id);
  return first === run || run.turnId !== undefined ? undefined : first?.questions;
}

type IsMeant = (news: LiveNews) => boolean;

function endOfTurn({ turnId }: TurnRun): IsMeant | undefined {
  if (turnId === undefined) return undefined;
  return (news) => {
    const event = eventOf(news);
    return event !== undefined && isTurnEnd(event) && event.turnId === turnId;
  };
}

function asks(questions: readonly Question[]): IsMeant | undefined {
  const newest = questions.at(-1)?.id;
  if (newest === undefined) return undefined;
  return (news) => {
    const event = eventOf(news);
    return event?.kind === 'question-asked' && event.question.id === newest;
  };
}

/** Sends short words about what happens, where the client asked for them. */
export function reportProgress(
  { feeds }: Pick<ToolParts, 'feeds'>,
  thread: LiveThread,
  context: CallContext,
): () => void {
  let done = 0;
  return feeds.read(thread, (news) => {
    const event = eventOf(news);
    const words = event && progressWords(event);
    if (words !== undefined) context.progress(++done, words);
  });
}

/** The answer to a call that would drop the questions of a suspended turn: nothing was done, and what to do first. */
export function suspendedFirst(
  thread: Pick<LiveThread, 'id' | 'isSuspended' | 'questions'>,
  what: string,
): ToolAnswer | undefined {
  return thread.isSuspended ? waitingFirst(thread, thread.questions, what) : undefined;
}

/** Of a call that has to wait for open questions: what became of it, and the questions. */
export function questionsFirst(
  parts: Pick<ToolParts, 'onQuestion' | 'runs'>,
  thread: LiveThread,
  context: CallContext,
  what: string,
): ToolAnswer | undefined {
  const questions = parts.runs.current(thread.id)?.questions ?? thread.questions;
  return answersByTool(parts, context) ? waitingFirst(thread, questions, what) : undefined;
}

function waitingFirst(
  thread: Pick<LiveThread, 'id'>,
  questions: readonly Question[],
  what: string,
): ToolAnswer | undefined {
  const [first] = questions;
  if (first === undefined) return undefined;
  const waiting = waitingAnswer({ thread, turnId: first.turnId }, questions, {});
  return { ...waiting, text: `${what} ${waiting.text}` };
}
