import type { RefusedCall } from '../../../adapters/tools/tool.ts';
import { type AskedRefusal, refusalText } from '../../../core/fragments/answers/refusals.ts';
import {
  approvalNoLongerFitsText,
  folderKeepsChanging,
  interruptedBeforeAsking,
  interruptedBeforeRunning,
  notRunText,
  workingFolderMissing,
} from '../../../core/fragments/answers/tool-calls.ts';
import { canBeAsked } from '../../../core/policy/decide/approval-policy.ts';
import type {
  AskDecision,
  BlockedFiles,
  CallDecision,
  RunDecision,
} from '../../../core/policy/decide/call-decision.ts';
import { isSameTamperState, type TamperState } from '../../../core/policy/environment/tamper-state.ts';
import { grantedPolicy } from '../../../core/policy/grants/granted-policy.ts';
import { needsSandbox } from '../../../core/policy/paths/access.ts';
import type { RecordedAnswer } from '../../../core/state/questions/question-lines.ts';
import { valueOrAbort } from '../../../protocol/abort.ts';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { type Answer, type AnswerScope, asksForContent } from '../../../protocol/question.ts';
import { userFacts } from '../context/turn-contract.ts';
import type { Turn } from '../thread-parts.ts';
import {
  askInOrder,
  howTurnWasAborted,
  createCallQuestion,
  recordQuestionAnswered,
  recordQuestion,
  saveAllowedRule,
  showQuestionAgain,
} from './ask-about-call.ts';
import type { CallInStepOrder, DecisionInOrder, QuestionToAsk } from './ask-about-call.ts';
import { decideCallRetry, decideCallNow, readCommandBeforeRetry, readCommandIfNeeded } from './decide-call.ts';
import type { CallToDecide, DecideOptions } from './decide-call.ts';

/** The thread is given up while the call waits for an answer: the question stays open. */
export type SuspendedCall = { readonly kind: 'suspended' };

/** A call of a suspended turn, with its question and the user's answer, if any. */
export interface SuspendedAsking extends Pick<DecideOptions, 'approval'> {
  readonly id: string;
  readonly about: string;
  readonly answer?: RecordedAnswer;
  /** From hooks that ran before the suspension. They are not asked again. */
  readonly hooked?: Pick<CallToDecide, 'hook'> & { readonly note?: string };
}

export interface CallToGrant extends CallToDecide, CallInStepOrder {}

export type GrantDecision = GrantedCall | AnsweredRefusal | SuspendedCall;

/** Decides by the policy alone, or by the user where the policy asks. */
export function grantCall(turn: Turn, wanted: CallToGrant): GrantDecision | Promise<GrantDecision> {
  const reading = readCommandIfNeeded(turn, wanted.needs);
  // Await only where needed: lines must be in the order of what happened.
  return reading === undefined ? grantRead(turn, wanted) : reading.then((read) => grantRead(turn, { ...wanted, read }));
}

function grantRead(turn: Turn, wanted: CallToGrant): GrantDecision | Promise<GrantDecision> {
  const decided = decideCallNow(turn, wanted);
  if (decided.kind !== 'ask') return settled(turn, wanted, decided);
  const asking = createCallQuestion(turn, wanted, decided);
  recordQuestion(turn, asking);
  return askShown(turn, wanted, asking);
}

function settled(turn: Turn, wanted: CallToGrant, decided: Exclude<CallDecision, AskDecision>): GrantDecision {
  if (decided.kind === 'run') return grantFromDecision(turn, decided, undefined);
  const asked = { approval: 'on-request', canAsk: true } as const;
  const isAnswered = canBeAsked(userFacts(turn.parts), turn.envelope.policy);
  const unasked = (!isAnswered && decideCallNow(turn, wanted, asked).kind === 'ask') || undefined;
  return { kind: 'refused', output: notRunText(decided.why, decided.next), unasked };
}

