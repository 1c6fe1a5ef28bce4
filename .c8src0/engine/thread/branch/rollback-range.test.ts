import { expect, it } from 'vitest';
import type { Ordinal, ThreadId, TurnId } from '../../../protocol/ids.ts';
import type { ThreadPlaces } from '../../../core/state/turns/turn-list.ts';
import { findRollbackCut, findFirstTurnToRollBack } from './rollback-range.ts';

const id = 'thread' as ThreadId;
const turn = (name: string, start: number, end: number, counts: boolean) => ({
  id: name as TurnId,
  start: start as Ordinal,
  end: end as Ordinal,
  counts,
});
const checkpoint = { timestamp: '' };
const done = { spoken: true, done: false };
const places: ThreadPlaces = {
  turns: [turn('1', 1, 10, true), turn('only-compacts', 10, 13, false), turn('2', 20, 30, true)],
  takenBack: [],
  checkpoints: [
    { ...checkpoint, at: 5 as Ordinal, turns: 1, inside: done },
    { ...checkpoint, at: 11 as Ordinal, turns: 2, inside: { ...done, spoken: false } },
    { ...checkpoint, at: 15 as Ordinal, turns: 2 },
    { ...checkpoint, at: 21 as Ordinal, turns: 3, inside: { ...done, spoken: false } },
  ],
  end: 30 as Ordinal,
};

it('the cut is at the line of the checkpoint, or before a turn of which only the beginning would be left', () => {
  const cuts = ([1, 2, 3, 4, 'newest'] as const).map((number) =>
    findRollbackCut(id, places, { beforeCheckpoint: number }),
  );
  expect(cuts).toEqual([
    { end: 5, kept: 1, checkpoint: 1, open: { id: '1', done: false } },
    { end: 10, kept: 1, checkpoint: 2 },
    { end: 15, kept: 2, checkpoint: 3 },
    { end: 20, kept: 2, checkpoint: 4 },
    { end: 20, kept: 2, checkpoint: 4 },
  ]);
});

it('in the old form whole turns are taken back, and what lies outside of them cannot be', () => {
  const first = ([1, 2, 3, 4] as const).map((number) =>
    findFirstTurnToRollBack(id, places, { beforeCheckpoint: number }),
  );
  expect(first).toEqual([
    places.turns[0],
    expect.objectContaining({ code: 'nothing-to-roll-back' }),
    expect.objectContaining({ code: 'nothing-to-roll-back' }),
    places.turns[2],
  ]);
});
