import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addRollbackMark, rollbackMarkBefore, type RollbackMarks, noRollbackMarks } from './thread-state.ts';

/** Oldest first. */
function all<Mark>({ newest }: RollbackMarks<Mark>): readonly Mark[] {
  return newest === undefined ? [] : [...all(newest.older), newest.mark];
}

test('lists that continue from one another are what arrays would be, and none changes another', () => {
  const step = fc.record({ from: fc.nat(), back: fc.constantFrom(1, 2, 3, 9, 0.5, 1.5, Number.NaN) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const lists = [{ marks: noRollbackMarks as RollbackMarks<number>, like: [] as readonly number[] }];
      for (const [name, { from, back }] of steps.entries()) {
        const { marks, like } = lists[from % lists.length]!;
        const target = Math.max(0, like.length - back);
        const found = rollbackMarkBefore(marks, back);
        expect(found?.mark).toBe(like[target]);
        if (found !== undefined) lists.push({ marks: found.older, like: like.slice(0, target) });
        lists.push({ marks: addRollbackMark(marks, name), like: [...like, name] });
      }
      expect(lists.map(({ marks }) => [marks.length, all(marks)])).toEqual(
        lists.map(({ like }) => [like.length, like]),
      );
    }),
  );
});
