import { defined } from '../protocol/defined.ts';
import type { CallItem, Item } from '../protocol/item.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { objectAt, stringAt } from '../protocol/json.ts';
import { keyedDigest } from '../protocol/keyed-digest.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import type { Answer, Question } from '../protocol/question.ts';
import { foldGrant, type RecordedGrant } from './grants.ts';
import { questionFields, readAnswer, readQuestion, textsAt } from './question-fields.ts';
import type { OpenTurn, ThreadState } from './thread-state.ts';

/** A question of the open turn whose call has not begun: it waits for its answer, or the answer waits to be used. */
export interface RecordedQuestion extends Question {
  /** What was asked, to the last character: an answer counts for nothing else. Absent in lines that do not say. */
  readonly about?: string;
  /** Proves that this home wrote the line: its answer lets a command run. */
  readonly seal?: string;
  readonly answer?: RecordedAnswer;
}

/** The same for an answer. */
export interface RecordedAnswer extends Answer {
  readonly about: string;
  /** What a session keeps of it. */
  readonly keys?: readonly string[];
  readonly seal?: string;
}

const noKey = new Uint8Array();

/** Names what is asked: the question as a whole, and the arguments as the model wrote them. */
export function aboutCall(call: CallItem, question: Question): string {
  const given = call.type === 'function_call' ? call.arguments : call.input;
  const digest = keyedDigest(noKey, JSON.stringify([call.name, given, question]));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Durable before the user is asked. */
export function questionAsked(question: Question, about: string): LineDraft {
  return { type: lineType.question, payload: { ...questionFields(question), about } };
}

/** Durable before the call begins, or its refusal reaches the model. */
export function questionAnswered(
  { callId, turnId }: Pick<Question, 'callId' | 'turnId'>,
  { about, keys, kind, scope, note }: RecordedAnswer,
): LineDraft {
  const answer = { kind, ...defined({ scope, note }) };
  const payload = { turn_id: turnId, call_id: callId, about, answer, ...defined({ keys }) };
  return { type: lineType.question, payload };
}

/** What the seal of a question's line is made over. */
export function claimOfQuestion({
  callId,
  turnId,
  about = '',
}: Pick<RecordedQuestion, 'callId' | 'turnId' | 'about'>): Json {
  return [lineType.question, turnId, callId, about];
}

/** What the seal of an answer's line is made over. What the user wants the model to know grants nothing. */
export function claimOfAnswer(
  { callId, turnId }: Pick<Question, 'callId' | 'turnId'>,
  { about, kind, scope, keys }: Omit<RecordedAnswer, 'note' | 'seal'>,
): Json {
  return [lineType.question, turnId, callId, about, kind, scope ?? null, keys ?? null];
}

/** The answer in a `capstan_question` line, if it is one. */
export function answerIn(payload: JsonObject): RecordedAnswer | undefined {
  const [answer, about] = [readAnswer(objectAt(payload, 'answer')), stringAt(payload, 'about')];
  const keys = textsAt(payload, 'keys');
  if (answer === undefined || about === undefined || (keys === undefined && payload['keys'] !== undefined))
    return undefined;
  const seal = stringAt(payload, 'seal');
  return { ...answer, about, ...defined({ keys, seal: seal === '' ? undefined : seal }) };
}

/** Of one turn, at once: no answer of a model holds so many calls. */
const mostQuestions = 500;

/**
 * What a `capstan_question` line does to the state: a question waits in the turn that is open until its call begins or
 * is answered. What it allows for the session is a grant.
 */
export function foldQuestion(state: ThreadState, payload: JsonObject): ThreadState {
  const { openTurn } = state;
  const callId = stringAt(payload, 'call_id');
  const isOfTurn = openTurn !== undefined && stringAt(payload, 'turn_id') === openTurn.id;
  if (payload['dropped'] !== undefined) {
    const others = isOfTurn ? { ...state, openTurn: withoutQuestion(openTurn, callId) } : state;
    return payload['turn_id'] === undefined ? withGrants(state, foldGrant(state.grants, payload)) : others;
  }
  if (!isOfTurn || callId === undefined) return state;
  if (payload['answer'] !== undefined) return foldAnswered(state, openTurn, callId, payload);
  const asked = readQuestion(callId, openTurn.id, payload);
  if (asked === undefined) return state;
  const others = (openTurn.questions ?? []).filter((question) => question.callId !== callId);
  const seal = stringAt(payload, 'seal');
  const recorded = {
    ...asked,
    ...defined({ about: stringAt(payload, 'about'), seal: seal === '' ? undefined : seal }),
  };
  return { ...state, openTurn: { ...openTurn, questions: [...others.slice(1 - mostQuestions), recorded] } };
}

/** An answer counts for the question that it names, once. */
function foldAnswered(state: ThreadState, openTurn: OpenTurn, callId: string, payload: JsonObject): ThreadState {
  const { questions = [] } = openTurn;
  const question = questions.find((each) => each.callId === callId && each.answer === undefined);
  const answer = answerIn(payload);
  if (question === undefined || answer === undefined || answer.about !== question.about) return state;
  if (answer.scope !== undefined && !question.scopes.includes(answer.scope)) return state;
  const answered = questions.map((each) => (each === question ? { ...question, answer } : each));
  const grants = foldGrant(state.grants, payload);
  return withGrants({ ...state, openTurn: { ...openTurn, questions: answered } }, grants);
}

function withGrants(state: ThreadState, grants: readonly RecordedGrant[]): ThreadState {
  return grants === state.grants ? state : { ...state, grants };
}

/** The end of a question that no seal proves: no one is asked it. */
export function questionDropped({ callId, turnId }: Pick<Question, 'callId' | 'turnId'>): LineDraft {
  return { type: lineType.question, payload: { turn_id: turnId, call_id: callId, dropped: 'unproven' } };
}

/** What the thread waits for an answer to, as it was asked. */
export function pendingQuestions({ openTurn }: Pick<ThreadState, 'openTurn'>): readonly Question[] {
  const asked = openTurn?.questions?.filter(({ answer }) => answer === undefined) ?? [];
  return asked.map(({ about: _about, seal: _seal, ...question }) => question);
}

/** Whether the thread ends with a turn that waits, for an answer or to use one. Asked of a thread that runs no turn. */
export function isSuspended({ openTurn }: Pick<ThreadState, 'openTurn'>): boolean {
  return openTurn !== undefined && openTurn.compaction === undefined && openTurn.questions !== undefined;
}

/** The call begins, or has been answered: what was asked about it is over. */
export function withoutQuestion(openTurn: OpenTurn, callId: unknown): OpenTurn {
  const { questions = [], ...rest } = openTurn;
  const others = questions.filter((question) => question.callId !== callId);
  if (others.length === questions.length) return openTurn;
  return others.length === 0 ? rest : { ...rest, questions: others };
}

/** The same when the model is given the call's output. */
export function foldQuestionOver(state: ThreadState, item: Item): ThreadState {
  const { openTurn } = state;
  if (openTurn?.questions === undefined || !item.type.endsWith('_output')) return state;
  const turn = withoutQuestion(openTurn, item['call_id']);
  return turn === openTurn ? state : { ...state, openTurn: turn };
}
