import { ifAllDefined } from '../../base/objects.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { asItem, type Item } from '../../protocol/item.ts';
import { arrayAt, type JsonObject, numberAt, objectAt, stringAt, trueAt } from '../../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../../protocol/line.ts';
import { readRateLimits } from '../../protocol/rate-limits.ts';
import { addUsage, carryCostForward } from '../../protocol/usage.ts';
import { type HistoryEntry, entryFromLine, isTurnBoundary } from '../history/entry.ts';
import { appendEntry } from '../history/history.ts';
import { noTokenCount } from '../history/token-counts.ts';
import { foldWorldState } from '../world/tell-world.ts';
import { checkpointsAfterRollback, foldFailed, foldRequestSeen } from './checkpoints/checkpoint-counts.ts';
import { foldCompacted } from './checkpoints/compacted-line.ts';
import { foldReopened } from './checkpoints/opaque-checkpoint.ts';
import { withMaker } from './current-provider.ts';
import { isSameTurnName, foldEnvelope, isCostForOthers, type TurnEvent, readTurnEvent } from './drafts/turn-lines.ts';
import { readUsage } from './drafts/usage-and-failure-fields.ts';
import { costOfReport, foldAgent, foldAgentReport } from './fold/agents.ts';
import { foldRestoredFiles } from './fold/files-put-back.ts';
import { goalExcludingCost, goalFromJson } from './fold/goals.ts';
import { foldSessionHookText } from './fold/hook-runs.ts';
import { foldStepLimits } from './fold/model-limits.ts';
import { foldPin } from './fold/pinned-notes.ts';
import { foldChangedFiles, foldWork } from './fold/plan-and-changed-files.ts';
import { type CallStart, foldSession, readStartedProcess } from './fold/running-calls.ts';
import {
  sideConversationChangesIn,
  foldEntered,
  foldWaiting,
  restoredFilesIn,
  agentReportIn,
  threadTotalIn,
  waitingAfterRollback,
} from './fold/waiting-messages.ts';
import { foldWarning } from './fold/warnings.ts';
import { grantsAfterRollback } from './questions/grants.ts';
import { attachUserComment, foldQuestion, foldQuestionOver, withoutQuestion } from './questions/pending-questions.ts';
import { readerOf, readRequestRecord } from './request-record.ts';
import { readSentBody } from './request-sent.ts';
import { addRollbackMark, rollbackMarkBefore, rollbackMarkOf, type ThreadState } from './thread-state.ts';
import { foldNewestCount } from './usage-and-limits.ts';

/** The only meaning of lines, live, at resume and at replay. An unknown or invalid line changes nothing. */
export function reduce(state: ThreadState, line: Line): ThreadState {
  return folds.get(line.type)?.(state, line.payload, line) ?? state;
}

type Fold = (state: ThreadState, payload: JsonObject, line: Line) => ThreadState;

function foldPart<Part extends keyof ThreadState>(
  part: Part,
  fold: (value: ThreadState[Part], payload: JsonObject) => ThreadState[Part],
): Fold {
  return (state, payload) => {
    const value = fold(state[part], payload);
    return value === state[part] ? state : { ...state, [part]: value };
  };
}

const folds: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  // Later ones are copies or edits by other programs; the first is the thread's.
  [lineType.sessionMeta, foldPart('meta', (meta, payload) => (Object.keys(meta).length > 0 ? meta : payload))],
  [lineType.responseItem, foldItem],
  [lineType.worldState, foldPart('baseline', foldWorldState)],
  [lineType.turnContext, foldContext],
  [lineType.compacted, foldCompacted],
  [lineType.event, foldEvent],
  [lineType.call, foldCall],
  [lineType.session, foldSession],
  [lineType.question, foldQuestion],
  [lineType.compaction, foldPart('checkpoints', foldFailed)],
  [lineType.reopened, foldReopened],
  [lineType.pin, foldPart('pins', foldPin)],
  [lineType.waiting, foldMessage],
  [lineType.agent, foldPart('agents', foldAgent)],
  [lineType.warning, foldPart('warnings', foldWarning)],
  [lineType.hook, foldPart('sessionContext', foldSessionHookText)],
  [lineType.toolSet, foldPart('toolSets', foldToolSet)],
  [lineType.request, foldRequest],
  [lineType.sent, foldSent],
  [lineType.step, (state, step) => ({ ...state, limits: foldStepLimits(state.limits, step, state.posted?.bytes) })],
]);

function foldItem(state: ThreadState, _payload: JsonObject, line: Line): ThreadState {
  // Do this even if the item is not for the model: else a message would wait forever for an item not in history.
  const entered = withWaiting(state, foldEntered(state.waiting, line.metadata));
  const read = entryIn(line);
  if (read === undefined) return entered;
  const { state: heard, entry } = attachUserComment(entered, withMaker(read, state));
  const work = foldWork(state.work, entry, line);
  const known = work === state.work ? heard : { ...heard, work };
  const answered = foldQuestionOver(foldAnswer(known, entry.item), entry.item);
  const counted = isTurnBoundary(entry) ? countsAsTurn(answered) : answered;
  return { ...counted, history: appendEntry(answered.history, entry) };
}

