import { defined } from '../../../base/objects.ts';
import { turnAbortedFragment } from '../../../core/fragments/events/turns-and-goals.ts';
import {
  threadCostOf,
  repeatedCostLines,
  turnCompleteAtCutLine,
  turnLeftOpenLine,
} from '../../../core/state/drafts/turn-lines.ts';
import { repeatedModelWindowLines } from '../../../core/state/fold/model-limits.ts';
import { pinChangeLines } from '../../../core/state/fold/pinned-notes.ts';
import {
  isAboutFiles,
  messageDroppedLine,
  waitingMessageLineAgain,
  waitingAfterRollback,
} from '../../../core/state/fold/waiting-messages.ts';
import { repeatedWarningLines } from '../../../core/state/fold/warnings.ts';
import { lastingMetaFields, repeatedDraft } from '../../../core/state/line-seals.ts';
import { endedGrantLines } from '../../../core/state/questions/grants.ts';
import { reduce } from '../../../core/state/reduce.ts';
import type { ThreadPlaces, TurnPosition } from '../../../core/state/turns/turn-list.ts';
import type { IdSource } from '../../../ports/system.ts';
import type {
  CurrentRollout,
  HeldThread,
  OpenRefused,
  Owned,
  RolloutPlace,
  RolloutStore,
} from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import { readPlaces } from '../../store/stored-thread-details.ts';
import { ThreadLog } from '../log.ts';
import { recordEvent } from '../record/record-context.ts';
import { loadThreadState, openThread } from './resume-thread.ts';
import {
  firstUnsharedOrdinal,
  formerRolloutsNote,
  nestRollbackNotes,
  createRollbackNote,
  notesAfterRollback,
  notesAfterUndo,
  rollbackNotesIn,
  parseRollbackNote,
} from './rollback-note.ts';
import {
  filesMessagesToRepeat,
  findRollbackCut,
  findFirstTurnToRollBack,
  refusedAsNothingToUndo,
  readFilesMessages,
  refusedForTurnsSince,
} from './rollback-range.ts';
import type { RollbackCut, RollbackRefused, RollbackTarget, RollbackUndone, RolledBack } from './rollback-range.ts';

/**
 * Takes the newest turns back: a new rollout continues from before them, and the old one stays unchanged. Pinned notes
 * stay; messages that have entered history since the place do not wait again. In the old form, which has no reverts, a
 * marker records it.
 */
export async function rollBack(
  store: RolloutStore,
  ids: IdSource,
  id: ThreadId,
  to: RollbackTarget,
): Promise<RolledBack | RollbackRefused> {
  if (await isLegacy(store, id)) return markRolledBack(store, id, to);
  const held = await holdActive(store, id);
  if (held.kind === 'refused') return held;
  let done: RolledBack;
  let open: RollbackCut['open'];
  try {
    const places = await readPlaces(store, id);
    const cut = findRollbackCut(id, places, to);
    if ('code' in cut) return { kind: 'refused', ...cut };
    const { current } = held;
    const { state: then } = await loadThreadState(store, id, cut.end);
    const { state: now } = await loadThreadState(store, id);
    const waiting = waitingAfterRollback(then.waiting, now.waiting);
    const gone = then.waiting.filter((message) => !waiting.includes(message));
    const left = createRollbackNote({ current, places, now }, cut.kept, 'rollback');
    const notes = notesAfterRollback(rollbackNotesIn(current.meta), left);
    const place = { rolloutId: current.rolloutId, end: cut.end };
    const made = await held.revert({
      rolloutId: ids.uuid(),
      to: place,
      note: await noteFor(store, id, current, { to: place, notes }),
      drafts: [
        ...pinChangeLines(then.pins, now.pins),
        ...gone.map((message) => messageDroppedLine(message.id, 'rolled-back')),
        ...filesMessagesToRepeat(await readFilesMessages(store, id, cut.end, then.waiting), {
          there: waiting,
          standing: idsIn(places).slice(0, cut.kept),
        }).map(waitingMessageLineAgain),
        ...endedGrantLines(then.grants, now.grants),
        ...repeatedCostLines(threadCostOf(then.usage), now.usage),
        ...repeatedModelWindowLines(then.limits, now.limits),
        ...repeatedWarningLines(then.warnings, now.warnings),
      ],
    });
    if (made.kind === 'refused') return made;
    open = cut.open;
    const turns = idsIn(places).slice(cut.kept);
    const about = defined({ cutTurn: open?.id, checkpoint: cut.checkpoint });
    done = { kind: 'rolled-back', id, location: made.location, turns, ...about };
  } finally {
    await held.release();
  }
  if (open !== undefined) await closeCutTurn(store, ids, id, open);
  return done;
}

