import { oldSummaryMessage } from '../fragments/message.ts';
import { type Entry, entryOf } from '../history/entry.ts';
import { entries as entriesOf, historyOf } from '../history/history.ts';
import { defined } from '../protocol/defined.ts';
import { asItem, isMessage, type Item, messageText } from '../protocol/item.ts';
import type { TurnId } from '../protocol/ids.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import { noUsage } from '../protocol/usage.ts';
import { clearedByCheckpoint } from '../world/baseline.ts';
import { behindCheckpoint } from './behind.ts';
import { foldCheckpoint, readCheckpoints, storeCheckpoints } from './checkpoints.ts';
import { readInstructions } from './instructions.ts';
import { readModelLimits } from './model-limits.ts';
import { makerNow, withMaker } from './maker-now.ts';
import { readPins } from './pins.ts';
import type { OpenTurn, ThreadState } from './thread-state.ts';
import { readUsage, usageFields } from './usage-fields.ts';
import { readWaiting } from './waiting.ts';
import { withWithheld } from './withheld.ts';
import { readWarnings } from './warnings.ts';
import { readWork, storeWork } from './work.ts';

/**
 * The state after a checkpoint: its replacement history, and no proof of what the model was told. If the line carries
 * the rest of the state, that is taken from it, so that a fold may begin here.
 */
export function foldCompacted(state: ThreadState, payload: JsonObject): ThreadState {
  if (!isSound(payload)) return state;
  const { openTurn, posted: _posted, prefill: _prefill, behind: _behind, ...before } = state;
  const carried = readCarried(payload);
  // A fold that begins here knows nothing else of what was before.
  const rest = carried === undefined ? before : { meta: state.meta, marks: state.marks, ...carried };
  const turn = withCheckpoint(carried === undefined ? openTurn : carried.openTurn);
  // No provider has counted what is left.
  const usage = { total: (carried ?? state).usage.total, last: noUsage };
  const entries = replacement(state, payload).map((entry) => withMaker(entry, saidBy(state, carried)));
  return {
    ...rest,
    // The mark of the running turn stays: it is not part of what a checkpoint carries.
    ...(turn === undefined
      ? {}
      : { openTurn: openTurn?.before === undefined ? turn : { ...turn, before: openTurn.before } }),
    history: historyOf(entries),
    ...behindCheckpoint(state, entries),
    baseline: clearedByCheckpoint,
    sent: { kind: 'gone', why: 'checkpoint' },
    usage,
    checkpoints: foldCheckpoint((carried ?? state).checkpoints, payload),
  };
}

/** The checkpoint that a turn was begun for is there. */
function withCheckpoint(turn: OpenTurn | undefined): OpenTurn | undefined {
  return turn?.compaction === undefined ? turn : { ...turn, compaction: 'done' };
}

/** Our lines say themselves who was asked, so that a fold may begin with them. Other programs name no address. */
function saidBy(state: ThreadState, carried: Carried | undefined): Parameters<typeof withMaker>[1] {
  if (carried !== undefined) return { meta: state.meta, ...carried };
  const { id } = makerNow(state) ?? {};
  return { meta: state.meta, ...(id === undefined ? {} : { settings: { model_provider_id: id } }) };
}

/** All of the state that a fold from this line on needs, history aside. Goes into the line as `capstan`. */
export function carriedState(state: ThreadState): JsonObject {
  const { openTurn } = state;
  const { pins, waiting } = withWithheld(state);
  return {
    usage: { total: usageFields(state.usage.total), last: usageFields(state.usage.last) },
    turns: state.turns,
    checkpoints: storeCheckpoints(state.checkpoints),
    work: storeWork(state.work),
    tool_sets: Object.fromEntries(state.toolSets) as JsonObject,
    ...defined({ context: state.context, envelope: state.envelope, newest: state.newest }),
    ...(state.instructions === undefined ? {} : { instructions: state.instructions as unknown as JsonObject }),
    ...defined({ settings: state.settings }),
    ...(state.limits.length === 0 ? {} : { model_limits: state.limits as unknown as JsonObject[] }),
    ...(state.warnings.length === 0 ? {} : { warnings: state.warnings }),
    ...(pins.length === 0 ? {} : { pins: pins as unknown as JsonObject[] }),
    ...(waiting.length === 0 ? {} : { waiting: waiting as unknown as JsonObject[] }),
    ...(openTurn === undefined
      ? {}
      : {
          open_turn: {
            id: openTurn.id,
            ...defined({ started_at: openTurn.startedAt }),
            ...(openTurn.compaction === undefined ? {} : { purpose: 'compaction' }),
          },
        }),
  };
}

