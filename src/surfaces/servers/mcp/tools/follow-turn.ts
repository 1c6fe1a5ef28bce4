import { toOneLine } from '../../../../core/state/turns/turn-words.ts';
import type { LineCursor } from '../../../../engine/live/line-cursor.ts';
import type { LiveThread } from '../../../../engine/live/live-thread-types.ts';
import { valueOrAbort } from '../../../../protocol/abort.ts';
import type { TurnId } from '../../../../protocol/ids.ts';
import type { JsonObject } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { Question } from '../../../../protocol/question.ts';
import { quoteShellCommand } from '../../../../protocol/shell.ts';
import type { ThreadEvent } from '../../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import { questionWords } from '../../../views/questions/question-lines.ts';
import { type FormatNews, threadEventIn, formatTypedEvents } from '../client-listeners.ts';
import type { CallContext, InputRequired, ToolAnswer } from '../server-interface.ts';
import { declineAll, inputRequired } from './client-questions.ts';
import { asToolOutcome, withNotices } from './tool-answers.ts';
import { schemaParts, type ToolServices } from './tool-definition.ts';
import { questionMessage, turnEndAnswer, openQuestionsAnswer } from './turn-answers.ts';
import { type AttendOptions, isTurnEnd, type TurnRun } from './turn-runs.ts';

const turnFields = schemaParts.fields('thread_id, turn_id, status, message, questions: list');
export const turnOutputSchema = schemaParts.output(turnFields, ['thread_id', 'status']);

export const explainedTurnSchema = schemaParts.output(
  {
    ...turnFields,
    status: schemaParts.choice('completed', 'failed', 'interrupted', 'waiting', 'idle'),
    questions: { ...schemaParts.list, description: 'each with id, reason, argv, cwd, scopes' },
    percent_remaining: schemaParts.integer,
  },
  // A refusal has no thread.
  ['status'],
);

export interface FollowTurnOptions extends Partial<AttendOptions> {
  readonly form?: FormatNews;
  readonly requestId?: CallContext['requestId'];
  /** Runs while the client already listens; if it returns an answer, there is nothing to wait for. */
  readonly first?: () => Promise<ToolAnswer | undefined>;
  /** The client has seen everything recorded up to here. */
  readonly after?: LineCursor;
  readonly more?: JsonObject;
}

/** Waits for the end of a turn. The client is sent its events, and its user is asked its questions. */
export async function followTurn(
  parts: ToolServices,
  run: TurnRun,
  context: CallContext,
  { form = formatTypedEvents, requestId, keeps = true, more = {}, asked, first, after }: FollowTurnOptions,
): Promise<ToolAnswer | InputRequired> {
  const listening = parts.listeners.add(run.thread, context.client, { form, requestId, after });
  const stopProgress = reportProgress(parts, run.thread, context);
  const leave = run.audience.join(context.signal, { keeps, asked });
  // Events before this moment are not sent any more, so nothing must wait for them.
  const [wasOver, known] = [run.isOver, new Set(run.questions.map(({ id }) => id))];
  tellOpenQuestions(run.thread, context, { form, requestId, except: run.turnId });
  const earlier = keeps ? earlierMessages(run.earlier) : undefined;
  if (earlier !== undefined && asked === undefined)
    tellClient(run.thread, context, { kind: 'warning', outcome: asToolOutcome(earlier) }, { form, requestId });
  const noted = (answer: ToolAnswer): ToolAnswer => withNotices(answer, earlier === undefined ? [] : [earlier]);
  try {
    const refused = await first?.();
    if (refused !== undefined) return refused;
    for (;;) {
      const changed = run.changed();
      const { questions } = run;
      // The client must see the events that led to the answer before it gets the answer.
      const awaited = run.isOver ? endOfTurn(run) : asks(questions.filter(({ id }) => !known.has(id)));
      if (!wasOver && awaited !== undefined) await valueOrAbort(listening.sent(awaited), context.signal, undefined);
      if (run.isOver) return noted(turnEndAnswer(run, await run.end, more));
      const ahead = questionsAhead(parts, run);
      if (ahead !== undefined && ahead.length > 0 && answersByTool(parts, context))
        return openQuestionsAnswer(run, ahead, { ...more, queued: true });
      // Calls of its own tools are not put to the client as forms.
      const calls = questions.filter(({ kind }) => kind === 'client-tool');
      if (calls.length > 0) return noted(openQuestionsAnswer(run, context.client.canAsk ? calls : questions, more));
      const isAsked = questions.every(({ id }) => run.audience.isReserved(id, context.client.id));
      if (questions.length > 0 && context.client.canAsk) return inputRequired(run, questions, context, { keeps });
      else if (isAsked) await Promise.race([changed, parts.runs.current(run.thread.id)?.changed() ?? changed]);
      else if (parts.onQuestion === 'report') return noted(openQuestionsAnswer(run, questions, more));
      else await declineAll(run, questions, context.client);
    }
  } finally {
    leave();
    parts.runs.letGo(run);
    stopProgress();
    listening.end();
  }
}

/** Sends a client the open questions of other turns, because its own work waits until they are answered. */
export function tellOpenQuestions(
  thread: LiveThread,
  { client, progress }: CallContext,
  { form, requestId, except }: EventForm & { readonly except?: TurnId } = {},
): void {
  // A turn that does not run delays nothing.
  if (thread.isSuspended) return;
  for (const question of thread.questions) {
    const { turnId } = question;
    if (turnId === except) continue;
    tellClient(thread, { client }, { kind: 'question-asked', turnId, question }, { form, requestId });
    progress(0, `Waits for a turn that asks: ${questionMessage(question, undefined).text}\nAnswer with thread_answer.`);
  }
}