/**
 * Undoes the newest rollback: a new rollout continues from the end of the one that the rollback left. Changes to pinned
 * notes since then stay. The next undo is for an earlier rollback, if one is left; otherwise it takes this undo back,
 * like any other rollback.
 */
export async function undoRollback(
  store: RolloutStore,
  ids: IdSource,
  id: ThreadId,
  { force }: { readonly force: boolean },
): Promise<RollbackUndone | RollbackRefused> {
  if (await isLegacy(store, id)) return repeatTakenBack(store, id, force);
  const held = await holdActive(store, id);
  if (held.kind === 'refused') return held;
  try {
    return await undoRevert(store, ids, held, { id, force });
  } finally {
    await held.release();
  }
}

async function isLegacy(store: RolloutStore, id: ThreadId): Promise<boolean> {
  const current = await store.current(id);
  return current.kind === 'current' && current.mode === 'legacy';
}

async function undoRevert(
  store: RolloutStore,
  ids: IdSource,
  held: HeldThread,
  { id, force }: { readonly id: ThreadId; readonly force: boolean },
): Promise<RollbackUndone | RollbackRefused> {
  const { current } = held;
  const [newest, ...rest] = rollbackNotesIn(current.meta);
  const left = newest && parseRollbackNote(newest);
  if (left === undefined) return refusedAsNothingToUndo(id);
  const places = await readPlaces(store, id);
  const since = places.turns.slice(left.kept);
  if (since.length > 0 && !force) return refusedForTurnsSince(id, since.length);
  const { state: now } = await loadThreadState(store, id);
  const { notes, ...more } = notesAfterUndo(rest, left, {
    since: since.length,
    left: (by) => createRollbackNote({ current, places, now }, left.turns, by),
  });
  // Messages accepted since the rollback keep waiting. For those that waited before it, the left rollout counts.
  const waiting = now.waiting.filter((message) => !isAboutFiles(message) || message.again !== true);
  const from = firstUnsharedOrdinal(current.meta, left.place.rolloutId);
  const all = from === undefined ? [] : await readFilesMessages(store, id, from, []);
  const told = all.filter(({ again }) => again !== true);
  const standing = idsIn(places).slice(0, left.kept);
  const made = await held.revert({
    rolloutId: ids.uuid(),
    to: left.place,
    note: await noteFor(store, id, current, { to: left.place, notes }),
    drafts: [
      ...pinChangeLines(left.pins, now.pins),
      ...waiting.map(waitingMessageLineAgain),
      ...filesMessagesToRepeat(told, { there: now.waiting, standing }).map(waitingMessageLineAgain),
      ...(left.usage === undefined ? [] : repeatedCostLines(left.usage, now.usage)),
      // Entries that the left rollout has too are recorded twice.
      ...repeatedModelWindowLines([], now.limits),
      ...repeatedWarningLines([], now.warnings),
    ],
  });
  if (made.kind === 'refused') return made.code === 'place-unknown' ? refusedAsNothingToUndo(id, true) : made;
  const [before, after] = [idsIn(places), idsIn(await readPlaces(store, id))];
  const turns = after.filter((turn) => !before.includes(turn));
  const replaced = before.filter((turn) => !after.includes(turn));
  return { kind: 'rollback-undone', id, location: made.location, turns, replaced, ...more };
}

/** The note for the first line of the rollout that replaces the current one and begins with the lines before `to`. */
async function noteFor(
  store: RolloutStore,
  id: ThreadId,
  current: CurrentRollout,
  { to, notes }: { readonly to: RolloutPlace; readonly notes: readonly JsonObject[] },
): Promise<JsonObject> {
  const left = await formerRolloutsNote(store, id, current, to);
  return { ...lastingMetaFields(current.meta), ...left, rollback: nestRollbackNotes(notes) };
}

const idsIn = ({ turns }: ThreadPlaces): readonly TurnId[] => turns.map(({ id }) => id);

export function isMadeByRollback(meta: JsonObject): boolean {
  const [newest] = rollbackNotesIn(meta);
  return newest !== undefined && parseRollbackNote(newest)?.leftBy === 'rollback';
}

async function holdActive(store: RolloutStore, id: ThreadId): Promise<HeldThread | OpenRefused> {
  const held = await store.hold(id);
  if (held.kind === 'refused' || !held.current.archived) return held;
  await held.release();
  const next = `Unarchive it first: \`capstan threads unarchive ${id}\`.`;
  return { kind: 'refused', code: 'thread-archived', message: `Thread ${id} is archived.`, next };
}

