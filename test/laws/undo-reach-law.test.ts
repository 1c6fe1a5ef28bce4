import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../../src/testing/index.ts';
import { steppingClock } from '../harness/fixed-parts.ts';
import { lawRuns } from '../harness/law-runs.ts';
import { type Action, playAll } from './branch-law.ts';

const mostInARow = 10;
const turn: Action = { do: 'turn', on: 0, text: 'a', form: 'plain' };
const rollback = (count: number): Action => ({ do: 'rollback', on: 0, count, how: 'turns' });
const undo = (force: boolean): Action => ({ do: 'undo', on: 0, force });

/** Plays them in one thread, then undoes until all that was left had its time. Tells which turns were not seen again. */
async function unreached(actions: readonly Action[]): Promise<readonly string[]> {
  const play = await playAll(createMemoryStore(steppingClock()).rollouts, []);
  const [thread] = play.threads;
  const standing = (): readonly string[] => thread!.turns.flatMap(({ id }) => (id === '' ? [] : [id]));
  const ever = new Set<string>();
  for (const action of actions) {
    await play.play(action);
    for (const id of standing()) ever.add(id);
  }
  const reached = new Set(standing());
  for (let undos = 0; undos <= mostInARow; undos++) {
    await play.play(undo(true));
    for (const id of standing()) reached.add(id);
  }
  return [...ever].filter((id) => !reached.has(id));
}

const step = fc.oneof(
  { weight: 2, arbitrary: fc.constant(turn) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }).map(rollback) },
  { weight: 5, arbitrary: fc.boolean().map(undo) },
);

it('undos reach every turn that ever was, whatever was taken back, undone and done again', async () => {
  const steps = fc
    .array(step, { minLength: 4, maxLength: 18, size: 'max' })
    .filter((chosen) => chosen.filter((each) => each.do === 'rollback').length <= mostInARow);
  await fc.assert(
    fc.asyncProperty(steps, async (chosen) => {
      expect(await unreached([turn, turn, turn, ...chosen])).toEqual([]);
    }),
    { numRuns: lawRuns({ few: 6, usual: 15 }) },
  );
}, 120_000);

it.each([
  ['a rollback after an undo that was undone', [rollback(2), undo(false), undo(false), rollback(1), undo(false)]],
  ['a rollback after an exchange', [rollback(1), turn, undo(true), rollback(1)]],
  ['an exchange above an earlier rollback', [rollback(1), turn, rollback(2), turn, undo(true)]],
] as const)('and so they do for %s', async (_name, actions) => {
  expect(await unreached([turn, turn, turn, turn, ...actions])).toEqual([]);
});
