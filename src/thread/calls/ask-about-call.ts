import type { AskDecision } from '../../policy/call-decision.ts';
import { isReviewed } from '../../policy/review/is-reviewed.ts';
import { policyMark } from '../../policy/session-grants.ts';
import { defined } from '../../protocol/defined.ts';
import type { CallItem } from '../../protocol/item.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { shownCall } from '../../state/call-start.ts';
import { questionId } from '../../state/question-id.ts';
import { aboutCall, questionAnswered, questionAsked, type RecordedAnswer } from '../../state/recorded-question.ts';
import type { PreparedCall } from '../../tools/define.ts';
import { type Turn, threadCloses } from '../parts/parts.ts';
import type { Asker } from '../review/asker.ts';
import { saveAllowedRule } from './save-allowed-rule.ts';

/** What is asked about a call, and what a yes would mean. */
export interface QuestionToAsk {
  readonly question: Question;
  readonly about: string;
  readonly decided: AskDecision;
  /** As screens show it. */
  readonly item: PreparedCall['item'];
}

/** What became of a question. All but `suspended` is durable. */
export type AskedQuestion =
  | { readonly kind: 'answered'; readonly answer: RecordedAnswer }
  /** It lapsed before it could be put to anyone. */
  | { readonly kind: 'unheard' }
  /** The thread is given up: the next program to open it asks again. */
  | { readonly kind: 'suspended' };

export function questionOf(
  { turnId, log }: Pick<Turn, 'turnId' | 'log'>,
  { call, item }: Pick<PreparedCall, 'item'> & { readonly call: CallItem },
  decided: AskDecision,
): QuestionToAsk {
  const { call_id: callId, name: tool } = call;
  const asked = { callId, turnId, tool, item: shownCall(item), ...decided.question };
  const about = aboutCall(call, asked);
  return { question: { id: questionId(log.state.openTurn ?? {}, about), ...asked }, about, decided, item };
}

/** The question waits as a line from here on. `instead`: what was asked until now, if it is another one. */
export function recordQuestion(
  { log, envelope, questions }: Pick<Turn, 'log' | 'envelope' | 'questions'>,
  { question, about }: QuestionToAsk,
  instead?: QuestionToAsk,
): void {
  if (instead?.about === about) return;
  if (instead !== undefined) questions.lapse(instead.question.id);
  const to = isReviewed(envelope.policy) ? ('review' as const) : undefined;
  log.record(questionAsked(question, about, defined({ supersedes: instead?.about, to })));
}

/** Puts a recorded question to the one who answers. It is durable before, and the answer before anything follows from it. */
export async function askQuestion(turn: Turn, asker: Asker | undefined, asking: QuestionToAsk): Promise<AskedQuestion> {
  const { log, signal } = turn;
  const { question, item } = asking;
  const record = (given: Answer | undefined): Promise<AskedQuestion> => recordGiven(turn, asking, given);
  if (signal.aborted || asker === undefined) {
    const { kind } = await record(undefined);
    return { kind: kind === 'suspended' ? kind : 'unheard' };
  }
  const tell = (): Promise<void> => {
    log.tell({ kind: 'question-asked', turnId: question.turnId, question, item, ...defined({ to: asker.to }) });
    return log.durable();
  };
  return turn.questions.ask(asker, question, signal, { tell, record });
}

/** A turn that is interrupted does not wait for an answer: without one the question lapses. */
async function recordGiven(
  turn: Turn,
  { question, about, decided }: QuestionToAsk,
  given: Answer | undefined,
): Promise<Extract<AskedQuestion, { kind: 'answered' | 'suspended' }>> {
  if (given === undefined && turn.signal.reason === threadCloses) return { kind: 'suspended' };
  const said = { about, keys: decided.grantKeys, under: policyMark(turn.envelope.policy) };
  const answer = asRecorded(given ?? { kind: 'lapsed' }, question, said);
  await recordAnswered(turn, question, answer);
  if (answer.kind === 'allowed') await saveAllowedRule(turn, question, answer);
  return { kind: 'answered', answer };
}

/** What counts of an answer: no more than was offered, and of a reviewer's no more than this call. */
function asRecorded(
  { kind, scope, note, by, verdict }: Answer,
  { kind: asked, scopes }: Pick<Question, 'kind' | 'scopes'>,
  { about, keys, under }: Required<Pick<RecordedAnswer, 'about' | 'keys' | 'under'>>,
): RecordedAnswer {
  const isOffered = by === undefined && kind === 'allowed' && scope !== undefined && scopes.includes(scope);
  const offered = isOffered ? scope : undefined;
  // Permissions that are asked for by themselves hold for the turn at least.
  const lasts = offered === 'session' || offered === 'rule' || (asked === 'permissions' && kind === 'allowed');
  const lasting = lasts && keys.length > 0 ? { keys, under } : {};
  return { kind, about, ...lasting, ...defined({ scope: offered, note, by, verdict }) };
}

/** Durable before anything follows from it. */
export async function recordAnswered(
  { log }: Pick<Turn, 'log'>,
  { id, turnId, callId }: Pick<Question, 'id' | 'callId' | 'turnId'>,
  answer: RecordedAnswer,
): Promise<void> {
  const { about: _about, keys: _keys, under: _under, seal: _seal, ...shown } = answer;
  log.record(questionAnswered({ callId, turnId }, answer));
  log.tell({ kind: 'question-answered', turnId, id, callId, answer: shown });
  await log.durable();
}
