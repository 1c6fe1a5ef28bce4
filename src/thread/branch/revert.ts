import type { Ids } from '../../ports/ids.ts';
import type { HeldThread, OpenRefused, RolloutStore } from '../../ports/rollout-store.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { LineDraft } from '../../protocol/line.ts';
import { grantsEnded } from '../../state/grants.ts';
import { windowsStay } from '../../state/model-limits.ts';
import { pinChanges } from '../../state/pins.ts';
import { lastingNotes } from '../../state/sealed-lines.ts';
import type { ThreadPlaces } from '../../state/turn-places.ts';
import { warningsStay } from '../../state/warnings.ts';
import {
  isAboutFiles,
  messageDropped,
  messageWaitsAgain,
  stillWaiting,
  type WaitingMessage,
} from '../../state/waiting.ts';
import { costOf, costStays, turnDoneBefore, turnLeftOpen } from '../../state/turn-drafts.ts';
import { filesMessages, filesToTell } from './files-told-again.ts';
import { firstOwn, leftNote } from './left-rollouts.ts';
import { readPlaces } from './read-turns.ts';
import { foldThread, openThread } from './resume.ts';
import { markRolledBack, repeatTakenBack } from './revert-legacy.ts';
import { nested, noteOf, notesAfterRollback, notesAfterUndo, notesIn, readNote } from './rollback-note.ts';
import {
  cutFor,
  nothingToUndo,
  type Refused,
  type RollbackCut,
  type RollbackTo,
  type RollbackUndone,
  type RolledBack,
  turnsSince,
} from './rollback-range.ts';
import { turnAbortedFragment } from '../../fragments/events/turn-aborted.ts';
import { ThreadLog } from '../parts/log.ts';
import { recordEvent } from '../record/record-context.ts';

/**
 * The newest turns are as if they had not been: a new rollout continues from before them, and the old one stays what it
 * is. Notes that the user has pinned stay as they are; a message that has entered history since the place does not wait
 * there again. In the old form, which knows no reverts, a marker says it.
 */
