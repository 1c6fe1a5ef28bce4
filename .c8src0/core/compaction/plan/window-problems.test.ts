import { describe, expect, it, test } from 'vitest';
import { fullAfterCheckpointOutcome, limitTooLowOutcome, type RaisableLimit } from './window-problems.ts';
import { type FixedRequestWeight, canFreeSpace } from './when-to-compact.ts';

/** A limit that is configured below what the window gives; the window may be twice as large. */
const low: RaisableLimit = {
  now: 8000,
  most: 90_000,
  windowFor: (limit) => (limit <= 180_000 ? limit * 2 : undefined),
};
const ofTheWindow: RaisableLimit = { ...low, now: 90_000 };
const fixedWindow: RaisableLimit = { ...ofTheWindow, windowFor: () => undefined };
const every = (fixed: number, context: number, overhead = 0): FixedRequestWeight => ({ fixed, context, overhead });

/** The value that is suggested for a key. */
function suggested(next: string, key: string): number | undefined {
  const found = new RegExp(`\`${key} = (\\d+)\``).exec(next)?.[1];
  return found === undefined ? undefined : Number(found);
}

describe('a limit below which no checkpoint gets', () => {
  test.each<[string, FixedRequestWeight, RaisableLimit, RegExp, RegExp]>([
    [
      'a configured limit',
      every(6000, 2000),
      low,
      /tools take about 6,000 tokens, the context about 2,000\.$/,
      /limit is too low/,
    ],
    [
      'the overhead of the provider',
      every(3000, 500, 5000),
      low,
      /the provider counts 5,000 tokens more per request/,
      /limit is too low/,
    ],
    ['instructions and tools', every(95_000, 500), fixedWindow, /tools take about 95,000/, /fewer tools/],
    [
      'the overhead, in a fixed window',
      every(3000, 500, 95_000),
      fixedWindow,
      /counts 95,000 tokens more/,
      /provider adds/,
    ],
    ['a window that may be larger', every(95_000, 500), ofTheWindow, /tools take/, /`model_context_window = \d+`\.$/],
    ['both', every(95_000, 500), low, /tools take/, /`model_context_window = \d+` and `model_auto_compact/],
  ])('names %s', (_, each, limit, message, next) => {
    const outcome = limitTooLowOutcome(each, limit);
    expect(outcome).toMatchObject({ code: 'limit-too-low', message: expect.stringMatching(message) });
    expect(outcome.next).toMatch(next);
  });

  test.each<[FixedRequestWeight]>([
    [every(6000, 2000)],
    [every(3000, 500, 5000)],
    [every(80_000, 8500)],
    [every(40, 8000)],
  ])('the suggested limit leaves space: %j', (each) => {
    const tokens = suggested(limitTooLowOutcome(each, low).next, 'model_auto_compact_token_limit')!;
    expect(tokens).toBeLessThanOrEqual(low.most);
    expect(canFreeSpace(each, tokens)).toBe(true);
  });
});

describe('a thread that is full right after a checkpoint', () => {
  const full = { counted: 60_000, grown: 100, needed: 10_000, overhead: 57_000 };

  it('names what the provider counts, and a limit beyond it', () => {
    const { message, next } = fullAfterCheckpointOutcome(full, { ...low, now: 20_000 });
    expect(message).toContain('about 60,000 tokens, 57,000 more than Capstan estimates; its limit is 20,000');
    expect(suggested(next, 'model_auto_compact_token_limit')).toBe(80_000);
  });

  it('where the window itself is the limit, names a window', () => {
    const { next } = fullAfterCheckpointOutcome({ ...full, counted: 95_000 }, ofTheWindow);
    expect(suggested(next, 'model_context_window')).toBe(294_000);
    expect(suggested(next, 'model_auto_compact_token_limit')).toBeUndefined();
    expect(fullAfterCheckpointOutcome({ ...full, counted: 95_000 }, fixedWindow).next).toMatch(/larger window/);
  });
});
