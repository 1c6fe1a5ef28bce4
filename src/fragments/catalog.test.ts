import { expect, it } from 'vitest';
import { fragmentCatalog } from './catalog.ts';

it('names each kind once', () => {
  const ids = fragmentCatalog.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('caps every kind, and all of them together far below the smallest window worth using', () => {
  const caps = fragmentCatalog.map(({ capTokens }) => capTokens);
  expect(Math.min(...caps)).toBeGreaterThan(0);
  expect(caps.reduce((sum, cap) => sum + cap, 0)).toBeLessThan(32_000);
});
