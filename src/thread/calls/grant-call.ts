import { interruptedBefore, lapsedUnasked, noLongerAsked, refusedCall } from '../../fragments/answers/call-answers.ts';
import type { AskedRetry } from '../../fragments/answers/retry-answers.ts';
import type { Blocked } from '../../policy/approval.ts';
import type { AskDecision, CallDecision, RefuseDecision, RunDecision } from '../../policy/call-decision.ts';
import { canBeAsked } from '../../policy/review/can-be-asked.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import { defined } from '../../protocol/defined.ts';
import { asksForContent } from '../../protocol/question.ts';
import type { RecordedAnswer } from '../../state/recorded-question.ts';
import type { RefusedCall } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';
import { userFacts } from '../parts/user-facts.ts';
import { type QuestionToAsk, questionOf, recordAnswered, recordQuestion, showAgain } from './ask-about-call.ts';
import { askInPlace, type CallInPlace, type DecidedInPlace, endedBefore } from './ask-in-place.ts';
import {
  type CallToDecide,
  decideAgain,
  type DecideOptions,
  decideNow,
  readBeforeRetry,
  readCommand,
} from './decide-now.ts';
import { grantedBy, type GrantedCall, refusedBy, type AnsweredRefusal } from './granted-call.ts';
import { saveAllowedRule } from './save-allowed-rule.ts';

/** The thread is given up while the call waits for an answer: the question stays as it is. */
export interface SuspendedCall {
  readonly kind: 'suspended';
}

/** A call of a suspended turn, with what was asked about it and what the user answered, if anything. */
export interface SuspendedAsking extends Pick<DecideOptions, 'approval'> {
  /** Of the question. */
  readonly id: string;
  readonly about: string;
  readonly answer?: RecordedAnswer;
  /** Of what hooks said before. They are not asked again. */
  readonly hooked?: Pick<CallToDecide, 'hook'> & { readonly note?: string };
}

/** A call that is to be decided about, in its turn among those of its step. */
export interface CallToGrant extends CallToDecide, CallInPlace {}

export type Granting = GrantedCall | AnsweredRefusal | SuspendedCall;

/** What the call may do, or why it may do nothing: by the policy alone, or by the user where the policy says so. */
export function grantCall(turn: Turn, wanted: CallToGrant): Granting | Promise<Granting> {
  const reading = readCommand(turn, wanted.needs);
  // No waiting where nothing is read: lines stand in the order of what happened.
  return reading === undefined
    ? grantRead(turn, wanted)
    : reading.then((read) => grantRead(turn, withRead(wanted, read)));
}

function withRead(wanted: CallToGrant, read: CallToDecide['read']): CallToGrant {
  return { ...wanted, ...defined({ read }) };
}

function grantRead(turn: Turn, wanted: CallToGrant): Granting | Promise<Granting> {
  const decided = decideNow(turn, wanted);
  if (decided.kind !== 'ask') return settled(turn, wanted, decided);
  const asking = questionOf(turn, wanted, decided);
  recordQuestion(turn, asking);
  return askShown(turn, wanted, asking);
}

function settled(turn: Turn, wanted: CallToGrant, decided: RunDecision | RefuseDecision): GrantedCall | RefusedCall {
  if (decided.kind === 'run') return grantedBy(turn, decided, undefined);
  const asked = { approval: 'on-request', canAsk: true } as const;
  const isAnswered = canBeAsked(userFacts(turn.parts), turn.envelope.policy);
  const unasked = (!isAnswered && decideNow(turn, wanted, asked).kind === 'ask') || undefined;
  return { kind: 'refused', output: refusedCall(decided.why, decided.next), ...defined({ unasked }) };
}

/**
 * Whether a call that the sandbox stopped runs once more, where the policy or the user says so. Otherwise what came of
 * the first try stands, also where the thread is given up meanwhile.
 */
export async function grantRetry(
  turn: Turn,
  wanted: CallToGrant,
  blocked: Blocked,
): Promise<((GrantedCall | AnsweredRefusal) & AskedRetry) | undefined> {
  const decide = async () => decideAgain(turn, await readBeforeRetry(turn, wanted), blocked);
  if ((await decide()) === undefined) return undefined;
  const came = await askInPlace(turn, wanted, { decide });
  if (came.kind === 'decided')
    return came.decided?.kind === 'run' ? grantedBy(turn, came.decided, undefined) : undefined;
  const granting = grantAsked(turn, came);
  return granting.kind === 'suspended' ? undefined : granting;
}