/** Ends a turn that a rollback cut in the middle. If another process has taken the thread, that one ends it. */
async function closeCutTurn(
  store: RolloutStore,
  ids: IdSource,
  id: ThreadId,
  { id: turnId, done }: NonNullable<RollbackCut['open']>,
): Promise<void> {
  const opened = await openThread(store, id);
  if (opened.kind === 'refused') return;
  const log = new ThreadLog(opened.owned, opened.state);
  try {
    if (done) log.record(turnCompleteAtCutLine(turnId));
    else {
      recordEvent({ log, parts: { ids }, turnId }, turnAbortedFragment, 'rolled-back');
      log.record(turnLeftOpenLine(turnId, 'rolled-back'));
    }
    await log.durable();
  } finally {
    await log.close();
  }
}

/** Rollback in files of the old form: a marker, which every program reads. */
function markRolledBack(store: RolloutStore, id: ThreadId, to: RollbackTarget): Promise<RolledBack | RollbackRefused> {
  return owning(store, id, async (owned) => {
    const places = await readPlaces(store, id);
    const first = findFirstTurnToRollBack(id, places, to);
    if ('code' in first) return { kind: 'refused', ...first };
    const taken = places.turns.slice(places.turns.indexOf(first));
    owned.append(markerFor(taken));
    await owned.durable();
    return { kind: 'rolled-back', id, location: owned.location, turns: taken.map((turn) => turn.id) };
  });
}

/** A marker cannot be taken back: the lines that it removed are repeated, after a marker for the turns since. */
function repeatTakenBack(store: RolloutStore, id: ThreadId, force: boolean): Promise<RollbackUndone | RollbackRefused> {
  return owning(store, id, async (owned) => {
    const places = await readPlaces(store, id);
    const found = await newestNotBack(store, id, places);
    if (found === undefined) return refusedAsNothingToUndo(id);
    const { takenBack, drafts, since } = found;
    if (since.length > 0 && !force) return refusedForTurnsSince(id, since.length);
    const { state } = await loadThreadState(store, id);
    const { pins, usage } = owned.append([...markerFor(since), ...drafts]).reduce(reduce, state);
    owned.append([...pinChangeLines(pins, state.pins), ...repeatedCostLines(threadCostOf(usage), state.usage)]);
    await owned.durable();
    const replaced = since.map((turn) => turn.id);
    return { kind: 'rollback-undone', id, location: owned.location, turns: takenBack.turns, replaced };
  });
}

function markerFor(turns: readonly TurnPosition[]): readonly LineDraft[] {
  const count = turns.filter(({ counts }) => counts).length;
  const payload = { type: 'thread_rolled_back', num_turns: count };
  return count === 0 ? [] : [{ type: lineType.event, payload }];
}

/** Skips rollbacks that an undo has brought back already, so that they hide no earlier one. */
async function newestNotBack(store: RolloutStore, id: ThreadId, places: ThreadPlaces) {
  const later: Ordinal[] = [];
  for (const takenBack of places.takenBack.toReversed()) {
    later.push(takenBack.end);
    const since = places.turns.filter(({ start }) => start > takenBack.end);
    if (since.some((turn) => takenBack.turns.includes(turn.id))) continue;
    const drafts = await draftsBetween(store, id, takenBack);
    if (!(await isSaidAgain(store, id, later, drafts))) return { takenBack, drafts, since };
  }
  return undefined;
}

/** True if lines after a marker repeat these. Repeated turns without names get other names, so compare the lines. */
async function isSaidAgain(
  store: RolloutStore,
  id: ThreadId,
  markers: readonly Ordinal[],
  drafts: readonly LineDraft[],
): Promise<boolean> {
  const said = JSON.stringify(drafts);
  for (const marker of markers) {
    const from = (marker + 1) as Ordinal;
    const again = await draftsBetween(store, id, { start: from, end: (from + drafts.length) as Ordinal });
    if (JSON.stringify(again) === said) return true;
  }
  return false;
}

/** The cost of a failed compaction is counted already and not repeated. */
async function draftsBetween(
  store: RolloutStore,
  id: ThreadId,
  { start, end }: Readonly<Record<'start' | 'end', Ordinal>>,
) {
  const drafts: LineDraft[] = [];
  for await (const line of store.read(id, { from: start, to: end }))
    if (line.type !== lineType.compaction) drafts.push(repeatedDraft(line));
  return drafts;
}

async function owning<Result>(store: RolloutStore, id: ThreadId, run: (owned: Owned) => Promise<Result>) {
  const owned = await store.open(id);
  if (owned.kind === 'refused') return owned;
  try {
    return await run(owned);
  } finally {
    await owned.close();
  }
}