function tellClient(
  thread: LiveThread,
  { client }: Pick<CallContext, 'client'>,
  event: ThreadEvent,
  { form = formatTypedEvents, requestId }: EventForm,
): void {
  for (const { method, params } of form({ kind: 'passing', event }, thread, { requestId }))
    client.notify(method, params);
}

type EventForm = Pick<FollowTurnOptions, 'form' | 'requestId'>;

/** True if the call must answer with the question, since the client has no other way to get it. */
const answersByTool = ({ onQuestion }: Pick<ToolServices, 'onQuestion'>, { client }: CallContext): boolean =>
  !client.canAsk && onQuestion === 'report';

/** The questions of the turn before this one; undefined when this one has begun. */
function questionsAhead({ runs }: ToolServices, run: TurnRun): readonly Question[] | undefined {
  const first = runs.current(run.thread.id);
  return first === run || run.turnId !== undefined ? undefined : first?.questions;
}

type IsMeant = (event: ThreadEvent) => boolean;

const endOfTurn = ({ turnId }: TurnRun): IsMeant | undefined =>
  turnId && ((event) => isTurnEnd(event) && event.turnId === turnId);

function asks(questions: readonly Question[]): IsMeant | undefined {
  const newest = questions.at(-1)?.id;
  return newest === undefined ? undefined : (event) => event.kind === 'question-asked' && event.question.id === newest;
}

export function reportProgress(
  { feeds }: Pick<ToolServices, 'feeds'>,
  thread: LiveThread,
  context: CallContext,
): () => void {
  let done = 0;
  return feeds.read(thread, (news) => {
    const event = threadEventIn(news);
    const words = event && progressWords(event);
    if (words !== undefined) context.progress(++done, words);
  });
}

/** Refuses a call that would drop the questions of a suspended turn, and says what to do first. */
export const refusalWhileSuspended = (
  thread: Pick<LiveThread, 'id' | 'isSuspended' | 'questions'>,
  what: string,
): ToolAnswer | undefined => (thread.isSuspended ? waitingFirst(thread, thread.questions, what) : undefined);

/** Answers a call that has to wait for open questions with its state and those questions. */
export function refusalWhileAsked(
  parts: Pick<ToolServices, 'onQuestion' | 'runs'>,
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
  const waiting = openQuestionsAnswer({ thread, turnId: first.turnId }, questions, {});
  return { ...waiting, text: `${what} ${waiting.text}` };
}

/** The turn's present activity in a few words; undefined if nothing new begins. */
function progressWords(event: ThreadEvent): string | undefined {
  switch (event.kind) {
    case 'turn-started':
      return 'The turn begins.';
    case 'item-started':
    case 'item-completed':
      return itemWords(event.item, event.kind === 'item-started');
    case 'usage':
      return `${event.percentRemaining} % of the window is left.`;
    case 'checkpoint-started':
      return 'Compacting the history.';
    case 'checkpoint-stage':
      return `Compacting part ${event.stage} of ${event.of}.`;
    case 'checkpoint-installed':
      return 'The history is compacted.';
    case 'checkpoint-failed':
      return 'The history could not be compacted.';
    case 'question-asked':
      return toOneLine(`Waiting for an answer: ${questionWords(event.question)}`, mostCharacters);
    case 'hook-started':
      if (event.names.length === 0) return undefined;
      return toOneLine(`Running the hook ${event.names.join(', ')}`, mostCharacters);
    case 'retrying':
      return 'The request failed and is sent again.';
    default:
      event.kind satisfies SilentFact | SilentStep | `turn-${'completed' | 'failed' | 'aborted' | 'suspended'}`;
      return undefined;
  }
}

type SilentFact = 'thread-started' | 'settings' | 'context' | 'code-reviewed' | 'model-switched' | 'prefix-broken';
type SilentStep = 'item-updated' | 'call-refused' | 'question-answered' | 'hook-completed' | 'warning';
const mostCharacters = 120;

function itemWords(item: TurnItem, begins: boolean): string | undefined {
  if (item.kind === 'web-search') return toOneLine(`Searching the web: ${item.query}`, mostCharacters);
  if (item.kind === 'image-generation') return 'Generated an image.';
  if (!begins) return item.kind === 'agent-message' ? toOneLine(item.text, mostCharacters) : undefined;
  switch (item.kind) {
    case 'command':
      return toOneLine(`Running ${quoteShellCommand(item.argv)}`, mostCharacters);
    case 'file-change':
      return 'Changing files.';
    case 'tool-call':
      return toOneLine(`Calling ${item.tool}`, mostCharacters);
    case 'reasoning':
      return 'Thinking.';
    default:
      item.kind satisfies 'user-message' | 'agent-message' | 'image-view' | 'plan';
      return undefined;
  }
}

const mostShown = 5;

/** Reports messages that the thread accepted earlier: their client may only have seen its connection break. */
function earlierMessages(texts: readonly string[]): Outcome<'messages-waiting'> | undefined {
  if (texts.length === 0) return undefined;
  const shown = texts.slice(0, mostShown).map((text) => `“${text}”`);
  const more = texts.length > mostShown ? `; and ${texts.length - mostShown} more` : '';
  const what = texts.length === 1 ? 'a message' : `${texts.length} messages`;
  return {
    code: 'messages-waiting',
    message: `This turn begins with ${what} that the thread had accepted before and not sent: ${shown.join('; ')}${more}.`,
    next: `Do not send ${texts.length === 1 ? 'it' : 'them'} again.`,
  };
}
