import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { CompactionWindow } from './compaction-plan.ts';
import { type AskedCompaction, type CompactionSizes, planCompaction } from './plan-compaction.ts';

const window: CompactionWindow = {
  effective: 100_000,
  autoCompact: 90_000,
  autoCompactScope: 'total',
  compactionReserve: 10_000,
  checkpoint: { words: 20_000, pictures: 10_000, answer: 4000, records: 4000 },
};
const asked: AskedCompaction = {
  turnId: 'turn' as TurnId,
  trigger: 'auto',
  reason: 'context_limit',
  phase: 'pre_turn',
  strategy: 'structured',
  model: 'some',
  readAll: 'show all',
  focus: 'the migration',
};
const sizes: CompactionSizes = {
  window,
  requestWindow: window,
  fixed: 10_000,
  history: 80_000,
  due: 0,
  context: 5000,
  standing: 0,
};
const whole = { words: 20_000, pictures: 8790, answer: 4000, records: 4000 };

describe('planCompaction', () => {
  it('leaves the asked model space for its answer and the thread space to continue', () => {
    expect(planCompaction(asked, sizes)).toEqual({
      ...asked,
      placement: 'next-turn',
      budget: { request: 96_000, fixed: 10_000, ...whole, before: 80_000, context: 5000, most: 59_000, gain: 59_000 },
    });
  });

  it('by hand cuts nothing for the sake of a gain: then there is none', () => {
    const { budget } = planCompaction({ ...asked, trigger: 'manual' }, { ...sizes, history: 9000 });
    expect(budget).toMatchObject({ words: 20_000, most: 65_000, gain: 2200 });
  });

  it('context that is sent again is no gain, whether it stands in history or is due', () => {
    const gains = [
      { history: 6000, due: 0, context: 5000 },
      { history: 1000, due: 5000, context: 5000 },
      { history: 10_000, due: 0, context: 5000 },
      { history: 10_000, due: 0, context: 0 },
    ].map((each) => planCompaction({ ...asked, trigger: 'manual' }, { ...sizes, ...each }).budget.gain);
    expect(gains).toEqual([0, 0, 3000, 8000]);
  });

  it('by hand the gain is in what history holds, also where another surface has other context to tell', () => {
    const stands = { history: 1355, standing: 1069 };
    const gains = [
      { ...stands, due: 0, context: 1069 },
      { ...stands, due: 484, context: 660 },
    ].map((each) => planCompaction({ ...asked, trigger: 'manual' }, { ...sizes, ...each }).budget.gain);
    expect(gains).toEqual([15, 15]);
  });

  it('a provider that counts more than we see is believed, and nothing is cut less for it; not by hand', () => {
    const counted = { ...sizes, history: 6000, counted: 60_000 };
    expect(planCompaction(asked, counted).budget).toMatchObject({ before: 6000, most: 2000, gain: 35_000 });
    expect(planCompaction({ ...asked, trigger: 'manual' }, counted).budget).toMatchObject({ gain: 0 });
  });

  it('a limit below the reserve leaves the words of the user their room', () => {
    const low = { ...window, autoCompact: 9000, effective: 100_000 };
    const { budget } = planCompaction(asked, { ...sizes, window: low, fixed: 1000, context: 500 });
    expect(budget).toMatchObject({ most: 9000 - 1000 - 500 - 2250 });
    expect(budget.words).toBeGreaterThan(1900);
  });

  it.each([
    ['standalone_turn', 'next-turn'],
    ['post_turn', 'next-turn'],
    ['mid_turn', 'before-last-words'],
  ] as const)('%s is placed %s', (phase, placement) => {
    expect(planCompaction({ ...asked, phase }, sizes).placement).toBe(placement);
  });

  it.each<[string, Partial<CompactionSizes>, object]>([
    [
      'what is told again and the instructions stay below the limit with the checkpoint',
      { context: 30_000 },
      { request: 96_000, context: 30_000, most: 34_000, gain: 34_000, ...whole, pictures: 5040 },
    ],
    [
      'what waits to enter finds space beside the checkpoint',
      { pending: 30_000 },
      { request: 96_000, most: 35_000, ...whole, pictures: 5190 },
    ],
    ['unless there is none for it anyway', { pending: 64_000 }, { request: 96_000, most: 59_000, ...whole }],
    [
      'a provider that counts a quarter more leaves a fifth less space',
      { counted: 112_500 },
      { request: 76_800, most: 47_000, gain: 77_000, ...whole, pictures: 6990 },
    ],
    ['a provider that counts less changes nothing', { counted: 60_000 }, { request: 96_000, most: 59_000, ...whole }],
    [
      'the window of the asked model bounds the request, the other one the checkpoint',
      { requestWindow: { ...window, effective: 200_000 } },
      { request: 196_000, most: 59_000, ...whole },
    ],
    [
      'where the limit is about the body, the window binds',
      { window: { ...window, autoCompact: 100, autoCompactScope: 'body' } },
      { request: 96_000, most: 59_000, ...whole },
    ],
    [
      'a short history has a short checkpoint',
      { history: 5000, due: 11_250 },
      {
        request: 96_000,
        before: 16_250,
        most: 8000,
        gain: 8000,
        words: 3040,
        pictures: 1140,
        answer: 2280,
        records: 1140,
      },
    ],
    [
      'where nothing fits, what code can always do is still allowed',
      { context: 90_000 },
      { request: 96_000, context: 90_000, most: 2000, gain: 0, words: 640, pictures: 240, answer: 480, records: 240 },
    ],
  ])('%s', (_, over, budget) => {
    expect(planCompaction(asked, { ...sizes, ...over }).budget).toEqual({
      fixed: 10_000,
      before: 80_000,
      context: 5000,
      gain: 59_000,
      ...budget,
    });
  });
});
