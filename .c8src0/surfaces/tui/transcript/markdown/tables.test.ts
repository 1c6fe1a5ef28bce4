import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { type ColumnMeasure, tableWidths } from './tables.ts';

const anyColumn = fc
  .tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 90 }))
  .map(([one, other]): ColumnMeasure => ({ natural: Math.max(one, other), word: Math.min(one, other) }));

test('columns fit, none is wider than it needs, and no word is cut while another column has room to give', () => {
  fc.assert(
    fc.property(
      fc.array(anyColumn, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: -10, max: 200 }),
      (all, room) => {
        const widths = tableWidths(all, room);
        if (widths === undefined) return;
        expect(widths.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(room);
        for (const [at, { natural }] of all.entries()) {
          expect(widths[at]).toBeLessThanOrEqual(natural);
          expect(widths[at]).toBeGreaterThanOrEqual(Math.min(natural, 10));
        }
        if (all.every(({ word }, at) => widths[at]! >= word)) return;
        for (const [at, { word }] of all.entries()) expect(widths[at]).toBeLessThanOrEqual(Math.max(24, word));
      },
    ),
    { numRuns: 1000 * inject('runFactor') },
  );
});
