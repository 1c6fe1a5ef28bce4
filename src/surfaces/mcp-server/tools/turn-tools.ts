import { beforeAbort } from '../../../protocol/before-abort.ts';
import { defined } from '../../../protocol/defined.ts';
import { type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Question } from '../../../protocol/question.ts';
import type { UserInput } from '../../../protocol/user-input.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import type { CallContext, InputRequired, ServerTool, ToolAnswer } from '../offer/server-tool.ts';
import {
  type Attendance,
  attendTurn,
  questionsFirst,
  suspendedFirst,
  explainedTurnOutput,
  turnOutput,
} from './attend-turn.ts';
import { answered, refusedAnswer, withNotices } from './call-answers.ts';
import { continueCall } from './continue-call.ts';
import { refusedConfig } from './closed-config-keys.ts';
import { findLiveThread } from './find-thread-by-name.ts';
import { decisionWords, readDecision } from './read-decision.ts';
import { readCalledMessage } from './read-message.ts';
import {
  changeFrom,
  contextArguments,
  folderFrom,
  ownTools,
  requestFrom,
  settingsShown,
  startArguments,
} from './settings-arguments.ts';
import type { ToolParts } from './tool-parts.ts';
import type { TurnRun } from './turn-run.ts';
import { anObject, choiceOf, inputOfTool, text, textList, yesOrNo } from './tool-schema.ts';

const works = { readOnlyHint: false, destructiveHint: true } as const;
const images: JsonObject = { ...textList, description: 'paths or data URLs' };

export function threadStartTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_start',
    title: 'Start a thread',
    description:
      'Starts a conversation with the coding agent. With a prompt it runs the first turn and answers at its end.',
    input: inputOfTool({ prompt: text(), images, ...startArguments }, []),
    output: explainedTurnOutput,
    annotations: works,
    call: async (args, context) => withThread(await callStart(parts, args, context, {})),
  };
}

export async function callStart(
  parts: ToolParts,
  args: JsonObject,
  context: CallContext,
  attendance: Attendance,
): Promise<ToolAnswer | InputRequired> {
  if (context.responses !== undefined) return continueCall(parts, context, attendance);
  const closed = refusedConfig(objectAt(args, 'config') ?? {});
  if (closed !== undefined) return refusedAnswer(closed, notStarted);
  const request = requestFrom(args, parts.cwd);
  const prompt = { text: stringAt(args, 'prompt') ?? '', ...defined({ images: args['images'] }) };
  const hasMessage = args['prompt'] !== undefined || args['images'] !== undefined;
  const input = hasMessage ? await readCalledMessage(parts, prompt, request.cwd) : undefined;
  if (input !== undefined && 'code' in input) return refusedAnswer(input, notStarted);
  const thread = await parts.live.start(request);
  if (thread.kind === 'refused') return refusedAnswer(thread.outcome, notStarted);
  const more = { settings: settingsShown(thread.settings) };
  const noted = (answer: ToolAnswer): ToolAnswer => withNotices(answer, thread.notices);
  if (input !== undefined) {
    const run = parts.runs.submit(thread, input);
    const answer = await attendTurn(parts, run, context, { ...attendance, more });
    return answer.kind === 'input-required' ? answer : noted(answer);
  }
  const words = `Thread ${thread.id} is started. Send it a message with thread_send: it is kept on disk from then on.`;
  return noted(answered(words, { thread_id: thread.id, status: 'idle', ...more }));
}

const notStarted = { status: 'failed' };

/** Hosts may pass on the text alone, and the next call needs the id. */
function withThread(answer: ToolAnswer | InputRequired): ToolAnswer | InputRequired {
  if (answer.kind === 'input-required') return answer;
  const id = stringAt(answer.data, 'thread_id');
  if (id === undefined || answer.text.includes(id)) return answer;
  return { ...answer, text: `${answer.text}\n\nthread_id: ${id}` };
}

const notSent = 'The message was not sent.';

export function threadSendTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_send',
    title: 'Send a message',
    description: 'Sends a message and answers when the turn ends. If a turn runs, the message steers it.',
    input: inputOfTool({ thread_id: text('id, its beginning, or name'), text: text(), images }),
    output: turnOutput,
    annotations: works,
    call: (args, context) => callSend(parts, args, context, {}),
  };
}

