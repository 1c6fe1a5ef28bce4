import { isAboutFiles, readWaitingMessage } from '../../../core/state/fold/waiting-messages.ts';
import type { FilesMessage, RecordedWaitingMessage } from '../../../core/state/fold/waiting-messages.ts';
import { findTurn } from '../../../core/state/turns/turn-list.ts';
import type { CheckpointPlace, ThreadPlaces, TurnPosition } from '../../../core/state/turns/turn-list.ts';
import type { RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../../protocol/ids.ts';
import { lineType } from '../../../protocol/line.ts';
import type { Outcome, Refusal } from '../../../protocol/outcome.ts';

/** Turns to take back: the newest in which a user spoke, all after a turn, or all since a checkpoint (its number). */
export type RollbackTarget =
  | { readonly turns: number }
  | { readonly toTurn: string }
  | { readonly beforeCheckpoint: number | 'newest' };

interface Reverted {
  readonly id: ThreadId;
  readonly location: string;
  /** Turns taken back, or brought back, oldest first. */
  readonly turns: readonly TurnId[];
}

export interface RolledBack extends Reverted {
  readonly kind: 'rolled-back';
  readonly cutTurn?: TurnId;
  readonly checkpoint?: number;
}

export interface RollbackUndone extends Reverted {
  readonly kind: 'rollback-undone';
  /** Turns taken back in exchange, oldest first. Undoing an undo has only these. */
  readonly replaced: readonly TurnId[];
  /** The next undo brings back turns of an earlier rollback. Absent: it takes this undo back. */
  readonly next?: 'earlier-rollback';
}

export type RollbackRefused = Refusal;

export interface RollbackCut {
  readonly end: Ordinal;
  /** Turns that stay, including one that is cut. */
  readonly kept: number;
  readonly checkpoint?: number;
  /** The turn that the place cuts in two. `done`: at that place, the turn was about to end. */
  readonly open?: { readonly id: TurnId; readonly done: boolean };
}

export function findRollbackCut(id: ThreadId, places: ThreadPlaces, to: RollbackTarget): RollbackCut | Outcome {
  if ('beforeCheckpoint' in to) return cutBefore(id, places, to.beforeCheckpoint);
  const first = findFirstTurnToRollBack(id, places, to);
  return 'code' in first ? first : { end: first.start, kept: places.turns.indexOf(first) };
}

/** If no user spoke in the turn before the checkpoint, all of it is taken back: only its beginning would be left. */
function cutBefore(id: ThreadId, places: ThreadPlaces, asked: number | 'newest'): RollbackCut | Outcome {
  const found = findCheckpoint(id, places, asked);
  if ('code' in found) return found;
  const { at, turns, inside, number: checkpoint } = found;
  const turn = places.turns[turns - 1];
  if (turn === undefined || inside === undefined) return { end: at, kept: turns, checkpoint };
  if (!inside.spoken) return { end: turn.start, kept: turns - 1, checkpoint };
  return { end: at, kept: turns, checkpoint, open: { id: turn.id, done: inside.done } };
}

type FoundCheckpoint = (CheckpointPlace & { readonly number: number }) | Outcome<'checkpoint-unknown'>;

function findCheckpoint(id: ThreadId, { checkpoints }: ThreadPlaces, asked: number | 'newest'): FoundCheckpoint {
  const number = asked === 'newest' ? checkpoints.length : asked;
  const found = checkpoints[number - 1];
  if (found !== undefined) return { ...found, number };
  const have = checkpoints.length === 1 ? 'one checkpoint' : `${checkpoints.length} checkpoints`;
  const message = `Thread ${id} has no checkpoint${checkpoints.length === 0 ? '' : ` ${asked}: it has ${have}`}.`;
  return { code: 'checkpoint-unknown', message, next: 'Nothing has changed.' };
}

export function findFirstTurnToRollBack(
  id: ThreadId,
  places: ThreadPlaces,
  to: RollbackTarget,
): TurnPosition | Outcome {
  if ('beforeCheckpoint' in to) {
    const found = findCheckpoint(id, places, to.beforeCheckpoint);
    if ('code' in found) return found;
    const turn = found.inside === undefined ? undefined : places.turns[found.turns - 1];
    return turn?.counts === true ? turn : outsideOfTurns(id, found.number);
  }
  if ('toTurn' in to) {
    const turn = findTurn(id, places.turns, to.toTurn);
    if ('code' in turn) return turn;
    const next = places.turns[places.turns.indexOf(turn) + 1];
    return next ?? nothingToTakeBack(`Turn ${turn.id} is already the last turn of thread ${id}.`);
  }
  const counted = places.turns.filter(({ counts }) => counts);
  if (!Number.isInteger(to.turns) || to.turns < 1)
    return nothingToTakeBack(`Cannot roll back ${to.turns} turns: give a whole number of at least 1.`);
  const had = counted.length === 1 ? 'one turn' : `${counted.length} turns`;
  return counted.at(-to.turns) ?? nothingToTakeBack(`Thread ${id} has only ${had} that can be rolled back.`);
}

function outsideOfTurns(id: ThreadId, number: number): Outcome {
  const message = `Thread ${id} uses the old file format, which can only roll back whole turns that begin with a message from you. Checkpoint ${number} is outside such a turn.`;
  const next = `Fork the thread before that checkpoint instead: see \`capstan threads fork --help\`.`;
  return { code: 'nothing-to-roll-back', message, next };
}

function nothingToTakeBack(message: string): Outcome {
  return { code: 'nothing-to-roll-back', message, next: 'Nothing has changed.' };
}

export function refusedAsNothingToUndo(id: ThreadId, areRemoved = false): RollbackRefused {
  const removed = `The rolled-back turns of thread ${id} are gone: \`capstan threads gc --reverted\` deletes them.`;
  const message = areRemoved ? removed : `Thread ${id} has no rollback to undo.`;
  return { kind: 'refused', code: 'nothing-to-undo', message, next: 'Nothing has changed.' };
}

export function refusedForTurnsSince(id: ThreadId, count: number): RollbackRefused {
  const turns = count === 1 ? 'the turn' : `the ${count} turns`;
  const message = `Undoing this rollback would roll back ${turns} of thread ${id} that came after it.`;
  const next = 'Add --force to do so; that too can be undone. To keep both, fork the thread first.';
  return { kind: 'refused', code: 'turns-since-rollback', message, next };
}

/** Messages about files that wait at a place, or were recorded since. */
export async function readFilesMessages(
  store: Pick<RolloutStore, 'read'>,
  id: ThreadId,
  from: Ordinal,
  then: readonly RecordedWaitingMessage[],
): Promise<readonly FilesMessage[]> {
  const found = new Map(then.filter(isAboutFiles).map((message) => [message.id, message]));
  const wanted = ({ type }: { readonly type: string }): boolean => type === lineType.waiting;
  for await (const { type, payload } of store.read(id, { from, wanted })) {
    const message = type === lineType.waiting ? readWaitingMessage(payload) : undefined;
    if (message !== undefined && isAboutFiles(message) && !found.has(message.id)) found.set(message.id, message);
  }
  return [...found.values()];
}

/**
 * Files do not change with the conversation, so messages about them are repeated, except for a restore to before a turn
 * that is gone, too: without that turn, the conversation fits the restored files.
 */
export function filesMessagesToRepeat(
  messages: readonly FilesMessage[],
  /** `there`: messages that wait at the place anyway. */
  { there, standing }: { readonly there: readonly RecordedWaitingMessage[]; readonly standing: readonly TurnId[] },
): readonly FilesMessage[] {
  const isThere = new Set(there.map(({ id }) => id));
  return messages.flatMap((message) => {
    const turn = message.kind === 'files' ? message.files.before?.turnId : undefined;
    const isUndone = turn !== undefined && !standing.includes(turn);
    return isThere.has(message.id) || isUndone ? [] : [{ ...message, again: true }];
  });
}
