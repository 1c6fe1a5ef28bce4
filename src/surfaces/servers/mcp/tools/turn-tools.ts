import { isBlankText } from '../../../../base/invisible-characters.ts';
import { defined } from '../../../../base/objects.ts';
import type { LineCursor } from '../../../../engine/live/line-cursor.ts';
import { valueOrAbort } from '../../../../protocol/abort.ts';
import { arrayAt, type Json, type JsonObject, objectAt, stringAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { Answer, AnswerScope, Question } from '../../../../protocol/question.ts';
import type { UserImage, UserInput } from '../../../../protocol/user-input.ts';
import type { CallContext, InputRequired, ToolAnswer } from '../server-interface.ts';
import {
  followTurn,
  explainedTurnSchema,
  refusalWhileAsked,
  refusalWhileSuspended,
  turnOutputSchema,
} from './follow-turn.ts';
import type { FollowTurnOptions } from './follow-turn.ts';
import { giveResponses } from './client-questions.ts';
import { findLiveThread } from './find-thread.ts';
import {
  settingsChangeFrom,
  contextArguments,
  folderFrom,
  configRefusal,
  threadRequestFrom,
  shownSettings,
  startArguments,
} from './settings-arguments.ts';
import { toolAnswer, refusalAnswer, withNotices } from './tool-answers.ts';
import { schemaParts, type UnboundTool, type ToolServices } from './tool-definition.ts';
import type { TurnRun } from './turn-runs.ts';

const kinds: Readonly<Record<string, Answer['kind']>> = { approved: 'allowed', denied: 'declined', abort: 'stopped' };
const decisionWords: readonly string[] = Object.keys(kinds);
const works = { readOnlyHint: false, destructiveHint: true } as const;
const images: JsonObject = { ...schemaParts.texts, description: 'paths or data URLs' };

export const threadStartTool: UnboundTool = {
  name: 'thread_start',
  title: 'Start a thread',
  description:
    'Starts a conversation with the coding agent. With a prompt it runs the first turn and answers at its end.',
  input: schemaParts.input({ ...schemaParts.fields('prompt'), images, ...startArguments }, []),
  output: explainedTurnSchema,
  annotations: works,
  call: async (parts, args, context) => withThread(await startThreadForCall(parts, args, context, {})),
};

export async function startThreadForCall(
  parts: ToolServices,
  args: JsonObject,
  context: CallContext,
  attendance: FollowTurnOptions,
): Promise<ToolAnswer | InputRequired> {
  if (context.responses !== undefined) return continueCall(parts, context, attendance);
  const closed = configRefusal(objectAt(args, 'config') ?? {});
  if (closed !== undefined) return refusalAnswer(closed, notStarted);
  const request = threadRequestFrom(args, parts.cwd);
  const hasMessage = args['prompt'] !== undefined || args['images'] !== undefined;
  const message = { text: stringAt(args, 'prompt') ?? '', images: args['images'] };
  const input = hasMessage ? await readCalledMessage(parts, message, request.cwd) : undefined;
  if (input !== undefined && 'code' in input) return refusalAnswer(input, notStarted);
  const thread = await parts.live.start(request);
  if (thread.kind === 'refused') return refusalAnswer(thread.outcome, notStarted);
  const more = { settings: shownSettings(thread.settings) };
  const noted = (answer: ToolAnswer): ToolAnswer => withNotices(answer, thread.notices);
  if (input !== undefined) {
    const answer = await followTurn(parts, parts.runs.submit(thread, input), context, { ...attendance, more });
    return answer.kind === 'input-required' ? answer : noted(answer);
  }
  const words = `Thread ${thread.id} is started. Send it a message with thread_send: it is kept on disk from then on.`;
  return noted(toolAnswer(words, { thread_id: thread.id, status: 'idle', ...more }));
}

const notStarted = { status: 'failed' };

/** Adds the thread's id to the text: hosts may pass on the text alone, and the next call needs the id. */
function withThread(answer: ToolAnswer | InputRequired): ToolAnswer | InputRequired {
  if (answer.kind === 'input-required') return answer;
  const id = stringAt(answer.data, 'thread_id');
  if (id === undefined || answer.text.includes(id)) return answer;
  return { ...answer, text: `${answer.text}\n\nthread_id: ${id}` };
}

const notSent = 'The message was not sent.';

export const threadSendTool: UnboundTool = {
  name: 'thread_send',
  title: 'Send a message',
  description: 'Sends a message and answers when the turn ends. If a turn runs, the message steers it.',
  input: schemaParts.input({
    thread_id: schemaParts.text('id, its beginning, or name'),
    ...schemaParts.fields('text'),
    images,
  }),
  output: turnOutputSchema,
  annotations: works,
  call: (parts, args, context) => sendForCall(parts, args, context, {}),
};

export async function sendForCall(
  parts: ToolServices,
  args: JsonObject,
  context: CallContext,
  attendance: FollowTurnOptions,
): Promise<ToolAnswer | InputRequired> {
  if (context.responses !== undefined) return continueCall(parts, context, attendance);
  const message = await readCall(parts, args);
  if ('code' in message) return refusalAnswer(message);
  const { thread, input } = message;
  const suspended = refusalWhileSuspended(thread, notSent);
  if (suspended !== undefined) return suspended;
  if (thread.turnId !== undefined) {
    const run = parts.runs.observe(thread);
    const steered = await thread.steer({ input });
    if (steered.kind === 'steered')
      return followTurn(parts, run, context, { ...attendance, keeps: false, more: { steered: true } });
    if (steered.outcome.code !== 'no-active-turn') return refusalAnswer(steered.outcome, { thread_id: thread.id });
  }
  return followTurn(parts, parts.runs.submit(thread, input), context, attendance);
}

export const threadTurnTool: UnboundTool = {
  name: 'thread_turn',
  title: 'Run a turn',
  description: 'Sends a message as a turn of its own, after those that run. Its context stays for later turns.',
  input: schemaParts.input({
    ...schemaParts.fields('thread_id, text'),
    images,
    ...contextArguments,
    ...schemaParts.fields('tools: list'),
  }),
  output: turnOutputSchema,
  annotations: works,
  async call(parts, args, context) {
    if (context.responses !== undefined) return continueCall(parts, context, {});
    const message = await readCall(parts, args);
    if ('code' in message) return refusalAnswer(message);
    const blocked =
      refusalWhileSuspended(message.thread, notSent) ?? refusalWhileAsked(parts, message.thread, context, notSent);
    if (blocked !== undefined) return blocked;
    const run = parts.runs.submit(message.thread, message.input, settingsChangeFrom(args, parts.cwd));
    return followTurn(parts, run, context, {});
  },
};

async function readCall(parts: ToolServices, args: JsonObject) {
  const cwd = folderFrom(args, parts.cwd);
  const thread = await findLiveThread(parts, stringAt(args, 'thread_id') ?? '', cwd);
  if ('code' in thread) return thread;
  const input = await readCalledMessage(parts, args, cwd ?? thread.settings.cwd);
  return 'code' in input ? input : { thread, input };
}

export const threadAnswerTool: UnboundTool = {
  name: 'thread_answer',
  title: 'Answer a question',
  description: 'Answers a question of a call with status waiting and waits for the end of the turn.',
  input: schemaParts.input(
    {
      ...schemaParts.fields('thread_id, question_id'),
      decision: schemaParts.choice(...decisionWords),
      scope: schemaParts.choice('call', 'session', 'rule'),
      note: schemaParts.text('for the model'),
      answers: schemaParts.object,
      content: { description: 'result of your tool' },
      success: schemaParts.boolean,
    },
    ['thread_id', 'question_id'],
  ),
  output: turnOutputSchema,
  annotations: works,
  async call(parts, args, context) {
    if (context.responses !== undefined) return continueCall(parts, context, {});
    const thread = await findLiveThread(parts, stringAt(args, 'thread_id') ?? '');
    if ('code' in thread) return refusalAnswer(thread);
    const { questions } = thread;
    const refused = (why: Outcome): ToolAnswer => refusalAnswer(why, { thread_id: thread.id });
    const question = questions.find(({ id }) => id === args['question_id']);
    if (question === undefined) return refused(notWaiting(questions));
    const answer = readDecision(args, question);
    if ('code' in answer) return refused(answer);
    const run = parts.runs.observe(thread);
    if (run.audience.isReserved(question.id, context.client.id)) return refused(askedElsewhere);
    if (run.audience.isReserved(question.id)) return refused(askedHere);
    const more: Record<string, Json> = {};
    const first = async (): Promise<ToolAnswer | undefined> => {
      const done = await thread.answer(question.id, answer);
      if (done.kind !== 'refused') return undefined;
      const { code } = done.outcome;
      if (code === 'question-unknown') return refused(notWaiting(thread.questions));
      if (code !== 'question-answered') return refused(done.outcome);
      if (!(await hasLapsed(run, question.id))) return refused(answeredBefore);
      // The turn continues without the answer: the call still waits for its end.
      more['notice'] = lapsed;
      return undefined;
    };
    return followTurn(parts, run, context, { first, more });
  },
};

/** The events of a turn may come after the thread's own result. */
const patienceMs = 2000;

async function hasLapsed(run: TurnRun, id: string): Promise<boolean> {
  const end = AbortSignal.timeout(patienceMs);
  while (run.answerTo(id) === undefined && !run.isOver && !end.aborted)
    await valueOrAbort(run.changed(), end, undefined);
  return run.answerTo(id) === 'lapsed';
}

const lapsed =
  'The answer does not count: what the question was about has changed, so the question lapsed. The turn continued without it.';

const answeredBefore: Outcome = {
  code: 'question-answered',
  message: 'The question has been answered already. This answer does not count.',
  next: 'Call thread_read to see what happened and which questions are open.',
};

const askedElsewhere: Outcome = {
  code: 'asked-elsewhere',
  message: 'Another client asks its user this question.',
  next: 'Wait for that answer. If the client is gone, end the turn with thread_interrupt, or answer later: ten minutes after the client was asked, others may answer.',
};

const askedHere: Outcome = {
  code: 'asked-elsewhere',
  message: 'Your client asks its user this question. Only that user may answer it.',
  next: 'Wait for that answer, or end the turn with thread_interrupt.',
};

function notWaiting(questions: readonly Question[]): Outcome {
  const open = questions.map(({ id }) => id).join(', ');
  return {
    code: 'question-unknown',
    message: 'The thread does not wait for an answer to this question: it was answered, or its turn is over.',
    next: open === '' ? 'No question is open. Call thread_read to see what happened.' : `Open questions: ${open}.`,
  };
}

/** Handles the call that brings a user's answers: gives them to the turn and waits on. */
async function continueCall(
  parts: ToolServices,
  context: CallContext,
  attendance: FollowTurnOptions,
): Promise<ToolAnswer | InputRequired> {
  const { state = {}, responses = {} } = context;
  const thread = await findLiveThread(parts, String(state['thread_id'] ?? ''));
  if ('code' in thread) return refusalAnswer(thread);
  const turnId = String(state['turn_id'] ?? '');
  const isHere = thread.turnId === turnId || thread.questions.some((question) => question.turnId === turnId);
  const run = parts.runs.find(turnId) ?? (isHere ? parts.runs.observe(thread) : undefined);
  if (run === undefined) return refusalAnswer(turnGone, { thread_id: thread.id, turn_id: turnId, status: 'idle' });
  const more: Record<string, Json> = {};
  const first = async (): Promise<ToolAnswer | undefined> => {
    const { refused, isOutdone } = await giveResponses(run, responses, state);
    if (isOutdone) more['notice'] = outdone;
    return refused && refusalAnswer(refused, { thread_id: thread.id });
  };
  const back = { after: stringAt(state, 'after') as LineCursor | undefined, asked: stringAt(state, 'asker') };
  const isSteered = state['steered'] === true;
  Object.assign(more, attendance.more, isSteered && { steered: true });
  return followTurn(parts, run, context, { ...attendance, ...(isSteered && { keeps: false }), ...back, first, more });
}

const outdone = 'The question had been answered already, or had lapsed. This answer does not count.';

const turnGone: Outcome = {
  code: 'turn-over',
  message: 'The turn that asked the question is over.',
  next: 'Call thread_read to see how it ended.',
};

function readDecision(args: JsonObject, { kind: asked, scopes }: Question): Answer | Outcome {
  const decision = stringAt(args, 'decision');
  if (asked === 'client-tool' && (decision === undefined || decision === 'approved')) return readResult(args);
  if (args['content'] !== undefined || args['success'] !== undefined) return noResultAsked;
  if (decision === undefined) return undecided;
  const kind = kinds[decision] ?? 'declined';
  const scope = stringAt(args, 'scope') as AnswerScope | undefined;
  const note = stringAt(args, 'note');
  if (scope !== undefined && kind !== 'allowed') {
    const message = 'A refusal has no scope: it is about this question alone.';
    return { code: 'scope-of-refusal', message, next: 'Leave scope out.' };
  }
  if (scope !== undefined && !scopes.includes(scope)) {
    const message = `This question cannot be answered with the scope ${JSON.stringify(scope)}.`;
    return { code: 'scope-not-offered', message, next: `Use one of these: ${scopes.join(', ')}.` };
  }
  const content = kind === 'allowed' ? objectAt(args, 'answers') : undefined;
  return { kind, ...defined({ scope, content, note }) };
}

const readResult = ({ content, success }: JsonObject): Answer | Outcome =>
  content === undefined ? noContent : { kind: 'allowed', content: { content, ...(success === false && { success }) } };

const noContent: Outcome = {
  code: 'result-missing',
  message: 'The question is a call of a tool of yours, and the answer has no content.',
  next: 'Give the result of the tool as content: a text, or a list of content blocks. To refuse the call, give the decision "denied".',
};

const noResultAsked: Outcome = {
  code: 'result-not-asked',
  message: 'Only a call of a tool of yours is answered with content and success.',
  next: 'Answer this question with a decision.',
};

const undecided: Outcome = {
  code: 'decision-missing',
  message: 'The answer has no decision.',
  next: `Give one of these: ${decisionWords.join(', ')}.`,
};

/** The text and pictures of a call. A picture is a path, or a data URL. */
async function readCalledMessage(
  { engine }: ToolServices,
  args: JsonObject,
  cwd: string,
): Promise<UserInput | Outcome> {
  const text = stringAt(args, 'text') ?? '';
  const paths = (arrayAt(args, 'images') ?? []).map(String);
  if (isBlankText(text) && paths.length === 0) return emptyMessage;
  const images: UserImage[] = [];
  for (const path of paths) {
    const image = await engine.loadImage(path, cwd);
    if ('code' in image) return image;
    images.push(image);
  }
  return { author: 'user', text, images };
}

const emptyMessage: Outcome = {
  code: 'empty-input',
  message: 'The message is empty or blank.',
  next: 'Write something, or add a picture. Nothing was sent.',
};