export async function callSend(
  parts: ToolParts,
  args: JsonObject,
  context: CallContext,
  attendance: Attendance,
): Promise<ToolAnswer | InputRequired> {
  if (context.responses !== undefined) return continueCall(parts, context, attendance);
  const message = await readCall(parts, args);
  if ('code' in message) return refusedAnswer(message);
  const { thread, input } = message;
  const suspended = suspendedFirst(thread, notSent);
  if (suspended !== undefined) return suspended;
  if (thread.turnId !== undefined) {
    const run = parts.runs.observe(thread);
    const steered = await thread.steer({ input });
    if (steered.kind === 'steered') {
      return attendTurn(parts, run, context, { ...attendance, keeps: false, more: { steered: true } });
    }
    if (steered.outcome.code !== 'no-active-turn') return refusedAnswer(steered.outcome, { thread_id: thread.id });
  }
  return attendTurn(parts, parts.runs.submit(thread, input), context, attendance);
}

export function threadTurnTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_turn',
    title: 'Run a turn',
    description: 'Sends a message as a turn of its own, after those that run. Its context stays for later turns.',
    input: inputOfTool({ thread_id: text(), text: text(), images, ...contextArguments, ...ownTools }),
    output: turnOutput,
    annotations: works,
    async call(args, context) {
      if (context.responses !== undefined) return continueCall(parts, context, {});
      const message = await readCall(parts, args);
      if ('code' in message) return refusedAnswer(message);
      const blocked =
        suspendedFirst(message.thread, notSent) ?? questionsFirst(parts, message.thread, context, notSent);
      if (blocked !== undefined) return blocked;
      const run = parts.runs.submit(message.thread, message.input, changeFrom(args, parts.cwd));
      return attendTurn(parts, run, context, {});
    },
  };
}

/** The thread and the message that a call names. */
async function readCall(
  parts: ToolParts,
  args: JsonObject,
): Promise<{ readonly thread: LiveThread; readonly input: UserInput } | Outcome> {
  const cwd = folderFrom(args, parts.cwd);
  const thread = await findLiveThread(parts, stringAt(args, 'thread_id') ?? '', cwd);
  if ('code' in thread) return thread;
  const input = await readCalledMessage(parts, args, cwd ?? thread.settings.cwd);
  return 'code' in input ? input : { thread, input };
}

export function threadAnswerTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_answer',
    title: 'Answer a question',
    description: 'Answers a question of a call with status waiting and waits for the end of the turn.',
    input: inputOfTool(
      {
        thread_id: text(),
        question_id: text(),
        decision: choiceOf(...decisionWords),
        scope: choiceOf('call', 'session', 'rule'),
        note: text('for the model'),
        answers: anObject,
        content: { description: 'result of your tool' },
        success: yesOrNo,
      },
      ['thread_id', 'question_id'],
    ),
    output: turnOutput,
    annotations: works,
    async call(args, context) {
      if (context.responses !== undefined) return continueCall(parts, context, {});
      const thread = await findLiveThread(parts, stringAt(args, 'thread_id') ?? '');
      if ('code' in thread) return refusedAnswer(thread);
      const { questions } = thread;
      const question = questions.find(({ id }) => id === args['question_id']);
      if (question === undefined) return refusedAnswer(notWaiting(questions), { thread_id: thread.id });
      const answer = readDecision(args, question);
      if ('code' in answer) return refusedAnswer(answer, { thread_id: thread.id });
      const run = parts.runs.observe(thread);
      if (run.audience.isAskedElsewhere(question.id, context.client.id)) {
        return refusedAnswer(askedElsewhere, { thread_id: thread.id });
      }
      if (run.audience.isReserved(question.id)) return refusedAnswer(askedHere, { thread_id: thread.id });
      const more: Record<string, Json> = {};
      const first = async (): Promise<ToolAnswer | undefined> => {
        const done = await thread.answer(question.id, answer);
        if (done.kind !== 'refused') return undefined;
        const { code } = done.outcome;
        const why = code === 'question-unknown' ? notWaiting(thread.questions) : done.outcome;
        if (code !== 'question-answered') return refusedAnswer(why, { thread_id: thread.id });
        if (!(await hasLapsed(run, question.id))) return refusedAnswer(answeredBefore, { thread_id: thread.id });
        // The turn goes on without the answer: the call waits for its end all the same.
        more['notice'] = lapsed;
        return undefined;
      };
      return attendTurn(parts, run, context, { first, more });
    },
  };
}

/** The events of a turn may come after what the thread says. */
const patienceMs = 2000;

async function hasLapsed(run: TurnRun, id: string): Promise<boolean> {
  const end = AbortSignal.timeout(patienceMs);
  while (run.answerTo(id) === undefined && !run.isOver && !end.aborted) {
    await beforeAbort(run.changed(), end, undefined);
  }
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