/**
 * A call that waited when its turn was suspended. What was asked counts only if the call still gives the same question:
 * then the answer is the user's word about exactly this.
 */
export async function grantSuspended(
  turn: Turn,
  wanted: CallToGrant,
  { id, about, answer, ...options }: SuspendedAsking,
): Promise<Granting> {
  if (answer !== undefined && answer.kind !== 'allowed')
    return refusedBy(turn, answer, defined({ content: contentOf(wanted.needs) }));
  const question = { id, callId: wanted.call.call_id, turnId: turn.turnId };
  // The turn is taken up only to be ended: the call is not looked at, and its question is not shown again.
  if (endedBefore(turn)?.kind === 'interrupted') {
    if (answer === undefined) await recordAnswered(turn, question, { kind: 'lapsed', about });
    turn.questions.lapse(id);
    return { kind: 'refused', output: interruptedBefore };
  }
  const known = withRead(wanted, await readCommand(turn, wanted.needs, options));
  const decided = decideNow(turn, known, { ...options, canAsk: true });
  // An answer for longer than the call, or the rule that it saved, counts already: the call needs no question any more.
  if (answer !== undefined && decided.kind === 'run') return answeredBy(turn, decided, answer);
  const asking = decided.kind === 'ask' ? questionOf(turn, wanted, decided) : undefined;
  if (asking?.about !== about) {
    if (answer === undefined) await recordAnswered(turn, question, { kind: 'lapsed', about });
    turn.questions.lapse(id);
    return { kind: 'refused', output: noLongerAsked(decided.kind === 'refuse' ? decided.why : undefined) };
  }
  if (answer === undefined) {
    showAgain(turn, asking);
    return askShown(turn, known, asking, options);
  }
  // Its turn is the same as if it had been answered just now.
  await beforeAbort(wanted.inOrder.turn(), turn.signal, undefined);
  const ended = endedBefore(turn);
  if (ended !== undefined) return grantAsked(turn, ended);
  await saveAllowedRule(turn, asking.question, answer);
  return answeredBy(turn, asking.decided, answer);
}

async function askShown(
  turn: Turn,
  wanted: CallToGrant,
  shown: QuestionToAsk,
  options: DecideOptions = {},
): Promise<Granting> {
  const decide = (): CallDecision | Promise<CallDecision> => {
    const reading = readCommand(turn, wanted.needs, options);
    return reading === undefined
      ? decideNow(turn, wanted, options)
      : reading.then((read) => decideNow(turn, withRead(wanted, read), options));
  };
  const came = await askInPlace(turn, wanted, { decide, shown });
  if (came.kind === 'decided')
    return came.decided === undefined
      ? { kind: 'refused', output: lapsedUnasked }
      : settled(turn, wanted, came.decided);
  // What the model reads where no one could have been asked has the way out.
  const alone = decideNow(turn, wanted, { ...options, canAsk: false });
  return grantAsked(turn, came, alone.kind === 'refuse' ? alone.next : undefined);
}

export function grantAsked(
  turn: Turn,
  came: Exclude<DecidedInPlace, { kind: 'decided' }>,
  next?: string,
): GrantedCall | AnsweredRefusal | SuspendedCall {
  switch (came.kind) {
    case 'suspended':
      return { kind: 'suspended' };
    case 'interrupted':
      return { kind: 'refused', output: interruptedBefore };
    case 'unheard':
      return { kind: 'refused', output: lapsedUnasked };
    case 'answered': {
      const { answer, asking } = came;
      const { decided, question } = asking;
      const content = asksForContent(question.kind) ? question.kind : undefined;
      if (answer.kind !== 'allowed')
        return refusedBy(turn, answer, defined({ content, why: decided.question.reason, next }));
      return answeredBy(turn, decided, answer);
    }
  }
}

/** What the call asks for besides a permission. */
function contentOf({ input, client }: CallToGrant['needs']): 'input' | 'client-tool' | undefined {
  return input === undefined ? client && 'client-tool' : 'input';
}

function answeredBy(turn: Turn, decided: RunDecision | AskDecision, answer: RecordedAnswer): GrantedCall {
  return { ...grantedBy(turn, decided, answer.scope ?? 'call'), answer };
}
