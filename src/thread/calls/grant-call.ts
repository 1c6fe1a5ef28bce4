import { lapsedUnasked, noLongerAsked, refusedCall } from '../../fragments/answers/call-answers.ts';
import type { Step } from '../../envelope/step.ts';
import { textOfRefusal } from '../../fragments/answers/refusing-answer.ts';
import type { AskedRetry } from '../../fragments/answers/retry-answers.ts';
import { needsSandbox } from '../../policy/access.ts';
import type { Blocked } from '../../policy/approval.ts';
import type { AskDecision, RefuseDecision, RunDecision } from '../../policy/call-decision.ts';
import { grantedPolicy } from '../../policy/granted-policy.ts';
import { policyMark } from '../../policy/session-grants.ts';
import { defined } from '../../protocol/defined.ts';
import type { CallItem } from '../../protocol/item.ts';
import type { Answer, AnswerScope, Question } from '../../protocol/question.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { shownCall } from '../../state/call-start.ts';
import { questionId } from '../../state/question-id.ts';
import { aboutCall, questionAnswered, questionAsked, type RecordedAnswer } from '../../state/recorded-question.ts';
import type { PreparedCall, RefusedCall } from '../../tools/define.ts';
import { type Turn, threadCloses } from '../parts/parts.ts';
import { type Asker, askerOf, canBeAsked } from '../review/asker.ts';
import {
  type CallToDecide,
  decideAgain,
  type DecideOptions,
  decideNow,
  readBeforeRetry,
  readCommand,
} from './decide-now.ts';
import type { QuestionPlace } from './question-order.ts';
import { saveAllowedRule } from './save-allowed-rule.ts';

/** What a call may do. `outside`: beyond the sandbox of its turn. */
export interface GrantedCall {
  readonly kind: 'granted';
  readonly policy: ResolvedPolicy;
  readonly where: 'sandbox' | 'outside';
  /** No sandbox is left: there was one, and denied reads do not keep it. */
  readonly leaves?: true;
  /** How far the user's yes goes. Absent: no question was asked. */
  readonly allowed?: AnswerScope;
  /** Absent: no question was asked. */
  readonly answer?: Answer;
}

/** The thread is given up while the call waits for an answer: the question stays as it is. */
export interface SuspendedCall {
  readonly kind: 'suspended';
}

/** A call of a suspended turn, with what was asked about it and what the user answered, if anything. */
export interface SuspendedGrant extends Pick<DecideOptions, 'approval'> {
  /** Of the question. */
  readonly id: string;
  readonly about: string;
  readonly answer?: RecordedAnswer;
}

/** A call that is to be decided about, in its place among those of its step. */
export interface CallToGrant extends CallToDecide, Pick<PreparedCall, 'item'> {
  readonly call: CallItem;
  readonly step: Step;
  readonly place: QuestionPlace;
}

/** `answer`: the one that refused it. */
type RefusedGrant = RefusedCall & { readonly answer?: Answer };
type Granting = GrantedCall | RefusedGrant | SuspendedCall;

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
  return decided.kind === 'ask'
    ? askInTurn(turn, wanted, questionOf(turn, wanted, decided))
    : settled(turn, wanted, decided);
}

function settled(turn: Turn, wanted: CallToGrant, decided: RunDecision | RefuseDecision): GrantedCall | RefusedCall {
  if (decided.kind === 'run') return granted(turn, decided, undefined);
  const asked = { approval: 'on-request', canAsk: true } as const;
  const unasked = (!canBeAsked(turn) && decideNow(turn, wanted, asked).kind === 'ask') || undefined;
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
): Promise<((GrantedCall | RefusedGrant) & AskedRetry) | undefined> {
  const call = { ...wanted, ...(await readBeforeRetry(turn, wanted)) };
  if (decideAgain(turn, call, blocked) === undefined) return undefined;
  await wanted.place.turn();
  const decided = turn.signal.aborted ? undefined : decideAgain(turn, call, blocked);
  if (decided === undefined || decided.kind === 'refuse') return undefined;
  const host = decided.extra?.hosts?.[0];
  if (decided.kind === 'run') return { ...granted(turn, decided, undefined), ...defined({ host }) };
  const asking = questionOf(turn, wanted, decided);
  turn.log.record(questionAsked(asking.question, asking.about));
  const granting = await ask(turn, askerOf(turn, wanted.step), asking);
  return granting.kind === 'suspended' ? undefined : { ...granting, ...defined({ host }) };
}

/**
 * A call that waited when its turn was suspended. What was asked counts only if the call still gives the same question:
 * then the answer is the user's word about exactly this.
 */
export async function grantSuspended(
  turn: Turn,
  wanted: CallToGrant,
  { id, about, answer, ...options }: SuspendedGrant,
): Promise<Granting> {
  if (answer !== undefined && answer.kind !== 'allowed') return refusedBy(turn, answer);
  const known = withRead(wanted, await readCommand(turn, wanted.needs, options));
  const decided = decideNow(turn, known, { ...options, canAsk: true });
  const asking = decided.kind === 'ask' ? questionOf(turn, wanted, decided) : undefined;
  if (asking?.about !== about) {
    const question = { id, callId: wanted.call.call_id, turnId: turn.turnId };
    if (answer === undefined) await recordAnswer(turn, question, { kind: 'lapsed', about });
    return { kind: 'refused', output: noLongerAsked };
  }
  if (answer === undefined) return askInTurn(turn, known, asking, { ...options, isRecorded: true });
  await saveAllowedRule(turn, asking.question, answer);
  return granted(turn, asking.decided, answer.scope ?? 'call');
}

