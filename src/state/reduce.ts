import { type Entry, entryOf, isBoundary } from '../history/entry.ts';
import { append } from '../history/history.ts';
import { defined } from '../protocol/defined.ts';
import { asItem } from '../protocol/item.ts';
import type { ToolSpec } from '../ports/prompt.ts';
import { arrayAt, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../protocol/line.ts';
import { addUsage } from '../protocol/usage.ts';
import { foldWorldState } from '../world/baseline.ts';
import { costOfReport, foldAgent, foldReport } from './agents.ts';
import { foldReopened } from './behind.ts';
import { foldFailed, foldSeen } from './checkpoints.ts';
import { foldCompacted } from './compacted.ts';
import { foldAnswer, foldCall } from './fold-call.ts';
import { foldEvent, withForeignCost } from './fold-event.ts';
import { foldSessionText } from './hook-lines.ts';
import { withMaker } from './maker-now.ts';
import { addMark } from './marks.ts';
import { foldStepLimits } from './model-limits.ts';
import { foldPin } from './pins.ts';
import { foldQuestion, foldQuestionOver, takeSaid } from './questions.ts';
import { readRequest, readerOf } from './request-record.ts';
import { readSent } from './request-sent.ts';
import { foldEnvelope } from './stored-envelope.ts';
import { foldSession } from './sessions.ts';
import { markOf, type ThreadState } from './thread-state.ts';
import { foldPutBack } from './put-back.ts';
import { changedBesideIn, foldEntered, foldWaiting, putBackIn, reportIn, totalIn } from './waiting.ts';
import { foldWarning } from './warnings.ts';
import { foldChangedFiles, foldWork } from './work.ts';

/**
 * The only meaning that lines have. The live thread applies it to each line it appends, resume and replay to each line
 * they read. Total: a line that is unknown or makes no sense leaves the state as it is.
 */
export function reduce(state: ThreadState, line: Line): ThreadState {
  const { payload } = line;
  switch (line.type) {
    case lineType.sessionMeta:
      // Later ones are copies or edits by other programs; the first is the thread's.
      return Object.keys(state.meta).length > 0 ? state : { ...state, meta: payload };
    case lineType.responseItem: {
      // Also where the item is none for the model: what is not in history does not wait for ever.
      const entered = withWaiting(state, foldEntered(state.waiting, line.metadata));
      const read = entryIn(line);
      if (read === undefined) return entered;
      const { state: heard, entry } = takeSaid(entered, withMaker(read, state));
      const work = foldWork(state.work, entry, line);
      const known = work === state.work ? heard : { ...heard, work };
      return withEntry(foldQuestionOver(foldAnswer(known, entry.item), entry.item), entry);
    }
    case lineType.worldState:
      return { ...state, baseline: foldWorldState(state.baseline, payload) };
    case lineType.turnContext:
      return foldContext(state, payload);
    case lineType.compacted:
      return foldCompacted(state, payload);
    case lineType.event:
      return foldEvent(state, payload);
    case lineType.call:
      return foldCall(state, payload);
    case lineType.session:
      return foldSession(state, payload);
    case lineType.question:
      return foldQuestion(state, payload);
    case lineType.compaction:
      return { ...state, checkpoints: foldFailed(state.checkpoints, payload) };
    case lineType.reopened:
      return foldReopened(state);
    case lineType.pin:
      return { ...state, pins: foldPin(state.pins, payload) };
    case lineType.waiting:
      return foldMessage(state, payload);
    case lineType.agent:
      return { ...state, agents: foldAgent(state.agents, payload) };
    case lineType.warning:
      return { ...state, warnings: foldWarning(state.warnings, payload) };
    case lineType.hook: {
      const sessionContext = foldSessionText(state.sessionContext, payload);
      return sessionContext === state.sessionContext ? state : { ...state, sessionContext };
    }
    case lineType.toolSet: {
      const [name, tools] = [stringAt(payload, 'name'), arrayAt(payload, 'tools')];
      if (name === undefined || tools === undefined) return state;
      return { ...state, toolSets: withToolSet(state.toolSets, name, tools as readonly ToolSpec[]) };
    }
    case lineType.request: {
      const record = readRequest(payload);
      if (record === undefined || record.auxiliary !== undefined) return state;
      const checkpoints = foldSeen(state.checkpoints, state.history.length);
      return { ...state, checkpoints, sent: { kind: 'request', history: state.history, record } };
    }
    case lineType.sent: {
      const { sent } = state;
      const body = readSent(payload);
      if (sent?.kind !== 'request' || body === undefined || body.auxiliary !== undefined) return state;
      const { history, record } = sent;
      const posted = { history, reader: readerOf(record), encoder: record.encoder, bytes: body.bytes };
      return { ...state, posted };
    }
    case lineType.step:
      return { ...state, limits: foldStepLimits(state.limits, payload, state.posted?.bytes) };
    default:
      return state;
  }
}

/** A thread has a handful of them. Those that are left out are recorded again when a request needs them. */
const mostToolSets = 200;

function withToolSet(sets: ThreadState['toolSets'], name: string, tools: readonly ToolSpec[]): ThreadState['toolSets'] {
  const others = [...sets].filter(([known]) => known !== name);
  return new Map([...others.slice(1 - mostToolSets), [name, tools]]);
}

function withWaiting(state: ThreadState, waiting: ThreadState['waiting']): ThreadState {
  return waiting === state.waiting ? state : { ...state, waiting };
}

/** What an agent or a review has cost is part of what its thread has. A goal pays for agents alone. */
function foldMessage(before: ThreadState, payload: JsonObject): ThreadState {
  const state = withWaiting(before, foldWaiting(before.waiting, payload));
  if (state === before) return state;
  const putBack = putBackIn(payload);
  if (putBack !== undefined) return { ...state, work: foldPutBack(state.work, putBack) };
  const beside = changedBesideIn(payload);
  if (beside !== undefined) return { ...state, work: foldChangedFiles(state.work, beside.changes) };
  const report = reportIn(payload);
  if (report === undefined) {
    const total = totalIn(payload);
    return total === undefined ? state : withForeignCost(state, { ...state.usage, total });
  }
  const total = addUsage(state.usage.total, costOfReport(state.agents, report));
  return { ...state, agents: foldReport(state.agents, report), usage: { ...state.usage, total } };
}

/**
 * Another program's turn leaves no envelope of ours: then nothing is known of it. A turn that was submitted before the
 * settings were changed does not outdo them.
 */
function foldContext({ envelope: before, ...state }: ThreadState, context: JsonObject): ThreadState {
  const ours = objectAt(context, 'capstan');
  const envelope = foldEnvelope(before, ours?.['envelope']);
  const newest = ours?.['outdated'] === true && state.settings !== undefined ? 'settings' : 'context';
  return { ...state, context, newest, ...defined({ envelope }) };
}

/**
 * Whether a line of this kind may change the state. Records for screens may not, and they are half of a file: they say
 * again what items say.
 */
export function concernsState({ type, payloadType }: LineKind): boolean {
  return type !== lineType.event || payloadType !== 'item_completed';
}

/** Items that steer a request, or that a former version left behind: never part of history. */
const notForTheModel: ReadonlySet<string> = new Set(['compaction_trigger', 'additional_tools', 'ghost_snapshot']);

function entryIn({ payload, metadata }: Line): Entry | undefined {
  const item = asItem(payload);
  return item === undefined || notForTheModel.has(item.type) ? undefined : entryOf(item, metadata);
}

/** Whether a `response_item` makes its turn one that a rollback counts. */
export function holdsUsersWords(line: Line): boolean {
  const entry = entryIn(line);
  return entry !== undefined && isBoundary(entry);
}

function withEntry(state: ThreadState, entry: Entry): ThreadState {
  const history = append(state.history, entry);
  if (!isBoundary(entry)) return { ...state, history };
  return { ...countsAsTurn(state), history };
}

/** A user's words make the turn one that a rollback can go back to, once. Files without turn records count each message. */
function countsAsTurn(state: ThreadState): ThreadState {
  const { openTurn } = state;
  if (openTurn === undefined) return { ...state, marks: addMark(state.marks, markOf(state)) };
  if (openTurn.before === undefined) return state;
  const { before, ...rest } = openTurn;
  return { ...state, marks: addMark(state.marks, before), openTurn: rest };
}