export async function rollBack(
  store: RolloutStore,
  ids: Ids,
  id: ThreadId,
  to: RollbackTo,
): Promise<RolledBack | Refused> {
  if (await isLegacy(store, id)) return markRolledBack(store, id, to);
  const held = await holdActive(store, id);
  if (held.kind === 'refused') return held;
  let done: RolledBack;
  let open: RollbackCut['open'];
  try {
    const places = await readPlaces(store, id);
    const cut = cutFor(id, places, to);
    if ('code' in cut) return { kind: 'refused', ...cut };
    const { current } = held;
    const [{ state: then }, { state: now }] = [await foldThread(store, id, cut.end), await foldThread(store, id)];
    const left = noteOf({ current, places, now }, cut.kept, 'rollback');
    const notes = notesAfterRollback(notesIn(current.meta), left);
    const place = { rolloutId: current.rolloutId, end: cut.end };
    const made = await held.revert({
      rolloutId: ids.uuid(),
      to: place,
      note: {
        ...lastingNotes(current.meta),
        ...(await leftNote(store, id, current, place)),
        rollback: nested(notes),
      },
      drafts: [
        ...pinChanges(then.pins, now.pins),
        ...waitingNoMore(then.waiting, now.waiting),
        ...filesToTell(await filesMessages(store, id, cut.end, then.waiting), {
          there: stillWaiting(then.waiting, now.waiting),
          standing: idsIn(places).slice(0, cut.kept),
        }).map(messageWaitsAgain),
        ...grantsEnded(then.grants, now.grants),
        ...costStays(costOf(then.usage), now.usage),
        ...windowsStay(then.limits, now.limits),
        ...warningsStay(then.warnings, now.warnings),
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
 * The newest rollback is as if it had not been: a new rollout continues from the end of the one that it left. What the
 * user has pinned or taken away since holds. If a rollback before it still stands, the next undo is about that one;
 * otherwise it takes this undo back, which is a rollback like any other.
 */
export async function undoRollback(
  store: RolloutStore,
  ids: Ids,
  id: ThreadId,
  { force }: { readonly force: boolean },
): Promise<RollbackUndone | Refused> {
  if (await isLegacy(store, id)) return repeatTakenBack(store, id, { force });
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
  ids: Ids,
  held: HeldThread,
  { id, force }: { readonly id: ThreadId; readonly force: boolean },
): Promise<RollbackUndone | Refused> {
  const { current } = held;
  const [newest, ...rest] = notesIn(current.meta);
  const left = newest && readNote(newest);
  if (left === undefined) return nothingToUndo(id);
  const places = await readPlaces(store, id);
  const since = places.turns.slice(left.kept);
  if (since.length > 0 && !force) return turnsSince(id, since.length);
  const { state: now } = await foldThread(store, id);
  const { notes, ...more } = notesAfterUndo(rest, left, {
    since: since.length,
    left: (by) => noteOf({ current, places, now }, left.turns, by),
  });
  // What was accepted since the rollback waits on. What waited before it is as the left rollout says.
  const waiting = now.waiting.filter((message) => !isAboutFiles(message) || message.again !== true);
  const from = firstOwn(current.meta, left.place.rolloutId);
  const told = from === undefined ? [] : await filesMessages(store, id, from, []);
  const made = await held.revert({
    rolloutId: ids.uuid(),
    to: left.place,
    note: {
      ...lastingNotes(current.meta),
      ...(await leftNote(store, id, current, left.place)),
      rollback: nested(notes),
    },
    drafts: [
      ...pinChanges(left.pins, now.pins),
      ...waiting.map(messageWaitsAgain),
      ...filesToTell(
        told.filter(({ again }) => again !== true),
        { there: now.waiting, standing: idsIn(places).slice(0, left.kept) },
      ).map(messageWaitsAgain),
      ...(left.usage === undefined ? [] : costStays(left.usage, now.usage)),
      // Those that the left rollout knows as well are said twice.
      ...windowsStay([], now.limits),
      ...warningsStay([], now.warnings),
    ],
  });
  if (made.kind === 'refused') return made.code === 'place-unknown' ? nothingToUndo(id, 'removed') : made;
  const [before, after] = [idsIn(places), idsIn(await readPlaces(store, id))];
  const turns = after.filter((turn) => !before.includes(turn));
  const replaced = before.filter((turn) => !after.includes(turn));
  return { kind: 'rollback-undone', id, location: made.location, turns, replaced, ...more };
}

function waitingNoMore(then: readonly WaitingMessage[], now: readonly WaitingMessage[]): readonly LineDraft[] {
  const kept = stillWaiting(then, now);
  return then.filter((message) => !kept.includes(message)).map(({ id }) => messageDropped(id, 'rolled-back'));
}

function idsIn({ turns }: ThreadPlaces): readonly TurnId[] {
  return turns.map(({ id }) => id);
}

/** Whether the rollout with this first line began with a rollback that can be undone. */
export function beganWithRollback(meta: JsonObject): boolean {
  const [newest] = notesIn(meta);
  return newest !== undefined && readNote(newest)?.leftBy === 'rollback';
}

async function holdActive(store: RolloutStore, id: ThreadId): Promise<HeldThread | OpenRefused> {
  const held = await store.hold(id);
  if (held.kind === 'refused' || !held.current.archived) return held;
  await held.release();
  const next = `Unarchive it first: \`capstan threads unarchive ${id}\`.`;
  return { kind: 'refused', code: 'thread-archived', message: `Thread ${id} is archived.`, next };
}

/**
 * A rollback went to the middle of a turn, which is not continued: it ends there. If another process has taken the
 * thread meanwhile, that one finds the open turn and ends it.
 */
async function closeCutTurn(
  store: RolloutStore,
  ids: Ids,
  id: ThreadId,
  { id: turnId, done }: NonNullable<RollbackCut['open']>,
): Promise<void> {
  const opened = await openThread(store, id);
  if (opened.kind === 'refused') return;
  const log = new ThreadLog(opened.owned, opened.state);
  try {
    if (done) log.record(turnDoneBefore(turnId));
    else {
      recordEvent({ log, parts: { ids }, turnId }, turnAbortedFragment, 'rolled-back');
      log.record(turnLeftOpen(turnId, 'rolled-back'));
    }
    await log.durable();
  } finally {
    await log.close();
  }
}
