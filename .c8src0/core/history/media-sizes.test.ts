import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fittingSize } from './media-sizes.ts';

it.each([
  [2048, 1248, 2048, 1248],
  [2049, 10, 2048, 9],
  [4000, 3000, 1829, 1371],
  [100_000, 1, 2048, 1],
])('%i x %i is sent as %i x %i', (width, height, toWidth, toHeight) => {
  expect(fittingSize({ width, height })).toEqual({ width: toWidth, height: toHeight });
});

it('keeps the shape, never enlarges, and stays within the limits', () => {
  const side = fc.integer({ min: 1, max: 65_535 });
  fc.assert(
    fc.property(side, side, (width, height) => {
      const to = fittingSize({ width, height });
      expect(Math.max(to.width, to.height)).toBeLessThanOrEqual(2048);
      expect(Math.ceil(to.width / 32) * Math.ceil(to.height / 32)).toBeLessThanOrEqual(2500);
      expect(to.width).toBeLessThanOrEqual(width);
      expect(to.height).toBeLessThanOrEqual(height);
      expect(fittingSize(to)).toBe(to);
      // Rounding takes less than a pixel of a side.
      expect(Math.abs(to.width * height - to.height * width)).toBeLessThanOrEqual(Math.max(width, height));
    }),
  );
});
