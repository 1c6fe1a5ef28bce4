import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ModelEvent } from '../../../ports/model.ts';
import { joinedDeltas } from './answer-decoder.ts';

const text = fc.record({
  kind: fc.constant('text-delta' as const),
  itemId: fc.constantFrom('a', 'b'),
  delta: fc.string({ maxLength: 3 }),
});
const thought = fc.record({
  kind: fc.constant('reasoning-delta' as const),
  itemId: fc.constantFrom('a', 'b'),
  part: fc.nat({ max: 1 }),
  delta: fc.string({ maxLength: 3 }),
});
const item = fc.constant({ kind: 'item', item: { type: 'message' } } as const);

/** One character after the other, with what it belongs to. */
function characters(events: readonly ModelEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.kind !== 'text-delta' && event.kind !== 'reasoning-delta') return [event.kind];
    const part = event.kind === 'text-delta' ? '' : event.part;
    return [...event.delta].map((character) => `${event.kind} ${event.itemId} ${part} ${character}`);
  });
}

it('joined pieces are the same text in the same order, and no two that belong together stand side by side', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(text, thought, item)), (events) => {
      const joined = joinedDeltas(events);
      expect(characters(joined)).toEqual(characters(events));
      expect(joinedDeltas(joined)).toEqual(joined);
    }),
  );
});
