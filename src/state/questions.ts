import { defined } from '../protocol/defined.ts';
import type { Answer, PendingQuestion, Question } from '../protocol/question.ts';
import type { TurnId } from '../protocol/ids.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import type { ThreadState } from './thread-state.ts';

/** Durable before the user is asked. */
export function questionAsked({ callId, turnId, ...about }: Question): LineDraft {
  return {
    type: lineType.question,
    payload: { turn_id: turnId, call_id: callId, ...(about as unknown as JsonObject) },
  };
}

/** Durable before the call begins, or its refusal reaches the model. */
export function questionAnswered({ callId, turnId }: Question, { kind, note }: Answer): LineDraft {
  const answer = { kind, ...defined({ note }) };
  return { type: lineType.question, payload: { turn_id: turnId, call_id: callId, answer } };
}

/** Of one turn, at once: no answer of a model holds so many calls. */
const mostQuestions = 500;

/** What a `capstan_question` line does to the state: a question waits in the turn that is open, until it is answered. */
export function foldQuestion(state: ThreadState, payload: JsonObject): ThreadState {
  const { openTurn } = state;
  const callId = stringAt(payload, 'call_id');
  if (openTurn === undefined || callId === undefined || stringAt(payload, 'turn_id') !== openTurn.id) return state;
  const { questions = [], ...rest } = openTurn;
  const others = questions.filter((question) => question.callId !== callId);
  const asked = readQuestion(callId, openTurn.id, payload);
  const waiting = asked === undefined ? others : [...others.slice(1 - mostQuestions), asked];
  return { ...state, openTurn: waiting.length === 0 ? rest : { ...rest, questions: waiting } };
}

function readQuestion(callId: string, turnId: TurnId, payload: JsonObject): PendingQuestion | undefined {
  const [tool, item] = [stringAt(payload, 'tool'), objectAt(payload, 'item')];
  if (tool === undefined || item === undefined) return undefined;
  const paths = arrayAt(payload, 'paths')?.flatMap(readPath);
  const justification = stringAt(payload, 'justification');
  const kind = stringAt(payload, 'kind') as Question['kind'];
  return { callId, turnId, tool, item, kind, ...defined({ justification, paths }), scopes: ['call'] };
}

function readPath(value: Json): NonNullable<Question['paths']> {
  const [path, access] = isJsonObject(value) ? [stringAt(value, 'path'), stringAt(value, 'access')] : [];
  return path === undefined || (access !== 'read' && access !== 'write') ? [] : [{ path, access }];
}
