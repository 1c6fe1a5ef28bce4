import { oldSummaryMessage } from '../../fragments/message-items.ts';
import { type Entry, entryOf } from '../../history/entry.ts';
import { entries as entriesOf, historyOf } from '../../history/history.ts';
import { defined } from '../../../base/objects.ts';
import { asItem, isMessage, type Item, messageText } from '../../../protocol/item.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../../protocol/json.ts';
import { rateLimitFields, readRateLimits } from '../../../protocol/rate-limits.ts';
import { lastUsage, noCount } from '../../history/token-counts.ts';
import { clearedByCheckpoint, type ToldProblems } from '../../world/world-state.ts';
import { readMcpProblems, toldMcpProblems } from '../../world/mcp-problems.ts';
import { readAgents, storeAgents } from '../fold/agents.ts';
import { historyBehindCheckpoint } from './opaque-checkpoint.ts';
import { foldCheckpoint, readCheckpoints, storeCheckpoints, type WindowName } from './checkpoint-counts.ts';
import { readGoal, storeGoal } from '../fold/goals.ts';
import { readGrants, readTurnGrants, storeGrants } from '../questions/grants.ts';
import { readSessionTexts } from '../fold/hook-runs.ts';
import { readInstructions, type Mark, type OpenTurn, type ThreadState } from '../thread-state.ts';
import { readModelLimits } from '../fold/model-limits.ts';
import { currentProvider, withMaker } from '../current-provider.ts';
import { readPins } from '../fold/pinned-notes.ts';
import { readSessions, storeSessions } from '../fold/running-calls.ts';
import { readUsage, usageFields } from '../drafts/usage-and-failure-fields.ts';
import { readWaiting } from '../fold/waiting-messages.ts';
import { withWithheld } from '../line-seals.ts';
import { readWarnings } from '../fold/warnings.ts';
import { readWork, storeWork } from '../fold/plan-and-changed-files.ts';
import type { BaseInstructions } from '../../envelope/facts.ts';
import type { CheckpointReport } from '../../../protocol/thread-event.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';

/**
 * State after a checkpoint: its replacement history, and no evidence of context sent to the model. A line that carries
 * the rest of the state is taken as its source, so that a fold may begin here.
 */
export function foldCompacted(state: ThreadState, payload: JsonObject): ThreadState {
  if (!isSound(payload)) return state;
  // The checkpoint's quotations record which turns failed.
  const { failed: _failed, ...standing } = state;
  const { openTurn, posted: _posted, prefill: _prefill, behind: _behind, ...before } = standing;
  const carried = readCarried(payload);
  // A fold that begins here knows nothing else about earlier lines.
  const rest = carried === undefined ? before : { meta: state.meta, marks: state.marks, ...carried };
  const turn = carried === undefined ? openTurn : carried.openTurn;
  // No provider has counted the new history.
  const usage = { total: (carried ?? state).usage.total, newest: noCount };
  const entries = replacement(state, payload).map((entry) => withMaker(entry, saidBy(state, carried)));
  return {
    ...rest,
    sessionsAtCheckpoint: rest.sessions,
    agentsAtCheckpoint: rest.agents.filter(({ state: stands }) => stands !== 'closed'),
    ...(turn && { openTurn: withCheckpoint(turn, openTurn?.before) }),
    history: historyOf(entries),
    ...historyBehindCheckpoint(state, entries),
    // The list of stopped MCP servers is not part of the replaced history.
    baseline: clearedByCheckpoint(carried === undefined ? toldMcpProblems(state.baseline) : carriedProblems(payload)),
    // Before our first request in a file of another program there is no prefix to break.
    ...(carried === undefined && state.sent === undefined ? {} : { sent: { kind: 'gone', why: 'checkpoint' } }),
    usage,
    checkpoints: foldCheckpoint((carried ?? state).checkpoints, payload),
  };
}

function carriedProblems(payload: JsonObject): ToldProblems {
  return readMcpProblems(objectAt(payload, 'capstan')?.['mcp_problems']);
}

/** Marks that the turn's checkpoint exists. Keeps the mark of the running turn, which a checkpoint does not carry. */
function withCheckpoint(turn: OpenTurn, before: Mark | undefined): OpenTurn {
  return { ...turn, ...(turn.compaction && { compaction: 'done' }), ...defined({ before }) };
}

/**
 * Our lines name the provider and its address themselves, so that a fold may begin with them. Other programs name no
 * address.
 */
