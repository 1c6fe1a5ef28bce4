import { describe, expect, it } from 'vitest';
import { isLimitReached, compactionReasonAtSwitch } from './when-to-compact.ts';
import type { CompactionWindow } from './compaction-plan.ts';

const window = (over: Partial<CompactionWindow> = {}): CompactionWindow => ({
  effective: 95,
  autoCompact: 90,
  autoCompactScope: 'total',
  compactionReserve: 9,
  checkpoint: { words: 20, pictures: 10, answer: 10, records: 5 },
  ...over,
});
const body = (autoCompact: number, effective = 10_000): CompactionWindow =>
  window({ autoCompact, effective, autoCompactScope: 'body' });

describe('limitReached', () => {
  it.each([
    ['below the limit', { active: 89, pending: 0, prefill: undefined, window: window() }, false],
    ['at the limit', { active: 90, pending: 0, prefill: undefined, window: window() }, true],
    ['at the limit with what is about to enter', { active: 50, pending: 40, prefill: 49, window: window() }, true],
    ['the window is less than the limit', { active: 95, pending: 0, prefill: 0, window: body(200, 95) }, true],
    ['what enters overflows the window', { active: 5, pending: 90, prefill: 5, window: body(200, 95) }, true],
    ['the first request does not count', { active: 690, pending: 0, prefill: 600, window: body(100) }, false],
    ['growth does', { active: 690, pending: 10, prefill: 600, window: body(100) }, true],
    ['nothing has grown yet', { active: 690, pending: 0, prefill: undefined, window: body(100) }, false],
    ['less than at first', { active: 500, pending: 0, prefill: 600, window: body(100) }, false],
    ['the window binds before the body', { active: 90, pending: 0, prefill: 80, window: body(50, 95) }, false],
  ] as const)('%s', (_, fill, reached) => {
    expect(isLimitReached(fill)).toBe(reached);
  });
});

describe('switchReason', () => {
  const small = window({ effective: 118_750, autoCompact: 112_500 });
  const smallBody = { ...small, autoCompactScope: 'body' } as const;
  const large = { model: 'large', effective: 259_350 };
  it.each([
    ['the first turn', undefined, { model: 'small', window: small }, 120_000, undefined],
    ['to a smaller window', large, { model: 'small', window: small }, 112_501, 'model_downshift'],
    ['all fits the limit', large, { model: 'small', window: small }, 112_500, undefined],
    ['to a larger window', { model: 'x', effective: 1000 }, { model: 'small', window: small }, 120_000, undefined],
    ['to one as large', { ...large, effective: 118_750 }, { model: 'small', window: small }, 120_000, undefined],
    ['the same model, another window', large, { model: 'large', window: small }, 120_000, undefined],
    ['only the body is over', large, { model: 'small', window: smallBody }, 118_749, undefined],
    ['the window is over', large, { model: 'small', window: smallBody }, 118_750, 'model_downshift'],
    [
      'other compatibility',
      { ...large, compatibility: 'a' },
      { model: 'small', compatibility: 'b', window: small },
      100,
      'comp_hash_changed',
    ],
    [
      'other compatibility comes first',
      { ...large, compatibility: 'a' },
      { model: 'small', compatibility: 'b', window: small },
      120_000,
      'comp_hash_changed',
    ],
    ['one says nothing', { ...large, compatibility: 'a' }, { model: 'small', window: small }, 100, undefined],
    ['the other says nothing', large, { model: 'small', compatibility: 'b', window: small }, 100, undefined],
    [
      'the same compatibility',
      { ...large, compatibility: 'a' },
      { model: 'small', compatibility: 'a', window: small },
      100,
      undefined,
    ],
  ] as const)('%s', (_, before, now, active, reason) => {
    expect(compactionReasonAtSwitch({ before, now, active })).toBe(reason);
  });
});
