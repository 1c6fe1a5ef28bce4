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
 * The state after a checkpoint: its replacement history, and no proof of what the model was told. If the line carries
 * the rest of the state, that is taken from it, so that a fold may begin here.
 */
export function foldCompacted(state: ThreadState, payload: JsonObject): ThreadState {
  if (!isSound(payload)) return state;
  // What the checkpoint quotes says of which turns it is known that they failed.
  const { failed: _failed, ...standing } = state;
  const { openTurn, posted: _posted, prefill: _prefill, behind: _behind, ...before } = standing;
  const carried = readCarried(payload);
  // A fold that begins here knows nothing else of what was before.
  const rest = carried === undefined ? before : { meta: state.meta, marks: state.marks, ...carried };
  const turn = carried === undefined ? openTurn : carried.openTurn;
  // No provider has counted what is left.
  const usage = { total: (carried ?? state).usage.total, newest: noCount };
  const entries = replacement(state, payload).map((entry) => withMaker(entry, saidBy(state, carried)));
  return {
    ...rest,
    sessionsAtCheckpoint: rest.sessions,
    agentsAtCheckpoint: rest.agents.filter(({ state: stands }) => stands !== 'closed'),
    ...(turn && { openTurn: withCheckpoint(turn, openTurn?.before) }),
    history: historyOf(entries),
    ...historyBehindCheckpoint(state, entries),
    // Which MCP servers do not run is no part of the history that is replaced.
    baseline: clearedByCheckpoint(carried === undefined ? toldMcpProblems(state.baseline) : carriedProblems(payload)),
    // The first request of ours in a file of another program has nothing before it that it could break.
    ...(carried === undefined && state.sent === undefined ? {} : { sent: { kind: 'gone', why: 'checkpoint' } }),
    usage,
    checkpoints: foldCheckpoint((carried ?? state).checkpoints, payload),
  };
}

function carriedProblems(payload: JsonObject): ToldProblems {
  return readMcpProblems(objectAt(payload, 'capstan')?.['mcp_problems']);
}

/**
 * The checkpoint that a turn was begun for is there. The mark of the running turn stays: it is not part of what a
 * checkpoint carries.
 */
function withCheckpoint(turn: OpenTurn, before: Mark | undefined): OpenTurn {
  return { ...turn, ...(turn.compaction && { compaction: 'done' }), ...defined({ before }) };
}

/** Our lines say themselves who was asked, so that a fold may begin with them. Other programs name no address. */
function saidBy(state: ThreadState, carried: Carried | undefined): Parameters<typeof withMaker>[1] {
  if (carried !== undefined) return { meta: state.meta, ...carried };
  const { id } = currentProvider(state) ?? {};
  return { meta: state.meta, ...(id === undefined ? {} : { settings: { model_provider_id: id } }) };
}

/** All of the state that a fold from this line on needs, history aside. Goes into the line as `capstan`. */
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

/** Whether a fold may start at this `compacted` line. */
export function isSelfContained(payload: JsonObject): boolean {
  if (arrayAt(payload, 'replacement_history') === undefined) return false;
  return readCarried(payload) !== undefined && isSound(payload);
}

/** Metadata stands beside the items, one for each: if that is not so, it is unknown what belongs to what. */
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
    // History is another one now: the newest count says nothing of it.
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
    // What another program leaves of our checkpoint is what it was: whose words it quotes is not in its text.
    if (before !== undefined && saysTheSame(before.item, item)) return [{ ...before, item }];
    return [isSummary(item, payload) ? { ...entry, origin: summaryOrigin } : entry];
  });
}

function saysTheSame(one: Item, other: Item): boolean {
  return one.type === other.type && JSON.stringify(one['content']) === JSON.stringify(other['content']);
}

/** Another program's summary stands in history as a message of the user, with the text that the line has beside it. */
function isSummary(item: Item, payload: JsonObject): boolean {
  const message = stringAt(payload, 'message') ?? '';
  return message !== '' && isMessage(item) && item.role === 'user' && messageText(item) === message;
}

const summaryOrigin = { family: 'context', kinds: ['foreign'] } as const;

/** Old files say only what the summary was: the users' words are kept, the summary follows as a message. */
function usersWordsAndSummary(state: ThreadState, payload: JsonObject): readonly Entry[] {
  const words = entriesOf(state.history).filter(({ origin }) => origin.family === 'user');
  const summary = oldSummaryMessage(stringAt(payload, 'message') ?? '');
  return [...words, { item: summary, origin: summaryOrigin }];
}

export interface NewCheckpoint {
  /** The summary message, for readers of old. */
  readonly message: string;
  /** What history becomes, and beside each item what is known about it. */
  readonly items: readonly Item[];
  readonly metadata: readonly JsonObject[];
  readonly windowId: string;
  readonly report: CheckpointReport;
  /** What requests begin with from here on, if it is not what they began with before. */
  readonly instructions?: BaseInstructions;
}

/** The line that replaces history. It carries all else that a fold needs, so that a fold may begin with it. */
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

/** The first window is named in the thread's first line. A fork has windows of its own, whatever it continues from. */
function windowBefore({ checkpoints: { window }, meta }: ThreadState): WindowName | undefined {
  const id = stringAt(objectAt(meta, 'context_window'), 'window_id');
  return id === undefined || window?.first === id ? window : { first: id, id, number: 0 };
}
