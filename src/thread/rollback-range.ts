import type { ThreadId, TurnId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ThreadPlaces, TurnPlace } from '../state/turn-places.ts';
import { findTurn } from './find-turn.ts';

/** How far back: so many turns in which a user spoke, or to the end of a turn, which stays. */
export type RollbackTo = { readonly turns: number } | { readonly toTurn: string };

export interface RolledBack {
  readonly kind: 'rolled-back';
  readonly id: ThreadId;
  readonly path: string;
  /** Taken back, oldest first. */
  readonly turns: readonly TurnId[];
}

export interface RollbackUndone {
  readonly kind: 'rollback-undone';
  readonly id: ThreadId;
  readonly path: string;
  /** Back again, oldest first. */
  readonly turns: readonly TurnId[];
  /** Taken back in their place. */
  readonly replaced: readonly TurnId[];
}

export type Refused = Outcome & { readonly kind: 'refused' };

/** The first of the turns that are to be taken back. */
export function firstTaken(id: ThreadId, places: ThreadPlaces, to: RollbackTo): TurnPlace | Outcome {
  if ('toTurn' in to) {
    const turn = findTurn(id, places.turns, to.toTurn);
    if ('code' in turn) return turn;
    const next = places.turns[places.turns.indexOf(turn) + 1];
    return next ?? nothingToTakeBack(`Turn ${turn.id} is the last one of thread ${id}.`);
  }
  const counted = places.turns.filter(({ counts }) => counts);
  if (!Number.isInteger(to.turns) || to.turns < 1) {
    return nothingToTakeBack(`${to.turns} is not a number of turns that can be taken back.`);
  }
  const had = counted.length === 1 ? 'one turn' : `${counted.length} turns`;
  return counted[counted.length - to.turns] ?? nothingToTakeBack(`Thread ${id} has ${had} that can be taken back.`);
}

export function takenFrom({ turns }: ThreadPlaces, first: TurnPlace): readonly TurnId[] {
  return turns.slice(turns.indexOf(first)).map((turn) => turn.id);
}

function nothingToTakeBack(message: string): Outcome {
  return { code: 'nothing-to-roll-back', message, next: 'Nothing has changed.' };
}

export function nothingToUndo(id: ThreadId): Refused {
  const message = `Nothing was taken back from thread ${id}, or it has been brought back.`;
  return { kind: 'refused', code: 'nothing-to-undo', message, next: 'Nothing has changed.' };
}

export function turnsSince(id: ThreadId, count: number): Refused {
  const turns = count === 1 ? 'A turn has' : `${count} turns have`;
  return {
    kind: 'refused',
    code: 'turns-since-rollback',
    message: `${turns} begun in thread ${id} since the rollback, and would be taken back in exchange.`,
    next: 'Use --force for that: it can be undone in the same way. Or fork the thread first and keep both.',
  };
}
