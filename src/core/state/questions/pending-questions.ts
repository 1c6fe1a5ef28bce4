import { defined } from '../../../base/objects.ts';
import { type CallItem, isCall, type Item } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import { answersByQuestion, type Question, readUserQuestions } from '../../../protocol/question.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import { historyEntries } from '../../history/history.ts';
import type { OpenTurn, ThreadState } from '../thread-state.ts';
import {
  callAfterHooks,
  callArguments,
  callInput,
  readHookResults,
  readTruncatedWords,
  truncateWord,
  questionWordLists,
} from './call-arguments.ts';
import { foldGrant, foldTurnGrant, type GivenGrant, grantsDroppedLine } from './grants.ts';
import { answerIn, readQuestion, type RecordedAnswer, type RecordedQuestion } from './question-lines.ts';

const mostQuestions = 500;

/** A question waits in the open turn until its call begins or is answered. Permission for the session is a grant. */
export function foldQuestion(state: ThreadState, payload: JsonObject): ThreadState {
  const { openTurn } = state;
  const callId = stringAt(payload, 'call_id');
  const isOfTurn = openTurn !== undefined && stringAt(payload, 'turn_id') === openTurn.id;
  if (payload['dropped'] !== undefined) {
    const others = isOfTurn ? { ...state, openTurn: withoutQuestion(openTurn, callId) } : state;
    return payload['turn_id'] === undefined ? withGrants(withTurnGrants(state, payload), payload) : others;
  }
  if (!isOfTurn || callId === undefined) return state;
  if (payload['answer'] !== undefined) return foldAnswered(state, openTurn, callId, payload);
  const about = stringAt(payload, 'about');
  const id = about === undefined ? callId : questionId(openTurn, about);
  const asked = readQuestion({ id, callId, turnId: openTurn.id }, payload);
  if (asked === undefined) return state;
  const superseded = [about, stringAt(payload, 'supersedes')];
  const others = (openTurn.questions ?? []).filter(
    (other) => other.callId !== callId || (other.answer === undefined && !superseded.includes(other.about)),
  );
  const seal = stringAt(payload, 'seal');
  const inCall = readTruncatedWords(payload);
  const hook = readHookResults(payload);
  const recorded = { ...asked, ...defined({ about, seal: seal === '' ? undefined : seal, inCall, hook }) };
  return { ...state, openTurn: { ...openTurn, questions: [...others.slice(1 - mostQuestions), recorded] } };
}

function foldAnswered(state: ThreadState, openTurn: OpenTurn, callId: string, payload: JsonObject): ThreadState {
  const { questions = [] } = openTurn;
  const answer = answerIn(payload);
  const question = questions.find((each) => each.callId === callId && each.about === answer?.about && !each.answer);
  if (question === undefined || answer === undefined) return state;
  if (answer.scope !== undefined && !question.scopes.includes(answer.scope)) return state;
  const turn: OpenTurn = {
    ...openTurn,
    questions: questions.map((each) => (each === question ? { ...question, answer } : each)),
    answered: [...(openTurn.answered ?? []).slice(1 - mostQuestions), question.id],
  };
  const said = saidWith(state, question, answer).map((text) => ({ callId, text }));
  const heard = said.length === 0 ? turn : { ...turn, said: [...(turn.said ?? []), ...said].slice(-mostQuestions) };
  const known = { ...state, openTurn: heard };
  return withGrants(question.kind === 'permissions' ? withTurnGrants(known, payload) : known, payload);
}

/** The user's words in an answer: the note, and the information that the model asked for, with its question. */
function saidWith({ history }: ThreadState, asked: Question, answer: RecordedAnswer): readonly string[] {
  const { by, kind, note = '', content } = answer;
  if (by !== undefined || kind === 'lapsed') return [];
  const notes = note.trim() === '' ? [] : [note];
  if (asked.kind !== 'input' || kind !== 'allowed' || content === undefined) return notes;
  const items = historyEntries(history).map(({ item }) => item);
  const call = items.findLast((item) => isCallNamed(item, asked.callId));
  const questions = readUserQuestions(call && parseJsonObject(callInput(call)));
  if (typeof questions === 'string') return notes;
  const answers = answersByQuestion(questions, content);
  const given = questions.flatMap(({ id, question }) => {
    const texts = answers[id]?.answers ?? [];
    return texts.length === 0 ? [] : [`${question}\n${texts.join('\n')}`];
  });
  return [...given, ...notes];
}

/** Adds the user's comment to the entry of a call's output and removes it from the turn. */
export function attachUserComment(state: ThreadState, entry: HistoryEntry) {
  const { openTurn } = state;
  if (openTurn?.said === undefined || !entry.item.type.endsWith('_output')) return { state, entry };
  const own = openTurn.said.filter(({ callId }) => callId === entry.item['call_id']);
  if (own.length === 0) return { state, entry };
  const others = openTurn.said.filter((each) => !own.includes(each));
  return {
    state: { ...state, openTurn: { ...openTurn, said: others.length === 0 ? undefined : others } },
    entry: { ...entry, said: own.map(({ text }) => text) },
  };
}

function withGrants(state: ThreadState, payload: JsonObject): ThreadState {
  const grants = foldGrant(state.grants, payload);
  return grants === state.grants ? state : { ...state, grants };
}

