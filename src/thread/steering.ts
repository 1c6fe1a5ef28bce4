import { anything, jsonObject, type OptionProblem, type OptionTable, readOptions } from '../envelope/read-options.ts';
import { defined } from '../protocol/defined.ts';
import type { TurnId } from '../protocol/ids.ts';
import { equalJson, type JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { UserInput } from '../protocol/user-input.ts';
import { windowNow } from './contract/contract-now.ts';
import { fullInbox } from './inject-item.ts';
import type { Inbox } from './parts/inbox.ts';
import type { ThreadLog } from './parts/log.ts';
import { inputProblem, messageOption, readInput, settingsElsewhere } from './read-turn.ts';
import type { Turn } from './parts/parts.ts';
import { promptTokens, tooLong } from './turn/prompt-size.ts';

/** Words for a turn that runs. */
export interface Steering {
  readonly input: UserInput;
  /** The turn that is meant; without it, whichever runs. */
  readonly turnId?: TurnId;
  /** Must be the one that the turn has, if it is given at all. */
  readonly outputSchema?: JsonObject;
}

const steeringOptions = {
  input: { type: messageOption(), about: 'The message, as `words(text)` makes it.', required: true },
  turnId: { type: anything('the id of a turn'), about: 'The turn that is meant.' },
  outputSchema: { type: jsonObject, about: 'The schema that the turn has.' },
} as const satisfies OptionTable<Steering>;

export function readSteering(steering: Steering): Steering | Outcome<OptionProblem['code'] | 'odd-input'> {
  const read = readOptions<Steering>(steering, steeringOptions, 'steer()', settingsElsewhere);
  if ('code' in read) return read;
  const input = readInput(read.input);
  return 'code' in input ? input : { ...read, input };
}

export interface RunningTurn {
  readonly turnId: TurnId;
  readonly model: string;
  /** Tokens of its window. */
  readonly effective: number;
  readonly outputSchema?: JsonObject;
}

/** As much of an open turn as steering needs. */
function runningTurn(turn: Turn | undefined): RunningTurn | undefined {
  if (turn === undefined) return undefined;
  const { outputSchema } = turn.envelope.modes;
  const { effective } = windowNow(turn);
  return { turnId: turn.turnId, model: turn.envelope.identity.model.slug, effective, ...defined({ outputSchema }) };
}

/** `messageId`: by which the words can be withdrawn, until they enter history. */
export type Steered =
  | { readonly kind: 'steered'; readonly turnId: TurnId; readonly messageId: string }
  | RefusedSteering;

interface RefusedSteering {
  readonly kind: 'refused';
  readonly outcome: Outcome<SteeringRefusal>;
}

export type SteeringRefusal =
  | 'no-active-turn'
  | 'another-turn'
  | 'output-schema-differs'
  | 'empty-input'
  | 'odd-input'
  | OptionProblem['code']
  | 'prompt-too-long'
  | 'too-many-waiting';

interface SteeredThread {
  readonly log: ThreadLog;
  readonly inbox: Inbox;
  /** The one that runs and takes words, if there is one. */
  readonly turn: Turn | undefined;
}

/** Words wait in the thread's inbox for the running turn. Resolves when they are durable. */
export async function steerTurn({ log, inbox, turn }: SteeredThread, steering: Steering): Promise<Steered> {
  const read = readSteering(steering);
  if ('code' in read) return { kind: 'refused', outcome: read };
  const { input } = read;
  const steered = steeringFor(read, runningTurn(turn));
  if (steered.kind === 'refused') return steered;
  const full = fullInbox(log);
  if (full !== undefined) return { kind: 'refused', outcome: full };
  const messageId = inbox.accept({ kind: 'words', input });
  await log.durable();
  return { ...steered, messageId };
}

/** Whether the running turn can take the words in. */
export function steeringFor(
  { input, turnId, outputSchema }: Steering,
  running: RunningTurn | undefined,
): Omit<Extract<Steered, { kind: 'steered' }>, 'messageId'> | RefusedSteering {
  const odd = inputProblem(input, outputSchema);
  if (odd !== undefined) return { kind: 'refused', outcome: odd };
  if (running === undefined)
    return refused(
      'no-active-turn',
      'No turn takes the message: none is running, or the running one was told to end.',
      'Start a turn with the message.',
    );
  if (turnId !== undefined && turnId !== running.turnId) {
    const next = 'Check what has happened since, then steer that turn or wait until it ends.';
    return refused('another-turn', `Another turn is running: ${running.turnId}.`, next);
  }
  if (outputSchema !== undefined && !equalJson(outputSchema, running.outputSchema)) {
    const message = 'The running turn already has a different output schema, and a turn can have only one.';
    const next = 'Steer without a schema, or wait until the turn ends.';
    return refused('output-schema-differs', message, next);
  }
  const [prompt, { effective, model }] = [promptTokens(input), running];
  if (prompt > effective) return { kind: 'refused', outcome: tooLong({ prompt, others: 0, effective, model }) };
  return { kind: 'steered', turnId: running.turnId };
}

function refused(code: SteeringRefusal, message: string, next: string): RefusedSteering {
  return { kind: 'refused', outcome: { code, message, next } };
}
