import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldPin, pinAdded, pinChanges, pinRemoved } from './pins.ts';
import { saidAgain } from './said-again.ts';

const pins = fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), text: fc.constantFrom('x', 'y') }), {
  selector: ({ id }) => id,
});

test('after the changes the notes are those that are wanted, in their order', () => {
  fc.assert(
    fc.property(pins, pins, (before, wanted) => {
      const changes = pinChanges(before, wanted);
      expect(changes.map(({ payload }) => payload).reduce(foldPin, before)).toEqual(wanted);
    }),
  );
});

test('what stays is not said again', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ id, text: 'x' }));
  expect(pinChanges([a!, b!], [a!, b!])).toEqual([]);
  expect(pinChanges([a!, b!], [b!, c!])).toEqual([pinRemoved('a'), saidAgain(pinAdded(c!), undefined)]);
});