function saidBy(state: ThreadState, carried: Carried | undefined): Parameters<typeof withMaker>[1] {
  if (carried !== undefined) return { meta: state.meta, ...carried };
  const { id } = currentProvider(state) ?? {};
  return { meta: state.meta, ...(id === undefined ? {} : { settings: { model_provider_id: id } }) };
}

/** All state that a fold from this line on needs, except history. Stored in the line as `capstan`. */
export function carriedState(state: ThreadState): JsonObject {
  const { openTurn, context, envelope, newest, settings } = state;
  const { pins, waiting, grants } = withWithheld(state);
  const problems = toldMcpProblems(state.baseline);
  const open = openTurn && {
    id: openTurn.id,
    ...defined({ started_at: openTurn.startedAt, purpose: openTurn.compaction && 'compaction' }),
    ...defined({ spent: openTurn.spent && usageFields(openTurn.spent) }),
    ...defined({ grants: unlessEmpty(storeGrants(openTurn.grants ?? [])) }),
  };
  return {
    usage: { total: usageFields(state.usage.total), last: usageFields(lastUsage(state.usage.newest)) },
    ...defined({ rate_limits: state.rateLimits && rateLimitFields(state.rateLimits) }),
    turns: state.turns,
    checkpoints: storeCheckpoints(state.checkpoints),
    work: storeWork(state.work),
    tool_sets: Object.fromEntries(state.toolSets) as JsonObject,
    ...defined({ context, envelope, newest }),
    ...defined({ instructions: state.instructions as JsonObject | undefined, settings }),
    ...defined({ model_limits: unlessEmpty(state.limits), warnings: unlessEmpty(state.warnings) }),
    ...defined({ session_context: unlessEmpty(state.sessionContext) }),
    ...defined({ pins: unlessEmpty(pins), waiting: unlessEmpty(waiting), open_turn: open }),
    ...defined({ grants: unlessEmpty(storeGrants(grants)), sessions: unlessEmpty(storeSessions(state.sessions)) }),
    ...(Object.keys(problems).length > 0 && { mcp_problems: problems }),
    ...defined({ agents: unlessEmpty(storeAgents(state.agents)), goal: storeGoal(state.goal) }),
  };
}

function unlessEmpty(values: readonly unknown[]): readonly Json[] | undefined {
  return values.length === 0 ? undefined : (values as readonly Json[]);
}

export function isSelfContained(payload: JsonObject): boolean {
  if (arrayAt(payload, 'replacement_history') === undefined) return false;
  return readCarried(payload) !== undefined && isSound(payload);
}

/** Each item needs its own metadata: otherwise the assignment is unknown. */
export function isSound(payload: JsonObject): boolean {
  const sidecar = arrayAt(payload, 'replacement_history_metadata');
  return sidecar === undefined || sidecar.length === arrayAt(payload, 'replacement_history')?.length;
}

type Carried = Omit<
  ThreadState,
  | 'meta'
  | 'history'
  | 'behind'
  | 'baseline'
  | 'marks'
  | 'sent'
  | 'posted'
  | 'prefill'
  | 'failed'
  | 'sessionsAtCheckpoint'
  | 'agentsAtCheckpoint'
>;

function readCarried(payload: JsonObject): Carried | undefined {
  const carried = objectAt(payload, 'capstan');
  const usage = objectAt(carried, 'usage');
  if (carried === undefined || usage === undefined) return undefined;
  const [context, settings] = [objectAt(carried, 'context'), objectAt(carried, 'settings')];
  const envelope = objectAt(carried, 'envelope');
  const newest = (['context', 'settings'] as const).find((name) => name === carried['newest']);
  const instructions = readInstructions(objectAt(carried, 'instructions'));
  const openTurn = readOpenTurn(objectAt(carried, 'open_turn'));
  return {
    usage: { total: readUsage(usage['total']), newest: noCount },
    turns: numberAt(carried, 'turns') ?? 0,
    checkpoints: readCheckpoints(objectAt(carried, 'checkpoints')),
    work: readWork(objectAt(carried, 'work')),
    limits: readModelLimits(carried),
    warnings: readWarnings(carried),
    sessionContext: readSessionTexts(carried),
    pins: readPins(carried),
    waiting: readWaiting(carried),
    grants: readGrants(carried),
    sessions: readSessions(carried),
    agents: readAgents(carried),
    toolSets: new Map(Object.entries(objectAt(carried, 'tool_sets') ?? {})) as unknown as ThreadState['toolSets'],
    ...defined({
      context,
      envelope,
      newest,
      instructions,
      settings,
      openTurn,
      rateLimits: readRateLimits(objectAt(carried, 'rate_limits')),
      goal: readGoal(objectAt(carried, 'goal')),
    }),
  };
}