function foldRequest(state: ThreadState, payload: JsonObject): ThreadState {
  const record = readRequestRecord(payload);
  if (record === undefined || record.auxiliary !== undefined) return state;
  const { history } = state;
  const checkpoints = foldRequestSeen(state.checkpoints, history.length);
  return { ...state, checkpoints, sent: { kind: 'request', history, record } };
}

function foldSent(state: ThreadState, payload: JsonObject): ThreadState {
  const { sent } = state;
  const body = readSentBody(payload);
  if (sent?.kind !== 'request' || body === undefined || body.auxiliary !== undefined) return state;
  const { history, record } = sent;
  return { ...state, posted: { history, reader: readerOf(record), encoder: record.encoder, bytes: body.bytes } };
}

/** A thread has few. Dropped sets are recorded again when a request needs them. */
const mostToolSets = 200;

function foldToolSet(sets: ThreadState['toolSets'], payload: JsonObject): ThreadState['toolSets'] {
  const [name, tools] = [stringAt(payload, 'name'), arrayAt(payload, 'tools')];
  if (name === undefined || tools === undefined) return sets;
  const others = [...sets].filter(([known]) => known !== name);
  return new Map([...others.slice(1 - mostToolSets), [name, tools as readonly ToolSpec[]]]);
}

const withWaiting = (state: ThreadState, waiting: ThreadState['waiting']): ThreadState =>
  waiting === state.waiting ? state : { ...state, waiting };

/** The cost of agents and reviews is part of their thread's. A goal pays for agents alone. */
function foldMessage(before: ThreadState, payload: JsonObject): ThreadState {
  const state = withWaiting(before, foldWaiting(before.waiting, payload));
  if (state === before) return state;
  const putBack = restoredFilesIn(payload);
  if (putBack !== undefined) return { ...state, work: foldRestoredFiles(state.work, putBack) };
  const beside = sideConversationChangesIn(payload);
  if (beside !== undefined) return { ...state, work: foldChangedFiles(state.work, beside.changes) };
  const report = agentReportIn(payload);
  if (report === undefined) {
    const total = threadTotalIn(payload);
    return total === undefined ? state : withForeignCost(state, { ...state.usage, total });
  }
  const total = addUsage(state.usage.total, costOfReport(state.agents, report));
  return { ...state, agents: foldAgentReport(state.agents, report), usage: { ...state.usage, total } };
}

/** Another program's turn has no envelope. A change of settings overrides a turn that was submitted before it. */
function foldContext({ envelope: before, ...state }: ThreadState, context: JsonObject): ThreadState {
  const ours = objectAt(context, 'capstan');
  const newest = ours?.['outdated'] === true && state.settings !== undefined ? 'settings' : 'context';
  return { ...state, context, newest, envelope: foldEnvelope(before, ours?.['envelope']) };
}

/** Records for screens cannot change the state; they are half of a file, and repeat the items. */
export const concernsState = ({ type, payloadType }: LineKind): boolean =>
  type !== lineType.event || payloadType !== 'item_completed';

/** Items that steer a request, or come from an earlier version: never part of history. */
const notForTheModel: ReadonlySet<string> = new Set(['compaction_trigger', 'additional_tools', 'ghost_snapshot']);

function entryIn({ payload, metadata }: Line): HistoryEntry | undefined {
  const item = asItem(payload);
  return item === undefined || notForTheModel.has(item.type) ? undefined : entryFromLine(item, metadata);
}

/** True if a `response_item` makes its turn one that a rollback counts. */
export function holdsUsersWords(line: Line): boolean {
  const entry = entryIn(line);
  return entry !== undefined && isTurnBoundary(entry);
}

/** Makes the turn a target for rollbacks, once. In a file without turn records, each message counts as a turn. */
function countsAsTurn(state: ThreadState): ThreadState {
  const { openTurn } = state;
  if (openTurn === undefined) return { ...state, marks: addRollbackMark(state.marks, rollbackMarkOf(state)) };
  if (openTurn.before === undefined) return state;
  return {
    ...state,
    marks: addRollbackMark(state.marks, openTurn.before),
    openTurn: { ...openTurn, before: undefined },
  };
}

/** Limit per turn: more calls do not run at the same time. */
const mostCalls = 500;

export function foldCall(state: ThreadState, payload: JsonObject): ThreadState {
  const { openTurn } = state;
  const [callId, turnId] = [stringAt(payload, 'call_id'), stringAt(payload, 'turn_id')];
  if (openTurn === undefined || callId === undefined || turnId !== openTurn.id) return state;
  const others = (openTurn.calls ?? []).filter((call) => call.callId !== callId);
  const before = openTurn.calls?.find((call) => call.callId === callId);
  // A call that was blocked may begin once more.
  const known = readStart(callId, payload) ?? before;
  if (known === undefined) return state;
  const started = readStartedProcess(objectAt(payload, 'process'));
  const call = started && { ...known, process: started, processSeal: stringAt(payload, 'seal') ?? known.processSeal };
  // A line that begins a call uses the answer to its question.
  const turn = payload['item'] === undefined ? openTurn : withoutQuestion(openTurn, callId);
  return { ...state, openTurn: { ...turn, calls: [...others.slice(1 - mostCalls), call ?? known] } };
}