type QuestionName = Pick<Question, 'id' | 'callId' | 'turnId'>;

interface Asking {
  readonly question: Question;
  readonly about: string;
  readonly decided: AskDecision;
  /** As screens show it. */
  readonly item: PreparedCall['item'];
}

function questionOf({ turnId, log }: Turn, { call, item }: CallToGrant, decided: AskDecision): Asking {
  const { call_id: callId, name: tool } = call;
  const asked = { callId, turnId, tool, item: shownCall(item), ...decided.question };
  const about = aboutCall(call, asked);
  return { question: { id: questionId(log.state.openTurn ?? {}, about), ...asked }, about, decided, item };
}

/** The question waits as a line from here on. An answer to an earlier one may decide about this call as well. */
async function askInTurn(
  turn: Turn,
  wanted: CallToGrant,
  first: Asking,
  { isRecorded = false, ...options }: DecideOptions & { readonly isRecorded?: boolean } = {},
): Promise<Granting> {
  const { log, signal } = turn;
  if (!isRecorded) log.record(questionAsked(first.question, first.about));
  await wanted.place.turn();
  const decided = signal.aborted ? first.decided : decideNow(turn, wanted, options);
  if (decided.kind !== 'ask') return settled(turn, wanted, decided);
  const asking = questionOf(turn, wanted, decided);
  if (asking.about !== first.about) {
    log.record(questionAsked(asking.question, asking.about, { supersedes: first.about }));
  }
  return ask(turn, askerOf(turn, wanted.step), asking);
}

/** The question is durable before it is asked, and the answer before anything follows from it. */
async function ask(
  turn: Turn,
  asker: Asker | undefined,
  { question, about, decided, item }: Asking,
): Promise<Granting> {
  const { log, signal } = turn;
  const record = async (given: Answer | undefined): Promise<Granting> => {
    // Of a thread that is given up, the next program to open it asks again.
    if (given === undefined && signal.reason === threadCloses) return { kind: 'suspended' };
    // A turn that is interrupted does not wait for an answer.
    const said = { about, keys: decided.grantKeys, under: policyMark(turn.envelope.policy) };
    const answer = asRecorded(given ?? { kind: 'lapsed' }, question, said);
    await recordAnswer(turn, question, answer);
    if (answer.kind !== 'allowed') return refusedBy(turn, answer);
    await saveAllowedRule(turn, question, answer);
    return { ...granted(turn, decided, answer.scope ?? 'call'), answer };
  };
  if (signal.aborted || asker === undefined) {
    const unheard = await record(undefined);
    return unheard.kind === 'refused' ? { kind: 'refused', output: lapsedUnasked } : unheard;
  }
  const tell = (): Promise<void> => {
    log.tell({ kind: 'question-asked', turnId: question.turnId, question, item, ...defined({ to: asker.to }) });
    return log.durable();
  };
  return turn.questions.ask(asker, question, signal, { tell, record });
}

/** What counts of an answer: no more than was offered, and of a reviewer's no more than this call. */
function asRecorded(
  { kind, scope, note, by, verdict }: Answer,
  { scopes }: Pick<Question, 'scopes'>,
  { about, keys, under }: Required<Pick<RecordedAnswer, 'about' | 'keys' | 'under'>>,
): RecordedAnswer {
  const isOffered = by === undefined && kind === 'allowed' && scope !== undefined && scopes.includes(scope);
  const offered = isOffered ? scope : undefined;
  const kept = (offered === 'session' || offered === 'rule') && keys.length > 0 ? keys : undefined;
  const lasting = kept === undefined ? {} : { keys: kept, under };
  return { kind, about, ...lasting, ...defined({ scope: offered, note, by, verdict }) };
}

async function recordAnswer({ log }: Pick<Turn, 'log'>, question: QuestionName, answer: RecordedAnswer): Promise<void> {
  const { about: _about, keys: _keys, under: _under, seal: _seal, ...shown } = answer;
  log.record(questionAnswered(question, answer));
  const { id, turnId, callId } = question;
  log.tell({ kind: 'question-answered', turnId, id, callId, answer: shown });
  await log.durable();
}

function refusedBy(turn: Turn, answer: Answer): RefusedGrant {
  if (answer.kind === 'stopped') turn.stop();
  return { kind: 'refused', output: textOfRefusal(answer), answer };
}

function granted(
  { envelope, memory, parts }: Turn,
  decided: RunDecision | AskDecision,
  allowed: AnswerScope | undefined,
): GrantedCall {
  const { where } = decided;
  const asked = decided.kind === 'ask' ? decided.question.permissions?.write : undefined;
  parts.ground?.open([...(decided.extra?.write ?? []), ...(asked ?? [])]);
  // Permissions that are asked for by themselves hold for the turn at least. What is kept longer is a line.
  if (decided.kind === 'ask' && decided.question.kind === 'permissions') memory.grants.push(...decided.grantKeys);
  const { resolved } = envelope.policy;
  const policy = grantedPolicy(resolved, decided);
  const leaves = (needsSandbox(resolved) && !needsSandbox(policy)) || undefined;
  return { kind: 'granted', policy, where, ...defined({ leaves, allowed }) };
}
