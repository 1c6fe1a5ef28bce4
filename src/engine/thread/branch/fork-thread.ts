import type { Settings } from '../../../core/envelope/settings.ts';
import type { OpenRefused, RolloutPlace, RolloutStore } from '../../../ports/thread-store.ts';
import { defined } from '../../../base/objects.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import type { Refusal } from '../../../protocol/outcome.ts';
import type { ThreadCut } from '../../../protocol/thread.ts';
import { takenOverMeta } from '../../../core/state/fold/agents.ts';
import { grantsDroppedLine } from '../../../core/state/questions/grants.ts';
import { importNameOf } from '../../../core/state/line-seals.ts';
import { pinAddedLine } from '../../../core/state/fold/pinned-notes.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import { settingsAppliedLine } from '../../../core/state/drafts/turn-lines.ts';
import {
  isAboutFiles,
  messageDroppedLine,
  waitingMessageLineAgain,
} from '../../../core/state/fold/waiting-messages.ts';
import type { FilesMessage, WaitingMessage } from '../../../core/state/fold/waiting-messages.ts';
import { closeForkedTurn } from '../turn/cut-off-turn.ts';
import { findTurn } from '../../../core/state/turns/turn-list.ts';
import { readFilesMessages, filesMessagesToRepeat } from './rollback-range.ts';
import { readPlaces } from '../../store/stored-thread-details.ts';
import { ThreadLog } from '../log.ts';
import type { ThreadParts } from '../thread-parts.ts';
import { previewEnvelope } from '../context/preview-request.ts';
import { loadThreadState } from './resume-thread.ts';
import { type GitFactsOf, sessionMeta } from '../thread-opening.ts';
import { findUnprovenClaims, removeUnprovenClaims, linesDroppingClaims, type ProvenThread } from './unproven-lines.ts';

export interface ForkPoint {
  readonly kind: 'fork-point';
  readonly source: ThreadId;
  readonly place: RolloutPlace;
  readonly state: ThreadState;
  /** Unreadable lines. */
  readonly skipped: number;
  /** File changes after that place, which the fork reports to its model. */
  readonly filesSince: readonly FilesMessage[];
}

/** Another process may be writing the source: lines that it adds come after the place. */
export async function findForkPoint(store: RolloutStore, id: ThreadId, cut: ThreadCut): Promise<ForkPoint | Refusal> {
  const current = await store.current(id);
  if (current.kind === 'refused') return current;
  const end = await endOf(store, id, cut, current.mode === 'legacy');
  if (typeof end !== 'number') return { kind: 'refused', ...end };
  const place = { rolloutId: current.rolloutId, end };
  const folded = await loadThreadState(store, id, end);
  const filesSince = cut.kind === 'latest' ? [] : await filesToldSince(store, id, end, folded.state);
  return { kind: 'fork-point', source: id, place, ...folded, filesSince };
}

async function filesToldSince(store: RolloutStore, source: ThreadId, end: Ordinal, { waiting }: ThreadState) {
  const found = await readFilesMessages(store, source, end, waiting);
  // Most threads have none and need no second read.
  if (found.length === 0) return [];
  const { turns } = await readPlaces(store, source);
  const standing = turns.filter(({ start }) => start < end).map(({ id }) => id);
  return filesMessagesToRepeat(found, { there: waiting, standing });
}

async function endOf(store: RolloutStore, source: ThreadId, cut: ThreadCut, isLegacy: boolean) {
  if (cut.kind === 'latest' && !isLegacy)
    for await (const { ordinal } of store.readBack(source)) if (ordinal !== undefined) return (ordinal + 1) as Ordinal;
  const places = await readPlaces(store, source);
  if (cut.kind === 'latest') return places.end;
  const turn = findTurn(source, places.turns, cut.turnId);
  if ('code' in turn) return turn;
  if (cut.kind === 'before') return turn.start;
  if (turn.end !== undefined) return turn.end;
  const next = 'Fork before that turn. Or fork at the end of the thread, where the turn counts as interrupted.';
  return { code: 'turn-unfinished', message: `Turn ${turn.id} of thread ${source} has not ended.`, next };
}

/** Begins a thread that continues from the point. It is on the disk when this resolves. */
export async function forkThread(
  parts: ThreadParts,
  { source, place, state, skipped, filesSince }: ForkPoint,
  { settings, gitFacts }: { readonly settings: Settings; readonly gitFacts: GitFactsOf },
): Promise<ProvenThread | OpenRefused> {
  const id = parts.agent?.id ?? (parts.ids.uuid() as ThreadId);
  const envelope = await previewEnvelope(parts, id, settings, state);
  const imported = importNameOf(state.meta);
  const meta = {
    ...sessionMeta(id, envelope, gitFacts, parts),
    forked_from_id: source,
    ...(parts.agent && takenOverMeta(state.usage.total)),
    // A fork of an imported thread counts as imported.
    ...(imported === undefined ? {} : { capstan: { imported } }),
  };
  // Waiting messages stay with the source, except those about files: the files are the same for both.
  const waiting = [...state.waiting.filter(isAboutFiles), ...filesSince];
  const { messages, pins, grants, forNow } = await findUnprovenClaims(parts, source, { ...state, waiting });
  const unproven = { messages, pins, ...defined({ grants, forNow }) };
  const owned = await parts.store.fork(id, meta, place);
  if (owned.kind === 'refused') return owned;
  try {
    // A fork in the old form has a copy of the source's lines, so read its state from them.
    const before = owned.mode === 'legacy' ? (await loadThreadState(parts.store, id)).state : { ...state, meta: {} };
    const log = new ThreadLog(owned, before);
    closeForkedTurn({ parts, log, threadId: id, envelope });
    // Drop the other messages here: the next turn of the source takes them in.
    const isTaken = (message: WaitingMessage): boolean => isAboutFiles(message) && owned.mode !== 'legacy';
    const left = log.state.waiting.filter((message) => !isTaken(message));
    log.record(...left.map(({ id: message }) => messageDroppedLine(message, 'forked')));
    if (owned.mode !== 'legacy') log.record(...filesSince.map(waitingMessageLineAgain));
    log.record(...linesDroppingClaims(unproven));
    // A yes for the session holds only in the thread where it was given.
    if (log.state.grants.length > 0) log.record(grantsDroppedLine('forked'));
    // A copy outlives its source, but its seals do not: the notes that were just proven get seals of the fork.
    if (owned.mode === 'legacy') log.record(...removeUnprovenClaims(state, unproven).pins.map(pinAddedLine));
    log.record(settingsAppliedLine(id, envelope));
    await log.durable();
    const taken = owned.mode === 'legacy' ? {} : { takenFrom: { id: source, to: place.end } };
    const counted = forNow === undefined ? log.state : removeUnprovenClaims(log.state, unproven);
    return { kind: 'resumed', id, owned, state: counted, skipped, unproven, ...taken };
  } catch (error) {
    await owned.close().catch(() => undefined);
    throw error;
  }
}