/** Decides whether a call that the sandbox stopped runs once more. Otherwise the result of the first try holds. */
export async function grantRetry(turn: Turn, wanted: CallToGrant, blocked: BlockedFiles) {
  const decide = async () => decideCallRetry(turn, await readCommandBeforeRetry(turn, wanted), blocked);
  if ((await decide()) === undefined) return undefined;
  const came = await askInOrder(turn, wanted, { decide });
  if (came.kind === 'decided')
    return came.decided?.kind === 'run' ? grantFromDecision(turn, came.decided, undefined) : undefined;
  const granting = grantAsked(turn, came);
  return granting.kind === 'suspended' ? undefined : granting;
}

/** Grants a call of a suspended turn. The recorded answer counts only if the call still gives the same question. */
export async function grantSuspended(
  turn: Turn,
  wanted: CallToGrant,
  { id, about, answer, ...options }: SuspendedAsking,
): Promise<GrantDecision> {
  const { input, client } = wanted.needs;
  if (answer !== undefined && answer.kind !== 'allowed')
    return refusalFromAnswer(turn, answer, { content: input === undefined ? client && 'client-tool' : 'input' });
  const question = { id, callId: wanted.call.call_id, turnId: turn.turnId };
  // The turn is taken up only to be ended: do not look at the call or show its question again.
  if (howTurnWasAborted(turn)?.kind === 'interrupted') {
    if (answer === undefined) await recordQuestionAnswered(turn, question, { kind: 'lapsed', about });
    turn.questions.lapse(id);
    return { kind: 'refused', output: interruptedBeforeRunning };
  }
  const known = { ...wanted, read: await readCommandIfNeeded(turn, wanted.needs, options) };
  const decided = decideCallNow(turn, known, { ...options, canAsk: true });
  // An answer for longer than the call, or a rule that it saved, counts already: no question is needed.
  if (answer !== undefined && decided.kind === 'run') return answeredBy(turn, decided, answer);
  const asking = decided.kind === 'ask' ? createCallQuestion(turn, wanted, decided) : undefined;
  if (asking?.about !== about) {
    if (answer === undefined) await recordQuestionAnswered(turn, question, { kind: 'lapsed', about });
    turn.questions.lapse(id);
    return { kind: 'refused', output: approvalNoLongerFitsText(decided.kind === 'refuse' ? decided.why : undefined) };
  }
  if (answer === undefined) {
    showQuestionAgain(turn, asking);
    return askShown(turn, known, asking, options);
  }
  // Wait for the call's turn as if it had been answered just now.
  await valueOrAbort(wanted.inOrder.turn(), turn.signal, undefined);
  const ended = howTurnWasAborted(turn);
  if (ended !== undefined) return grantAsked(turn, ended);
  await saveAllowedRule(turn, asking.question, answer);
  return answeredBy(turn, asking.decided, answer);
}

async function askShown(
  turn: Turn,
  wanted: CallToGrant,
  shown: QuestionToAsk,
  options: DecideOptions = {},
): Promise<GrantDecision> {
  const decide = (): CallDecision | Promise<CallDecision> => {
    const reading = readCommandIfNeeded(turn, wanted.needs, options);
    if (reading === undefined) return decideCallNow(turn, wanted, options);
    return reading.then((read) => decideCallNow(turn, { ...wanted, read }, options));
  };
  const came = await askInOrder(turn, wanted, { decide, shown });
  if (came.kind === 'decided' && came.decided !== undefined) return settled(turn, wanted, came.decided);
  if (came.kind === 'decided') return { kind: 'refused', output: interruptedBeforeAsking };
  // If no one could be asked, the refusal would tell the model a way out. This one tells it, too.
  const alone = decideCallNow(turn, wanted, { ...options, canAsk: false });
  return grantAsked(turn, came, alone.kind === 'refuse' ? alone.next : undefined);
}