function withTurnGrants(state: ThreadState, payload: JsonObject): ThreadState {
  const { openTurn } = state;
  const before = openTurn?.grants ?? [];
  const grants = foldTurnGrant(before, payload);
  if (openTurn === undefined || grants === before) return state;
  return { ...state, openTurn: { ...openTurn, grants: grants.length === 0 ? undefined : grants } };
}

export const withoutTurnGrants = (state: ThreadState, some: readonly GivenGrant[]): ThreadState =>
  some.reduce((all, grant) => withTurnGrants(all, grantsDroppedLine('unproven', grant).payload), state);

/** Open questions of the thread in their original form, in the order of the calls. */
export function pendingQuestions({ openTurn, history }: AskingState): readonly Question[] {
  const asked = openTurn?.questions?.filter(({ answer }) => answer === undefined) ?? [];
  if (asked.length === 0) return [];
  const calls = historyEntries(history).map(({ item }) => item);
  const places = new Map(asked.map(({ callId }) => [callId, calls.findLastIndex((item) => isCallNamed(item, callId))]));
  const placeOf = ({ callId }: Question): number => places.get(callId) ?? -1;
  return asked
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((question) => rebuildQuestion(question, calls[placeOf(question)]));
}

type AskingState = Pick<ThreadState, 'openTurn' | 'history'>;
const isCallNamed = (item: Item, callId: string): item is CallItem => isCall(item) && item.call_id === callId;

/** Open questions of a thread that runs no turn. A question asked during a call ended with that call's process. */
export function questionsToAsk(state: AskingState): readonly Question[] {
  const begun = new Set(state.openTurn?.calls?.map(({ callId }) => callId));
  return pendingQuestions(state).filter(({ callId }) => !begun.has(callId));
}

export const isAnswered = ({ openTurn }: Pick<ThreadState, 'openTurn'>, id: string): boolean =>
  openTurn?.answered?.includes(id) === true;

/** True if the last turn waits for an answer, or to use one. Only for a thread that runs no turn. */
export function isSuspended({ openTurn }: Pick<ThreadState, 'openTurn'>): boolean {
  if (openTurn === undefined || openTurn.compaction !== undefined) return false;
  const { questions = [], calls = [] } = openTurn;
  return questions.some(({ callId }) => calls.every((call) => call.callId !== callId));
}

export function withoutQuestion(openTurn: OpenTurn, callId: unknown): OpenTurn {
  const { questions = [] } = openTurn;
  const others = questions.filter((question) => question.callId !== callId);
  if (others.length === questions.length) return openTurn;
  return { ...openTurn, questions: others.length === 0 ? undefined : others };
}

export function foldQuestionOver(state: ThreadState, item: Item): ThreadState {
  const { openTurn } = state;
  if (openTurn?.questions === undefined || !item.type.endsWith('_output')) return state;
  const turn = withoutQuestion(openTurn, item['call_id']);
  return turn === openTurn ? state : { ...state, openTurn: turn };
}

/** Restores the parts of a question that its line leaves to the call. */
export function rebuildQuestion(recorded: RecordedQuestion, call: Item | undefined): Question {
  const { about: _about, seal: _seal, answer: _answer, inCall = [], hook, ...question } = recorded;
  const isTool = question.item['type'] === 'DynamicToolCall';
  if (call === undefined || !isCall(call) || (inCall.length === 0 && !isTool)) return question;
  const wrapped = callArguments(callAfterHooks(call, hook));
  const given = question.kind === 'client-tool' ? ofDeferred(call, wrapped) : wrapped;
  const words: { argv?: readonly string[]; prefix?: readonly string[] } = {};
  for (const list of questionWordLists) {
    const own = inCall.filter(([name]) => name === list);
    const all = question[list];
    if (own.length === 0 || all === undefined) continue;
    words[list] = all.map((word, index) => {
      const whole = stringAt(given, own.find(([, at]) => at === index)?.[2] ?? '');
      return whole === undefined || truncateWord(whole) !== word ? word : whole;
    });
  }
  const input = question.kind === 'input' ? readUserQuestions(given) : undefined;
  const asked = Array.isArray(input) ? { input } : {};
  return { ...question, ...words, ...asked, item: wholeItem(question.item, given, words.argv) };
}

function ofDeferred({ name }: CallItem, given: JsonObject): JsonObject {
  if (name !== 'call_tool') return given;
  const inner = given['arguments'] ?? {};
  if (isJsonObject(inner)) return inner;
  return (typeof inner === 'string' ? parseJsonObject(inner) : undefined) ?? {};
}

function wholeItem(item: JsonObject, given: JsonObject, argv: readonly string[] | undefined): JsonObject {
  if (item['type'] === 'DynamicToolCall') return { ...item, arguments: given };
  const command = arrayAt(item, 'command');
  const isSame =
    command?.length === argv?.length && command?.every((word, i) => word === truncateWord(argv?.[i] ?? ''));
  return isSame === true && argv !== undefined
    ? { ...item, command: argv, parsed_cmd: [{ type: 'unknown', cmd: argv.at(-1) ?? '' }] }
    : item;
}

const idLength = 16;

/** Derived from `about`, so equal after a resume. If the turn repeats an answered question, that gets another id. */
export function questionId({ answered = [] }: Pick<OpenTurn, 'answered'>, about: string): string {
  const name = about.slice(0, idLength);
  const times = answered.filter((id) => id === name || id.startsWith(`${name}-`)).length;
  return times === 0 ? name : `${name}-${times + 1}`;
}
