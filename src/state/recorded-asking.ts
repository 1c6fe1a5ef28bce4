import { defined } from '../protocol/defined.ts';
import type { TurnId } from '../protocol/ids.ts';
import { asItem, type Item } from '../protocol/item.ts';
import { type Line, lineType } from '../protocol/line.ts';
import type { Answer } from '../protocol/question.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import { foldAnswer, foldCall } from './fold-call.ts';
import { foldQuestion, foldQuestionOver } from './questions.ts';
import { readItem } from './read-item.ts';
import type { RecordedQuestion } from './recorded-question.ts';
import { emptyState, type ThreadState } from './thread-state.ts';
import { closes, turnEvent } from './turn-event.ts';
import { wholeQuestion } from './whole-question.ts';

/** As much of a thread as its questions need. */
export type AskedState = Pick<ThreadState, 'openTurn'>;

export const noneAsked: AskedState = {};

/** What one more line says about questions. One that is gone without an answer was decided by another one, or lapsed. */
export function foldAsked(
  before: AskedState,
  line: Line,
  callOf: (callId: string) => Item | undefined,
): { readonly asked: AskedState; readonly events: readonly ThreadEvent[] } {
  const asked = fold(before, line);
  const [then, now] = [before.openTurn?.questions ?? [], asked.openTurn?.questions ?? []];
  if (then === now) return { asked, events: [] };
  const added = now.filter((question) => !then.some((other) => other.id === question.id));
  const over = then.flatMap((question): readonly ThreadEvent[] => {
    if (question.answer !== undefined) return [];
    const after = now.find(({ id }) => id === question.id);
    if (after !== undefined) return after.answer === undefined ? [] : [answered(after, shownAnswer(after))];
    return [answered(question, { kind: line.type === lineType.call ? 'allowed' : 'lapsed' })];
  });
  return { asked, events: [...over, ...added.map((question) => askedEvent(question, line, callOf(question.callId)))] };
}

function fold(state: AskedState, { type, payload }: Line): AskedState {
  switch (type) {
    case lineType.event:
      return foldTurn(state, turnEvent(payload));
    case lineType.question:
      return onlyAsked(foldQuestion({ ...emptyState, ...state }, payload));
    case lineType.call:
      return onlyAsked(foldCall({ ...emptyState, ...state }, payload));
    case lineType.responseItem: {
      const item = asItem(payload);
      if (item === undefined || state.openTurn === undefined) return state;
      return onlyAsked(foldQuestionOver(foldAnswer({ ...emptyState, ...state }, item), item));
    }
    default:
      return state;
  }
}

function foldTurn(state: AskedState, event: ReturnType<typeof turnEvent>): AskedState {
  if (event === undefined) return state;
  if (event.kind === 'start') return { openTurn: { id: event.name as TurnId } };
  if (event.kind === 'end' && state.openTurn !== undefined && !closes(event.name, state.openTurn.id)) return state;
  return noneAsked;
}

function onlyAsked({ openTurn }: ThreadState): AskedState {
  return openTurn === undefined ? noneAsked : { openTurn };
}

function askedEvent(recorded: RecordedQuestion, { payload }: Line, call: Item | undefined): ThreadEvent {
  const question = wholeQuestion(recorded, call);
  const to = payload['to'] === 'review' ? ('review' as const) : undefined;
  const item = readItem(question.item);
  return { kind: 'question-asked', turnId: question.turnId, question, ...defined({ item, to }) };
}

function answered({ id, turnId, callId }: RecordedQuestion, answer: Answer): ThreadEvent {
  return { kind: 'question-answered', turnId, id, callId, answer };
}

function shownAnswer({ answer }: RecordedQuestion): Answer {
  const { about: _about, keys: _keys, under: _under, seal: _seal, ...shown } = answer!;
  return shown;
}
