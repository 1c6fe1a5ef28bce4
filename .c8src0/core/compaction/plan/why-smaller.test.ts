import { expect, test } from 'vitest';
import { type UnexplainedRefusal, suspectLength } from './window-problems.ts';

const small: UnexplainedRefusal = {
  tokens: 20_000,
  effective: 100_000,
  bytes: 80_000,
  accepted: 90_000,
  hasPast: true,
  history: 15_000,
  mayCompact: true,
};

test.each<[string, Partial<UnexplainedRefusal>, ReturnType<typeof suspectLength>]>([
  ['is as large as others that were answered', {}, undefined],
  ['is exactly as large as the largest', { bytes: 90_000 }, undefined],
  ['is larger than any that was answered', { bytes: 90_001 }, 'larger-than-accepted'],
  ['fills four fifths of the window', { tokens: 80_000 }, undefined],
  ['fills more than that', { tokens: 80_001 }, 'near-the-window'],
  ['fills the window and is the largest', { tokens: 99_000, bytes: 400_000 }, 'near-the-window'],
  ['is the first of a provider that took over', { accepted: undefined }, 'larger-than-accepted'],
  ['is the first of the thread', { accepted: undefined, hasPast: false }, undefined],
  [
    'is the first of the thread and fills the window',
    { accepted: undefined, hasPast: false, tokens: 90_000 },
    'near-the-window',
  ],
  ['cannot be made smaller', { bytes: 90_001, history: 2499 }, undefined],
  ['is large while compaction is paused or was tried', { tokens: 90_000, mayCompact: false }, undefined],
])('a refused request that %s', (_, change, why) => {
  expect(suspectLength({ ...small, ...change })).toBe(why);
});
