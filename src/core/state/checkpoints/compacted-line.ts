import { oldSummaryMessage } from '../../fragments/message-items.ts';
import { type HistoryEntry, entryFromLine } from '../../history/entry.ts';
import { historyEntries as entriesOf, historyOf } from '../../history/history.ts';
import { asItem, isMessage, type Item, messageText } from '../../../protocol/item.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../../protocol/json.ts';
import { rateLimitFields, readRateLimits } from '../../../protocol/rate-limits.ts';
import { lastUsage, noTokenCount } from '../../history/token-counts.ts';
import { baselineAfterCheckpoint, readMcpProblems, mcpProblemsInBaseline } from '../../world/tell-world.ts';
import { agentsFromJson, agentsToJson } from '../fold/agents.ts';
import { historyBehindCheckpoint } from './opaque-checkpoint.ts';
import { foldCheckpoint, checkpointsFromJson, checkpointsToJson } from './checkpoint-counts.ts';
import { goalFromJson, goalToJson } from '../fold/goals.ts';
import { grantsFromJson, turnGrantsFromJson, grantsToJson } from '../questions/grants.ts';
import { sessionHookTextsFromJson } from '../fold/hook-runs.ts';
import { readBaseInstructions, type OpenTurn, type ThreadState } from '../thread-state.ts';
import { modelLimitsFromJson } from '../fold/model-limits.ts';
import { currentProvider, withMaker } from '../current-provider.ts';
import { pinsFromJson } from '../fold/pinned-notes.ts';
import { sessionsFromJson, sessionsToJson } from '../fold/running-calls.ts';
import { readUsage, usageFields } from '../drafts/usage-and-failure-fields.ts';
import { waitingMessagesFromJson } from '../fold/waiting-messages.ts';
import { withWithheldEntries } from '../line-seals.ts';
import { warningsFromJson } from '../fold/warnings.ts';
import { workFromJson, workToJson } from '../fold/plan-and-changed-files.ts';
import type { BaseInstructions } from '../../envelope/facts.ts';
import type { CheckpointReport } from '../../../protocol/thread-event.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';

/** If the line carries the rest of the state, that comes from the line, so that a fold may begin here. */
export function foldCompacted(state: ThreadState, payload: JsonObject): ThreadState {
  if (!hasItemMetadata(payload)) return state;
  const carried = readCarried(payload);
  // A fold that begins here knows nothing else about earlier lines.
  const rest = carried === undefined ? state : { meta: state.meta, marks: state.marks, ...carried };
  const usage = { total: (carried ?? state).usage.total, newest: noTokenCount };
  // Our lines name provider and address, so that a fold may begin with them. Other programs name no address.
  const said = carried ?? { settings: { model_provider_id: currentProvider(state)?.id } };
  const entries = replacement(state, payload).map((entry) => withMaker(entry, { meta: state.meta, ...said }));
  const told = readMcpProblems(objectAt(payload, 'capstan')?.['mcp_problems']);
  return {
    ...rest,
    sessionsAtCheckpoint: rest.sessions,
    agentsAtCheckpoint: rest.agents.filter(({ state: stands }) => stands !== 'closed'),
    openTurn: rest.openTurn && {
      ...rest.openTurn,
      compaction: rest.openTurn.compaction && 'done',
      // A checkpoint does not carry the mark of the running turn.
      before: state.openTurn?.before ?? rest.openTurn.before,
    },
    posted: undefined,
    prefill: undefined,
    // The checkpoint's quotations record which turns failed.
    failed: undefined,
    history: historyOf(entries),
    behind: historyBehindCheckpoint(state, entries),
    // The list of stopped MCP servers is not part of the replaced history.
    baseline: baselineAfterCheckpoint(carried === undefined ? mcpProblemsInBaseline(state.baseline) : told),
    // Before our first request in a file of another program there is no prefix to break.
    sent: carried === undefined && state.sent === undefined ? undefined : { kind: 'gone', why: 'checkpoint' },
    usage,
    checkpoints: foldCheckpoint((carried ?? state).checkpoints, payload),
  };
}

/** All state that a fold from this line on needs, except history. Stored in the line as `capstan`. */
export function carriedState(state: ThreadState): JsonObject {
  const { openTurn, context, envelope, newest, settings } = state;
  const { pins, waiting, grants } = withWithheldEntries(state);
  const problems = mcpProblemsInBaseline(state.baseline);
  return {
    usage: { total: usageFields(state.usage.total), last: usageFields(lastUsage(state.usage.newest)) },
    rate_limits: state.rateLimits && rateLimitFields(state.rateLimits),
    turns: state.turns,
    checkpoints: checkpointsToJson(state.checkpoints),
    work: workToJson(state.work),
    tool_sets: Object.fromEntries(state.toolSets) as JsonObject,
    context,
    envelope,
    newest,
    instructions: state.instructions as JsonObject | undefined,
    settings,
    ...notEmpty({ model_limits: state.limits, warnings: state.warnings, session_context: state.sessionContext }),
    ...notEmpty({ pins, waiting }),
    open_turn: openTurn && {
      id: openTurn.id,
      started_at: openTurn.startedAt,
      purpose: openTurn.compaction && 'compaction',
      spent: openTurn.spent && usageFields(openTurn.spent),
      ...notEmpty({ grants: grantsToJson(openTurn.grants ?? []) }),
    },
    ...notEmpty({ grants: grantsToJson(grants), sessions: sessionsToJson(state.sessions) }),
    mcp_problems: Object.keys(problems).length > 0 ? problems : undefined,
    ...notEmpty({ agents: agentsToJson(state.agents) }),
    goal: goalToJson(state.goal),
  };
}

const notEmpty = (lists: Readonly<Record<string, readonly unknown[]>>): JsonObject =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as JsonObject;

