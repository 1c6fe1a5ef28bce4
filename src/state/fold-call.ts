import { defined } from '../protocol/defined.ts';
import type { Item } from '../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import { type CallStart, readProcess } from './call-start.ts';
import { withoutQuestion } from './questions.ts';
import type { ThreadState } from './thread-state.ts';

/** Of one turn, at once: so many do not run side by side. */
const mostCalls = 500;

/** What a `capstan_call` line does to the state: it belongs to the turn that is open. */
export function foldCall(state: ThreadState, payload: JsonObject): ThreadState {
  const { openTurn } = state;
  const [callId, turnId] = [stringAt(payload, 'call_id'), stringAt(payload, 'turn_id')];
  if (openTurn === undefined || callId === undefined || turnId !== openTurn.id) return state;
  const others = (openTurn.calls ?? []).filter((call) => call.callId !== callId);
  const before = openTurn.calls?.find((call) => call.callId === callId);
  // A call that was blocked may begin once more.
  const known = readStart(callId, payload) ?? before;
  if (known === undefined) return state;
  const started = readProcess(objectAt(payload, 'process'));
  const processSeal = stringAt(payload, 'seal');
  const call = started === undefined ? known : { ...known, process: started, ...defined({ processSeal }) };
  // A line that begins a call uses the answer to its question.
  const turn = payload['item'] === undefined ? openTurn : withoutQuestion(openTurn, callId);
  return { ...state, openTurn: { ...turn, calls: [...others.slice(1 - mostCalls), call] } };
}

/** A call that is answered is over. */
export function foldAnswer(state: ThreadState, item: Item): ThreadState {
  const { openTurn } = state;
  if (openTurn?.calls === undefined || !item.type.endsWith('_output')) return state;
  const calls = openTurn.calls.filter(({ callId }) => callId !== item['call_id']);
  if (calls.length === openTurn.calls.length) return state;
  const { calls: _answered, ...rest } = openTurn;
  return { ...state, openTurn: calls.length === 0 ? rest : { ...rest, calls } };
}

function readStart(callId: string, payload: JsonObject): CallStart | undefined {
  const [threadId, tool] = [stringAt(payload, 'thread_id'), stringAt(payload, 'tool')];
  const [at, item] = [numberAt(payload, 'started_at_ms'), objectAt(payload, 'item')];
  if (threadId === undefined || tool === undefined || at === undefined || item === undefined) return undefined;
  const idempotent = payload['idempotent'] === true || undefined;
  const outside = payload['outside'] === true || undefined;
  return { threadId, callId, tool, at, ...defined({ idempotent, outside }), item };
}