export function foldAnswer(state: ThreadState, item: Item): ThreadState {
  const { openTurn } = state;
  if (openTurn?.calls === undefined || !item.type.endsWith('_output')) return state;
  const calls = openTurn.calls.filter(({ callId }) => callId !== item['call_id']);
  if (calls.length === openTurn.calls.length) return state;
  return { ...state, openTurn: { ...openTurn, calls: calls.length === 0 ? undefined : calls } };
}

function readStart(callId: string, payload: JsonObject): CallStart | undefined {
  const start = ifAllDefined({
    threadId: stringAt(payload, 'thread_id'),
    callId,
    tool: stringAt(payload, 'tool'),
    at: numberAt(payload, 'started_at_ms'),
    item: objectAt(payload, 'item'),
  });
  const [idempotent, outside] = [trueAt(payload, 'idempotent'), trueAt(payload, 'outside')];
  return start && { ...start, idempotent, outside };
}

function foldEvent(state: ThreadState, event: JsonObject): ThreadState {
  const turn = readTurnEvent(event);
  if (turn !== undefined) return foldTurnEvent(state, turn);
  if (event['type'] === 'thread_settings_applied') {
    const settings = objectAt(event, 'thread_settings');
    return settings === undefined ? state : { ...state, settings, newest: 'settings' };
  }
  if (event['type'] === 'thread_goal_updated') {
    const goal = goalFromJson(event);
    return goal === undefined ? state : { ...state, goal };
  }
  return event['type'] === 'token_count' ? foldTokenCount(state, event) : state;
}

function foldTokenCount(before: ThreadState, event: JsonObject): ThreadState {
  const limits = objectAt(event, 'rate_limits');
  const rateLimits = limits && readRateLimits(limits);
  const state = rateLimits ? { ...before, rateLimits } : before;
  const info = objectAt(event, 'info');
  if (info === undefined) return state;
  const total = readUsage(info['total_token_usage']);
  const newest = foldNewestCount(state, event, info, total);
  const usage = { total: carryCostForward(state.usage.total, total), newest };
  const counted = isCostForOthers(event) ? withForeignCost(state, usage) : { ...state, usage };
  if (newest.kind !== 'counted') return counted;
  // Another program records no requests; its counts show that there were some.
  const checkpoints = foldRequestSeen(state.checkpoints, state.history.length);
  const prefill = state.prefill ?? newest.usage.input;
  // A file has a count for every request: most change neither.
  if (checkpoints === state.checkpoints && prefill === state.prefill) return counted;
  return { ...counted, checkpoints, prefill };
}

function withForeignCost(state: ThreadState, usage: ThreadState['usage']): ThreadState {
  const { goal } = state;
  return { ...state, usage, goal: goal && goalExcludingCost(goal, state.usage.total, usage.total) };
}

/** A thread may fail repeatedly without a user noticing. */
const mostFailed = 100;

function foldTurnEvent(state: ThreadState, event: TurnEvent): ThreadState {
  if (event.kind === 'rollback') return rollBack(state, event.count);
  if (event.kind === 'end') {
    const { openTurn, failed = [] } = state;
    if (openTurn === undefined || !isSameTurnName(event.name, openTurn.id)) return state;
    const over = { ...state, openTurn: undefined };
    return event.status === 'failed' ? { ...over, failed: [...failed, openTurn.id].slice(-mostFailed) } : over;
  }
  const compaction = event.isCompaction ? 'begun' : undefined;
  const spending = { spent: state.usage.total, before: rollbackMarkOf(state) };
  const openTurn = { id: event.name as TurnId, startedAt: event.at, compaction, ...spending } as const;
  return { ...state, turns: state.turns + 1, openTurn };
}

/** Removes the newest `count` turns with a user's words. Their cost remains counted. */
function rollBack(state: ThreadState, count: number): ThreadState {
  const target = rollbackMarkBefore(state.marks, count);
  if (target === undefined) return state;
  const { history, checkpoints } = target.mark;
  return {
    ...state,
    ...target.mark,
    openTurn: undefined,
    checkpoints: checkpointsAfterRollback(state.checkpoints, checkpoints, history.length),
    waiting: waitingAfterRollback(target.mark.waiting, state.waiting),
    grants: grantsAfterRollback(target.mark.grants, state.grants),
    sent: state.sent && { kind: 'gone', why: 'rollback' },
    // No provider has counted the remaining history.
    usage: { ...state.usage, newest: noTokenCount },
    newest: 'context',
    marks: target.older,
  };
}
