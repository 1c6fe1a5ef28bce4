import { defined, notPlain, plainCopy } from '../../base/objects.ts';
import { jsonObjectOption, validateOptions, uncheckedOption } from '../../core/envelope/read-options.ts';
import type { OptionProblem, OptionReaders } from '../../core/envelope/read-options.ts';
import { type WaitingContent, tooManyWaitingProblem } from '../../core/state/fold/waiting-messages.ts';
import { withWithheldEntries } from '../../core/state/line-seals.ts';
import { isAnswered, pendingQuestions } from '../../core/state/questions/pending-questions.ts';
import { answerProblem, readGivenAnswer } from '../../core/state/questions/question-lines.ts';
import type { TurnId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import { equalJson, type JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Answer } from '../../protocol/question.ts';
import type { KeptReview } from '../../protocol/thread-event.ts';
import { addUsage, type Usage } from '../../protocol/usage.ts';
import type { UserInput } from '../../protocol/user-input.ts';
import { contextWindowNow } from './context/turn-contract.ts';
import type { ThreadLog } from './log.ts';
import {
  inputProblem,
  itemProblem,
  messageOption,
  notPlainData,
  validateUserInput,
  settingsNotAllowedHere,
} from './read-turn.ts';
import type { ThreadCore } from './thread-core.ts';
import type { Turn } from './thread-parts.ts';
import { threadClosedOutcome } from './thread-settings.ts';
import { promptTokens, promptTooLong } from './turn/prompt-size.ts';

export interface Steering {
  readonly input: UserInput;
  /** Absent: whichever turn runs. */
  readonly turnId?: TurnId;
  /** If given, must equal that of the turn. */
  readonly outputSchema?: JsonObject;
}

const steeringOptions = {
  input: { type: messageOption, required: true },
  turnId: { type: uncheckedOption('the id of a turn') },
  outputSchema: { type: jsonObjectOption },
} as const satisfies OptionReaders<Steering>;

export function validateSteering(steering: Steering): Steering | Outcome<OptionProblem['code'] | 'odd-input'> {
  const read = validateOptions<Steering>(steering, steeringOptions, 'steer()', settingsNotAllowedHere);
  if ('code' in read) return read;
  const input = validateUserInput(read.input);
  return 'code' in input ? input : { ...read, input };
}

export interface RunningTurn {
  readonly turnId: TurnId;
  readonly model: string;
  readonly effective: number;
  readonly outputSchema?: JsonObject;
}

function runningTurn(turn: Turn | undefined): RunningTurn | undefined {
  if (turn === undefined) return undefined;
  const { identity, modes } = turn.envelope;
  const { effective } = contextWindowNow(turn);
  return { turnId: turn.turnId, model: identity.model.slug, effective, outputSchema: modes.outputSchema };
}

/** `messageId`: withdraws the words until they enter history. */
export type Steered =
  | { readonly kind: 'steered'; readonly turnId: TurnId; readonly messageId: string }
  | RefusedSteering;

type RefusedSteering = { readonly kind: 'refused'; readonly outcome: Outcome<SteeringRefusal> };

export type SteeringRefusal =
  | 'no-active-turn'
  | 'another-turn'
  | 'output-schema-differs'
  | 'empty-input'
  | 'odd-input'
  | OptionProblem['code']
  | 'prompt-too-long'
  | 'too-many-waiting';

type OpenInbox = Pick<ThreadCore, 'log' | 'inbox' | 'closing'>;

/** Puts words for the running turn into the thread's inbox. Resolves when they are durable. */
export async function steerTurn({ log, inbox }: OpenInbox, turn: Turn | undefined, given: Steering): Promise<Steered> {
  const read = validateSteering(given);
  if ('code' in read) return { kind: 'refused', outcome: read };
  const { input } = read;
  const steered = admitSteering(read, runningTurn(turn));
  if (steered.kind === 'refused') return steered;
  const full = fullInbox(log);
  if (full !== undefined) return { kind: 'refused', outcome: full };
  const messageId = inbox.accept({ kind: 'words', input });
  await log.durable();
  return { ...steered, messageId };
}

export function admitSteering(
  { input, turnId, outputSchema }: Steering,
  running: RunningTurn | undefined,
): Omit<Extract<Steered, { kind: 'steered' }>, 'messageId'> | RefusedSteering {
  const odd = inputProblem(input, outputSchema);
  if (odd !== undefined) return { kind: 'refused', outcome: odd };
  if (running === undefined) {
    const message = 'No turn takes the message: none is running, or the running one was told to end.';
    return refused('no-active-turn', message, 'Start a turn with the message.');
  }
  if (turnId !== undefined && turnId !== running.turnId) {
    const next = 'Check what has happened since, then steer that turn or wait until it ends.';
    return refused('another-turn', `Another turn is running: ${running.turnId}.`, next);
  }
  if (outputSchema !== undefined && !equalJson(outputSchema, running.outputSchema)) {
    const message = 'The running turn already has a different output schema, and a turn can have only one.';
    const next = 'Steer without a schema, or wait until the turn ends.';
    return refused('output-schema-differs', message, next);
  }
  const prompt = promptTokens(input);
  if (prompt > running.effective) return { kind: 'refused', outcome: promptTooLong(prompt, 0, running) };
  return { kind: 'steered', turnId: running.turnId };
}

function refused(code: SteeringRefusal, message: string, next: string): RefusedSteering {
  return { kind: 'refused', outcome: { code, message, next } };
}

/** An injected item enters history later, even after a crash. */
export type Injected = { readonly kind: 'injected' } | { readonly kind: 'refused'; readonly outcome: Outcome };

export interface InjectOptions {
  /** The cost of making the item: part of the thread's cost. */
  readonly cost?: Usage;
  readonly review?: KeptReview;
}

const injectOptions = {
  cost: { type: uncheckedOption('the usage of a model') },
  review: { type: uncheckedOption('a review of code') },
} as const satisfies OptionReaders<InjectOptions>;

/** Puts a program's own item into the thread's inbox. Resolves when it is durable. */
export async function injectItem(thread: OpenInbox, given: Item, options: InjectOptions = {}): Promise<Injected> {
  const read = validateOptions<InjectOptions>(options, injectOptions, 'inject()');
  if ('code' in read) return { kind: 'refused', outcome: read };
  const { cost, review } = read;
  const item = plainCopy(given);
  const odd = item === notPlain ? notPlainData('The item') : itemProblem(item);
  if (odd !== undefined) return { kind: 'refused', outcome: odd };
  const total = cost && addUsage(thread.log.state.usage.total, cost);
  return acceptMessage(thread, { kind: 'item', item: item as Item, ...defined({ total, review }) });
}

/** Puts a message into the thread's inbox. Resolves when it is durable. */
export async function acceptMessage({ log, inbox, closing }: OpenInbox, message: WaitingContent): Promise<Injected> {
  const problem = fullInbox(log) ?? (closing.aborted ? threadClosedOutcome : undefined);
  if (problem !== undefined) return { kind: 'refused', outcome: problem };
  inbox.accept(message);
  await log.durable();
  return { kind: 'injected' };
}

const fullInbox = (log: ThreadLog): ReturnType<typeof tooManyWaitingProblem> =>
  tooManyWaitingProblem(withWithheldEntries(log.state).waiting);

export type Answered = { readonly kind: 'answered' } | { readonly kind: 'refused'; readonly outcome: Outcome };

/** Resolves when the answer is durable. `runs`: a turn runs, or is about to: it handles the waiting questions. */
export async function answerQuestion(
  { questions, log }: Pick<ThreadCore, 'questions' | 'log'>,
  runs: boolean,
  id: string,
  given: Answer,
): Promise<Answered> {
  const answer = readGivenAnswer(given);
  if (answer === undefined) return { kind: 'refused', outcome: answerProblem(given) };
  const isPending = pendingQuestions(log.state).some((question) => question.id === id);
  if (await questions.answer(id, answer, { isExpected: isPending && runs })) return { kind: 'answered' };
  return { kind: 'refused', outcome: isAnswered(log.state, id) ? answeredBefore(id) : notAsked(id) };
}

function notAsked(id: string): Outcome<'question-unknown'> {
  const message = `No running turn waits for an answer to the question ${JSON.stringify(id)}.`;
  const next = 'See `thread.questions`. For a suspended turn, use `engine.answer`, or continue it before you answer.';
  return { code: 'question-unknown', message, next };
}

function answeredBefore(id: string): Outcome<'question-answered'> {
  const message = `The question ${JSON.stringify(id)} has been answered already, or has lapsed.`;
  const next = 'This answer does not count. See `thread.questions` for what waits.';
  return { code: 'question-answered', message, next };
}
