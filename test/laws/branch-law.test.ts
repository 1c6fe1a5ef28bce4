import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RolloutStore } from '../../src/ports/thread-store.ts';
import { createRolloutStore } from '../../src/adapters/rollout/store/rollout-store.ts';
import { createMemoryStore, SimulatedDisk } from '../../src/testing/index.ts';
import { steppingClock } from '../harness/fixed-parts.ts';
import { lawRuns } from '../harness/law-runs.ts';
import { type Action, action, playAll, type TurnForm } from './branch-law.ts';

function stores(): Readonly<Record<'disk' | 'memory', () => RolloutStore>> {
  return {
    disk() {
      const disk = new SimulatedDisk();
      return createRolloutStore({ home: '/home', files: disk, locks: disk.locks, clock: steppingClock() });
    },
    memory: () => createMemoryStore(steppingClock()).rollouts,
  };
}

describe.each(Object.entries(stores()))('threads of many files are what one file would be (%s)', (_name, make) => {
  it('whatever is done to them', async () => {
    const actions = fc.array(action, { minLength: 3, maxLength: 16, size: 'max' });
    await fc.assert(
      fc.asyncProperty(actions, async (chosen) => void (await playAll(make(), chosen))),
      { numRuns: lawRuns({ few: 6, usual: 15 }) },
    );
  }, 120_000);

  it('when rollbacks in a row are undone', async () => {
    const turn = (text: string): Action => ({ do: 'turn', on: 0, text, form: 'plain' });
    const rollback: Action = { do: 'rollback', on: 0, count: 1, how: 'turns' };
    const undo = (force = false): Action => ({ do: 'undo', on: 0, force });
    const { happened } = await playAll(make(), [
      ...['a', 'b', 'c'].map(turn),
      rollback,
      { do: 'pin', on: 0, text: 'between' },
      rollback,
      ...Array.from({ length: 4 }, () => undo()),
      rollback,
      rollback,
      undo(),
      turn('d'),
      ...Array.from({ length: 3 }, () => undo(true)),
      ...Array.from({ length: 3 }, () => rollback),
      ...Array.from({ length: 4 }, () => undo(true)),
    ]);
    expect(Object.fromEntries(happened)).toMatchObject({ undo: 12 });
  });

  it('and something is done to them', async () => {
    const turn = (text: string, form: TurnForm, on = 0): Action => ({ do: 'turn', on, text, form });
    const { happened } = await playAll(make(), [
      turn('a', 'plain'),
      { do: 'pin', on: 0, text: 'before' },
      turn('b', 'checkpoint'),
      { do: 'pin', on: 0, text: 'after' },
      { do: 'unpin', on: 0, at: 0 },
      { do: 'rollback', on: 0, count: 1, how: 'turns' },
      { do: 'pin', on: 0, text: 'since' },
      { do: 'undo', on: 0, force: false },
      { do: 'fork', on: 0, at: 0, how: 'through' },
      turn('c', 'steered', 1),
      { do: 'archive', on: 0 },
      { do: 'fork', on: 0, at: 1, how: 'before' },
      { do: 'rollback', on: 1, count: 1, how: 'to' },
      turn('d', 'plain', 1),
      { do: 'undo', on: 1, force: true },
      { do: 'archive', on: 0 },
      turn('e', 'unfinished'),
      { do: 'fork', on: 0, at: 0, how: 'latest' },
    ]);
    expect(Object.fromEntries(happened)).toEqual({
      turn: 5,
      rollback: 2,
      undo: 2,
      fork: 3,
      archive: 2,
      pin: 3,
      unpin: 1,
    });
  });
});
