import type { AskDecision } from '../../policy/call-decision.ts';
import { isReviewed } from '../../policy/review/is-reviewed.ts';
import { policyMark } from '../../policy/session-grants.ts';
import { defined } from '../../protocol/defined.ts';
import type { CallItem } from '../../protocol/item.ts';
import { type Answer, asksForContent, type Question } from '../../protocol/question.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { threadCloses } from '../../protocol/stopped-by.ts';
import { shownCall } from '../../state/call-start.ts';
import { storedItem } from '../../state/item-drafts.ts';
import { questionId } from '../../state/question-id.ts';
import { aboutCall, questionAnswered, questionAsked, type RecordedAnswer } from '../../state/recorded-question.ts';
import type { PreparedCall } from '../../tools/define.ts';
import type { AskedQuestion } from '../parts/open-questions.ts';
import type { Turn } from '../parts/parts.ts';
import type { Asker } from '../review/asker.ts';
import { saveAllowedRule } from './save-allowed-rule.ts';

/** What is asked about a call, and what a yes would mean. */
export interface QuestionToAsk {
  readonly call: CallItem;
  readonly question: Question;
  readonly about: string;
  readonly decided: AskDecision;
  /** As screens show it. */
  readonly item: PreparedCall['item'];
}

export function questionOf(
  { turnId, log }: Pick<Turn, 'turnId' | 'log'>,
  { call, item }: Pick<PreparedCall, 'item'> & { readonly call: CallItem },
  decided: AskDecision,
): QuestionToAsk {
  const { call_id: callId, name: tool } = call;
  const asked = { callId, turnId, tool, item: storedItem(item), ...decided.question };
  const about = aboutCall(call, inLine(asked, item));
  return { question: { id: questionId(log.state.openTurn ?? {}, about), ...asked }, call, about, decided, item };
}

/** Nothing large is stored twice (I9): the arguments stand in the call. */
function inLine<Asked extends Omit<Question, 'id'>>(question: Asked, item: PreparedCall['item']): Asked {
  return { ...question, item: shownCall(item) };
}

/**
 * The question waits as a line from here on, everyone who may answer is told of it, and an answer is recorded as soon as
 * it comes. `instead`: what was asked until now.
 */
export function recordQuestion(turn: Turn, asking: QuestionToAsk, instead?: QuestionToAsk): void {
  const { log, questions } = turn;
  const { question, call, about, item } = asking;
  const to = reviewerOf(turn, question);
  const hook = turn.memory.hookedCalls.get(call.call_id);
  const more = defined({ supersedes: instead?.about, to, hook });
  log.record(questionAsked(inLine(question, item), { call, about, ...more }));
  if (instead !== undefined) {
    questions.lapse(instead.question.id);
    tellAnswered(turn, instead.question, { kind: 'lapsed' });
  }
  log.tell(shown(turn, asking));
  open(turn, asking);
  // A lost disk is reported to the call when it asks.
  log.durable().catch(() => {});
}

/** The same for a question whose line was written by an earlier process: those who follow have no line for it. */
export function showAgain(turn: Turn, asking: QuestionToAsk): void {
  turn.log.tellPassing(shown(turn, asking));
  open(turn, asking);
  turn.log.durable().catch(() => {});
}

function shown(turn: Turn, { question, item }: QuestionToAsk): ThreadEvent {
  const to = reviewerOf(turn, question);
  return { kind: 'question-asked', turnId: question.turnId, question, item, ...defined({ to }) };
}

/** After it is shown: subscribers hear at once of an answer that came before. */
function open(turn: Turn, asking: QuestionToAsk): void {
  turn.questions.open(asking.question.id, (given) => recordGiven(turn, asking, given));
}

function reviewerOf({ envelope }: Pick<Turn, 'envelope'>, { kind }: Pick<Question, 'kind'>): 'review' | undefined {
  return !asksForContent(kind) && isReviewed(envelope.policy) ? 'review' : undefined;
}

/** Puts a question that was shown to the one who answers. It is durable before, and the answer before anything follows from it. */
export function askQuestion(
  turn: Turn,
  asker: Asker | undefined,
  { question, item }: QuestionToAsk,
): Promise<AskedQuestion> {
  const shows: Asker | undefined = asker && { ask: (asked, signal) => asker.ask(asked, signal, item) };
  return turn.questions.ask(shows, question, turn.signal, () => turn.log.durable());
}

/** A turn that is interrupted does not wait for an answer: without one the question lapses. */
async function recordGiven(
  turn: Turn,
  { question, about, decided }: QuestionToAsk,
  given: Answer | undefined,
): Promise<AskedQuestion> {
  if (given === undefined && turn.signal.reason === threadCloses) return { kind: 'suspended' };
  const said = { about, keys: decided.grantKeys, under: policyMark(turn.envelope.policy) };
  const answer = asRecorded(given ?? { kind: 'lapsed' }, question, said);
  await recordAnswered(turn, question, answer);
  if (answer.kind === 'allowed') await saveAllowedRule(turn, question, answer);
  // Not only when the call's turn comes: no other question is to be asked.
  if (answer.kind === 'stopped') turn.stop();
  return { kind: 'answered', answer };
}

/** What counts of an answer: no more than was offered, and of a reviewer's no more than this call. */
function asRecorded(
  { kind, scope, note, prefix, content, by, verdict }: Answer,
  { kind: asked, scopes }: Pick<Question, 'kind' | 'scopes'>,
  { about, keys, under }: Required<Pick<RecordedAnswer, 'about' | 'keys' | 'under'>>,
): RecordedAnswer {
  const isOffered = by === undefined && kind === 'allowed' && scope !== undefined && scopes.includes(scope);
  const offered = isOffered ? scope : undefined;
  // Permissions that are asked for by themselves hold for the turn at least.
  const lasts = offered === 'session' || offered === 'rule' || (asked === 'permissions' && kind === 'allowed');
  const lasting = lasts && keys.length > 0 ? { keys, under } : {};
  const other = offered === 'rule' ? defined({ prefix }) : {};
  return { kind, about, ...lasting, ...other, ...defined({ scope: offered, note, content, by, verdict }) };
}

/** Durable before anything follows from it. */
export async function recordAnswered(
  { log }: Pick<Turn, 'log'>,
  question: Pick<Question, 'id' | 'callId' | 'turnId'>,
  answer: RecordedAnswer,
): Promise<void> {
  const { about: _about, keys: _keys, under: _under, seal: _seal, ...shown } = answer;
  log.record(questionAnswered(question, answer));
  tellAnswered({ log }, question, shown);
  await log.durable();
}

/**
 * Records the line with which a call begins, or is refused. A question about it that has no answer was decided by another
 * answer, and is over with this line.
 */
export function recordDecided(
  { log }: Pick<Turn, 'log'>,
  callId: string,
  kind: 'allowed' | 'lapsed',
  record: () => void,
): void {
  const { questions = [] } = log.state.openTurn ?? {};
  record();
  for (const question of questions) {
    if (question.callId === callId && question.answer === undefined) tellAnswered({ log }, question, { kind });
  }
}

function tellAnswered(
  { log }: Pick<Turn, 'log'>,
  { id, turnId, callId }: Pick<Question, 'id' | 'callId' | 'turnId'>,
  answer: Answer,
): void {
  log.tell({ kind: 'question-answered', turnId, id, callId, answer });
}