function grantAsked(turn: Turn, came: Exclude<DecisionInOrder, { kind: 'decided' }>, next?: string): GrantDecision {
  switch (came.kind) {
    case 'suspended':
      return { kind: 'suspended' };
    case 'interrupted':
      return { kind: 'refused', output: interruptedBeforeRunning };
    case 'unheard':
      return { kind: 'refused', output: interruptedBeforeAsking };
    case 'answered': {
      const { answer, asking } = came;
      const { decided, question } = asking;
      if (answer.kind === 'allowed') return answeredBy(turn, decided, answer);
      const content = asksForContent(question.kind) ? question.kind : undefined;
      return refusalFromAnswer(turn, answer, { content, why: decided.question.reason, next });
    }
  }
}

function answeredBy(turn: Turn, decided: RunDecision | AskDecision, answer: RecordedAnswer): GrantedCall {
  return { ...grantFromDecision(turn, decided, answer.scope ?? 'call'), answer };
}

/** `outside`: beyond the sandbox of its turn. */
export interface GrantedCall {
  readonly kind: 'granted';
  readonly policy: ResolvedPolicy;
  readonly where: 'sandbox' | 'outside';
  readonly leaves?: true;
  /** Runs in a wider sandbox: paths denied for reading stay denied. */
  readonly confined?: true;
  /** The ground of the decision. Absent: nothing depends on it. */
  readonly ground?: TamperState;
  /** The scope of the user's yes. Absent: no question was asked. */
  readonly allowed?: AnswerScope;
  readonly answer?: Answer;
}

type AnsweredRefusal = RefusedCall & { readonly answer?: Answer };

function grantFromDecision(
  { envelope, parts }: Turn,
  decided: RunDecision | AskDecision,
  allowed: AnswerScope | undefined,
): GrantedCall {
  const { where, ground } = decided;
  const asked = decided.kind === 'ask' ? decided.question.permissions?.write : undefined;
  parts.ground?.open([...(decided.extra?.write ?? []), ...(asked ?? [])]);
  const { resolved } = envelope.policy;
  const policy = grantedPolicy(resolved, decided);
  const isConfined = needsSandbox(policy);
  const leaves = (needsSandbox(resolved) && (where === 'outside' || !isConfined)) || undefined;
  const confined = (leaves && isConfined) || undefined;
  return { kind: 'granted', policy, where, leaves, confined, ground, allowed };
}

/** The refusal that the model reads. Ends the turn if the user wants it. */
function refusalFromAnswer(turn: Turn, answer: Answer, asked?: AskedRefusal): AnsweredRefusal {
  if (answer.kind === 'stopped') turn.stop();
  return { kind: 'refused', output: refusalText(answer, asked), answer };
}

/** An honest ground does not change this often while the user is asked. */
const mostLooks = 4;

/**
 * Confirms the grant of a call that is about to begin, if its ground is still that of the decision. Otherwise the call
 * is granted anew, since a yes covers only what the question showed. Without a question, the grant never becomes wider.
 * `grant` grants the call as if nothing had been decided; undefined: there is nothing to do.
 */
export async function confirmGrant(
  turn: Turn,
  granted: GrantedCall,
  look: () => Promise<TamperState | undefined>,
  grant: () => Promise<GrantDecision | undefined>,
): Promise<GrantDecision | undefined> {
  let last = granted;
  for (let looks = 0; looks < mostLooks; looks++) {
    if (last.ground === undefined) return last;
    const ground = await look();
    const ended = last.answer === undefined ? undefined : howTurnWasAborted(turn);
    if (ended !== undefined) return grantAsked(turn, ended);
    if (ground !== undefined && isSameTamperState(last.ground, ground)) return onItsFolder(last);
    const next = await grant();
    if (next?.kind !== 'granted') return next;
    if (next.where === 'outside' && last.where === 'sandbox' && next.answer === undefined) return last;
    last = next;
  }
  return { kind: 'refused', output: folderKeepsChanging };
}

/** Outside the sandbox a command starts in the folder of the decision, or not at all. */
function onItsFolder(granted: GrantedCall): GrantDecision {
  const isGone = granted.leaves === true && granted.ground?.folder === undefined;
  return isGone ? { kind: 'refused', output: workingFolderMissing } : granted;
}
