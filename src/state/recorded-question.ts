import { defined } from '../protocol/defined.ts';
import type { CallItem } from '../protocol/item.ts';
import { type Json, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { plainDigest } from '../base/digest.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import type { Answer, Question } from '../protocol/question.ts';
import { questionFields, readAnswer, textsAt } from './question-fields.ts';
import { inputOfCall, type SaidByHooks } from './said-by-hooks.ts';
import { type WordInCall, wordsInCall } from './word-in-call.ts';

/** A question of the open turn whose call has not begun: it waits for its answer, or the answer waits to be used. */
export interface RecordedQuestion extends Question {
  /** What was asked, to the last character: an answer counts for nothing else. Absent in lines that do not say. */
  readonly about?: string;
  /** Proves that this home wrote the line: its answer lets a command run. */
  readonly seal?: string;
  readonly answer?: RecordedAnswer;
  /** Words of which the line has only the beginning. */
  readonly inCall?: readonly WordInCall[];
  readonly hook?: SaidByHooks;
}

/** The same for an answer. */
export interface RecordedAnswer extends Answer {
  readonly about: string;
  /** What a session keeps of it. */
  readonly keys?: readonly string[];
  /** The mark of the policy that it was given under. */
  readonly under?: string;
  readonly seal?: string;
}

/** What is asked: the question as its line says it, and the arguments as they would run. */
export function aboutCall(
  call: CallItem,
  { id: _made, commands: _read, seen: _seen, ...question }: Omit<Question, 'id'> & Partial<Pick<Question, 'id'>>,
): string {
  return plainDigest(JSON.stringify([call.name, inputOfCall(call), question]));
}

/**
 * Durable before the user is asked. `supersedes`: what was asked about the call until now, and is not any more, by its
 * `about`.
 */
export function questionAsked(
  question: Question,
  { call, about, hook, ...more }: AskedAs & { readonly supersedes?: string; readonly to?: 'review' },
): LineDraft {
  const fields = questionFields(question, wordsInCall(question, call));
  const said = hook && { hook: defined({ ...hook }) };
  return { type: lineType.question, payload: { ...fields, about, ...defined({ ...more }), ...said } };
}

interface AskedAs {
  /** As it would run. */
  readonly call: CallItem;
  /** See `aboutCall`. */
  readonly about: string;
  readonly hook?: SaidByHooks;
}

/** Durable before the call begins, or its refusal reaches the model. */
export function questionAnswered(
  { callId, turnId }: Pick<Question, 'callId' | 'turnId'>,
  { about, keys, under, seal: _seal, ...answer }: RecordedAnswer,
): LineDraft {
  const kept = defined({ keys, under });
  const payload = { turn_id: turnId, call_id: callId, about, answer: defined({ ...answer }), ...kept };
  return { type: lineType.question, payload: payload as unknown as JsonObject };
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
  { about, kind, scope, keys, under, prefix }: Omit<RecordedAnswer, 'note' | 'seal'>,
): Json {
  const claim = [lineType.question, turnId, callId, about, kind, scope ?? null, keys ?? null];
  if (prefix !== undefined) return [...claim, under ?? null, prefix];
  return under === undefined ? claim : [...claim, under];
}

/** The answer in a `capstan_question` line, if it is one. */
export function answerIn(payload: JsonObject): RecordedAnswer | undefined {
  const [answer, about] = [readAnswer(objectAt(payload, 'answer')), stringAt(payload, 'about')];
  const keys = textsAt(payload, 'keys');
  if (answer === undefined || about === undefined || (keys === undefined && payload['keys'] !== undefined))
    return undefined;
  const [seal, under] = [stringAt(payload, 'seal'), stringAt(payload, 'under')];
  return { ...answer, about, ...defined({ keys, under, seal: seal === '' ? undefined : seal }) };
}

/** The end of a question that no seal proves: no one is asked it. */
export function questionDropped({ callId, turnId }: Pick<Question, 'callId' | 'turnId'>): LineDraft {
  return { type: lineType.question, payload: { turn_id: turnId, call_id: callId, dropped: 'unproven' } };
}
