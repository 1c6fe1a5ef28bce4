import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineType } from '../../../protocol/line.ts';
import { foldPin, pinChangeLines, pinRemovedLine } from './pinned-notes.ts';

const pins = fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), text: fc.constantFrom('x', 'y') }), {
  selector: ({ id }) => id,
});

test('after the changes the notes are those that are wanted, in their order', () => {
  fc.assert(
    fc.property(pins, pins, (before, wanted) => {
      const changes = pinChangeLines(before, wanted);
      expect(changes.map(({ payload }) => payload).reduce(foldPin, before)).toEqual(wanted);
    }),
  );
});

test('what stays is not said again', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ id, text: 'x' }));
  expect(pinChangeLines([a!, b!], [a!, b!])).toEqual([]);
  const again = { type: lineType.pin, payload: { id: 'c', text: 'x', seal: '' } };
  expect(pinChangeLines([a!, b!], [b!, c!])).toEqual([pinRemovedLine('a'), again]);
});