/** Whether a fold may start at this `compacted` line. */
export function isSelfContained(payload: JsonObject): boolean {
  return (
    arrayAt(payload, 'replacement_history') !== undefined && readCarried(payload) !== undefined && isSound(payload)
  );
}

/** Metadata stands beside the items, one for each: if that is not so, it is unknown what belongs to what. */
export function isSound(payload: JsonObject): boolean {
  const sidecar = arrayAt(payload, 'replacement_history_metadata');
  return sidecar === undefined || sidecar.length === arrayAt(payload, 'replacement_history')?.length;
}

type Carried = Omit<ThreadState, 'meta' | 'history' | 'behind' | 'baseline' | 'marks' | 'sent' | 'posted' | 'prefill'>;

function readCarried(payload: JsonObject): Carried | undefined {
  const carried = objectAt(payload, 'capstan');
  const usage = objectAt(carried, 'usage');
  if (carried === undefined || usage === undefined) return undefined;
  const [context, settings] = [objectAt(carried, 'context'), objectAt(carried, 'settings')];
  const envelope = objectAt(carried, 'envelope');
  const newest = stringAt(carried, 'newest');
  const instructions = readInstructions(carried['instructions']);
  const open = objectAt(carried, 'open_turn');
  const startedAt = numberAt(open, 'started_at');
  return {
    usage: { total: readUsage(usage['total']), last: readUsage(usage['last']) },
    turns: numberAt(carried, 'turns') ?? 0,
    checkpoints: readCheckpoints(carried['checkpoints']),
    work: readWork(objectAt(carried, 'work')),
    limits: readModelLimits(carried),
    warnings: readWarnings(carried),
    pins: readPins(carried),
    waiting: readWaiting(carried),
    toolSets: new Map(Object.entries(objectAt(carried, 'tool_sets') ?? {})) as unknown as ThreadState['toolSets'],
    ...defined({ context, envelope }),
    ...(newest === 'context' || newest === 'settings' ? { newest } : {}),
    ...defined({ instructions, settings }),
    ...(open === undefined
      ? {}
      : {
          openTurn: {
            id: (stringAt(open, 'id') ?? '') as TurnId,
            ...defined({ startedAt }),
            ...(open['purpose'] === 'compaction' ? { compaction: 'begun' as const } : {}),
          },
        }),
  };
}

function replacement(state: ThreadState, payload: JsonObject): readonly Entry[] {
  const items = arrayAt(payload, 'replacement_history');
  if (items === undefined) return usersWordsAndSummary(state, payload);
  const sidecar = arrayAt(payload, 'replacement_history_metadata');
  const known = new Map(entriesOf(state.history).map((entry) => [entry.item['id'], entry]));
  return items.flatMap((value, i) => {
    const item = asItem(value);
    if (item === undefined || item.type === 'ghost_snapshot') return [];
    const entry = entryOf(item, metadataAt(sidecar, i));
    if (isRecorded(metadataAt(sidecar, i))) return [entry];
    const before = known.get(item['id']);
    // What another program leaves of our checkpoint is what it was: whose words it quotes is not in its text.
    if (before !== undefined && saysTheSame(before.item, item)) return [{ ...before, item }];
    return [isSummary(item, payload) ? { ...entry, origin: summaryOrigin } : entry];
  });
}

function isRecorded(metadata: JsonObject | undefined): boolean {
  return metadata !== undefined && objectAt(metadata, 'capstan') !== undefined;
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

function metadataAt(sidecar: readonly Json[] | undefined, i: number): JsonObject | undefined {
  const metadata = sidecar?.[i];
  return isJsonObject(metadata) ? metadata : undefined;
}

/** Old files say only what the summary was: the users' words are kept, the summary follows as a message. */
function usersWordsAndSummary(state: ThreadState, payload: JsonObject): readonly Entry[] {
  const words = entriesOf(state.history).filter(({ origin }) => origin.family === 'user');
  const summary = oldSummaryMessage(stringAt(payload, 'message') ?? '');
  return [...words, { item: summary, origin: summaryOrigin }];
}