function readOpenTurn(open: JsonObject | undefined): OpenTurn | undefined {
  if (open === undefined) return undefined;
  const compaction = open['purpose'] === 'compaction' ? ('begun' as const) : undefined;
  const id = (stringAt(open, 'id') ?? '') as TurnId;
  const grants = readTurnGrants(open);
  const given = grants.length === 0 ? {} : { grants };
  const spent = open['spent'] === undefined ? {} : { spent: readUsage(open['spent']) };
  return { id, ...defined({ startedAt: numberAt(open, 'started_at'), compaction }), ...spent, ...given };
}

function replacement(state: ThreadState, payload: JsonObject): readonly Entry[] {
  const items = arrayAt(payload, 'replacement_history');
  if (items === undefined) return usersWordsAndSummary(state, payload);
  const sidecar = arrayAt(payload, 'replacement_history_metadata');
  const known = new Map(entriesOf(state.history).map((entry) => [entry.item['id'], entry]));
  return items.flatMap((value, i) => {
    const item = asItem(value);
    if (item === undefined || item.type === 'ghost_snapshot') return [];
    const metadata = isJsonObject(sidecar?.[i]) ? sidecar[i] : undefined;
    const entry = entryOf(item, metadata);
    if (objectAt(metadata, 'capstan') !== undefined) return [entry];
    const before = known.get(item['id']);
    // Items of our checkpoint that another program keeps stay what they were: their text does not say whose words they
    // quote.
    if (before !== undefined && saysTheSame(before.item, item)) return [{ ...before, item }];
    return [isSummary(item, payload) ? { ...entry, origin: summaryOrigin } : entry];
  });
}

function saysTheSame(one: Item, other: Item): boolean {
  return one.type === other.type && JSON.stringify(one['content']) === JSON.stringify(other['content']);
}

/** Another program's summary is a user message in history, with the text that the line has beside it. */
function isSummary(item: Item, payload: JsonObject): boolean {
  const message = stringAt(payload, 'message') ?? '';
  return message !== '' && isMessage(item) && item.role === 'user' && messageText(item) === message;
}

const summaryOrigin = { family: 'context', kinds: ['foreign'] } as const;

/** Old files hold only the summary: the users' words are kept, and the summary follows as a message. */
function usersWordsAndSummary(state: ThreadState, payload: JsonObject): readonly Entry[] {
  const words = entriesOf(state.history).filter(({ origin }) => origin.family === 'user');
  const summary = oldSummaryMessage(stringAt(payload, 'message') ?? '');
  return [...words, { item: summary, origin: summaryOrigin }];
}

export interface NewCheckpoint {
  /** The summary message, for older readers. */
  readonly message: string;
  /** The new history, and the metadata of each item. */
  readonly items: readonly Item[];
  readonly metadata: readonly JsonObject[];
  readonly windowId: string;
  readonly report: CheckpointReport;
  readonly instructions?: BaseInstructions;
}

/** Replaces history. Carries all state that a fold needs, so that one may begin here. */
export function compactedLines(state: ThreadState, checkpoint: NewCheckpoint): readonly LineDraft[] {
  const { message, items, metadata, windowId, report, instructions } = checkpoint;
  const before = windowBefore(state);
  const payload: JsonObject = {
    message,
    replacement_history: items,
    replacement_history_metadata: metadata,
    window_number: (before?.number ?? 0) + 1,
    first_window_id: before?.first ?? windowId,
    ...(before === undefined ? {} : { previous_window_id: before.id }),
    window_id: windowId,
    capstan: {
      ...carriedState(instructions === undefined ? state : { ...state, instructions }),
      checkpoint: report as unknown as JsonObject,
    },
  };
  return [{ type: lineType.compacted, payload }];
}

/** The thread's first line names the first window. A fork has windows of its own, whatever it continues from. */
function windowBefore({ checkpoints: { window }, meta }: ThreadState): WindowName | undefined {
  const id = stringAt(objectAt(meta, 'context_window'), 'window_id');
  return id === undefined || window?.first === id ? window : { first: id, id, number: 0 };
}