export function isSelfContained(payload: JsonObject): boolean {
  if (arrayAt(payload, 'replacement_history') === undefined) return false;
  return readCarried(payload) !== undefined && hasItemMetadata(payload);
}

/** True if there is metadata for each item, or none at all: else it is unknown which belongs to which item. */
export function hasItemMetadata(payload: JsonObject): boolean {
  const sidecar = arrayAt(payload, 'replacement_history_metadata');
  return sidecar === undefined || sidecar.length === arrayAt(payload, 'replacement_history')?.length;
}

function readCarried(payload: JsonObject) {
  const carried = objectAt(payload, 'capstan');
  const usage = objectAt(carried, 'usage');
  if (carried === undefined || usage === undefined) return undefined;
  return {
    usage: { total: readUsage(usage['total']), newest: noTokenCount },
    turns: numberAt(carried, 'turns') ?? 0,
    checkpoints: checkpointsFromJson(objectAt(carried, 'checkpoints')),
    work: workFromJson(objectAt(carried, 'work')),
    limits: modelLimitsFromJson(carried),
    warnings: warningsFromJson(carried),
    sessionContext: sessionHookTextsFromJson(carried),
    pins: pinsFromJson(carried),
    waiting: waitingMessagesFromJson(carried),
    grants: grantsFromJson(carried),
    sessions: sessionsFromJson(carried),
    agents: agentsFromJson(carried),
    toolSets: new Map(Object.entries(objectAt(carried, 'tool_sets') ?? {})) as unknown as ThreadState['toolSets'],
    context: objectAt(carried, 'context'),
    envelope: objectAt(carried, 'envelope'),
    newest: (['context', 'settings'] as const).find((name) => name === carried['newest']),
    instructions: readBaseInstructions(objectAt(carried, 'instructions')),
    settings: objectAt(carried, 'settings'),
    openTurn: readOpenTurn(objectAt(carried, 'open_turn')),
    rateLimits: readRateLimits(objectAt(carried, 'rate_limits')),
    goal: goalFromJson(objectAt(carried, 'goal')),
  } satisfies Partial<ThreadState>;
}

function readOpenTurn(open: JsonObject | undefined): OpenTurn | undefined {
  if (open === undefined) return undefined;
  const grants = turnGrantsFromJson(open);
  return {
    id: (stringAt(open, 'id') ?? '') as TurnId,
    startedAt: numberAt(open, 'started_at'),
    compaction: open['purpose'] === 'compaction' ? 'begun' : undefined,
    spent: open['spent'] === undefined ? undefined : readUsage(open['spent']),
    grants: grants.length === 0 ? undefined : grants,
  };
}

function replacement(state: ThreadState, payload: JsonObject): readonly HistoryEntry[] {
  const items = arrayAt(payload, 'replacement_history');
  if (items === undefined) {
    // Old files hold only the summary: the users' words are kept, and the summary follows as a message.
    const words = entriesOf(state.history).filter(({ origin }) => origin.family === 'user');
    return [...words, { item: oldSummaryMessage(stringAt(payload, 'message') ?? ''), origin: summaryOrigin }];
  }
  const sidecar = arrayAt(payload, 'replacement_history_metadata');
  const known = new Map(entriesOf(state.history).map((entry) => [entry.item['id'], entry]));
  return items.flatMap((value, i) => {
    const item = asItem(value);
    if (item === undefined || item.type === 'ghost_snapshot') return [];
    const metadata = isJsonObject(sidecar?.[i]) ? sidecar[i] : undefined;
    const entry = entryFromLine(item, metadata);
    if (objectAt(metadata, 'capstan') !== undefined) return [entry];
    const before = known.get(item['id']);
    const isSame =
      before?.item.type === item.type && JSON.stringify(before.item['content']) === JSON.stringify(item['content']);
    // Items of ours that another program keeps stay what they were: their text does not say whose words they quote.
    if (isSame) return [{ ...before, item }];
    return [isSummary(item, payload) ? { ...entry, origin: summaryOrigin } : entry];
  });
}

/** Another program's summary is a user message in history, with the text that the line has beside it. */
function isSummary(item: Item, payload: JsonObject): boolean {
  const message = stringAt(payload, 'message') ?? '';
  return message !== '' && isMessage(item) && item.role === 'user' && messageText(item) === message;
}

const summaryOrigin = { family: 'context', kinds: ['foreign'] } as const;

export interface NewCheckpoint {
  /** The summary message, for older readers. */
  readonly message: string;
  readonly items: readonly Item[];
  readonly metadata: readonly JsonObject[];
  readonly windowId: string;
  readonly report: CheckpointReport;
  readonly instructions?: BaseInstructions;
}

/** Replaces history. Carries all state that a fold needs, so that one may begin here. */
export function compactedLines(state: ThreadState, checkpoint: NewCheckpoint): readonly LineDraft[] {
  const { message, items, metadata, windowId, report, instructions } = checkpoint;
  // The thread's first line names the first window. A fork has windows of its own, whatever it continues from.
  const id = stringAt(objectAt(state.meta, 'context_window'), 'window_id');
  const { window } = state.checkpoints;
  const before = id === undefined || window?.first === id ? window : { first: id, id, number: 0 };
  const payload: JsonObject = {
    message,
    replacement_history: items,
    replacement_history_metadata: metadata,
    window_number: (before?.number ?? 0) + 1,
    first_window_id: before?.first ?? windowId,
    previous_window_id: before?.id,
    window_id: windowId,
    capstan: {
      ...carriedState(instructions === undefined ? state : { ...state, instructions }),
      checkpoint: report as unknown as JsonObject,
    },
  };
  return [{ type: lineType.compacted, payload }];
}
