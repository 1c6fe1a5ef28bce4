import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../protocol/item.ts';
import { noUsage } from '../protocol/usage.ts';
import { entryOf } from './entry.ts';
import { historyOf } from './history.ts';
import { ejectedReasoning, percentRemaining, usageAfterOverflow } from './percent-remaining.ts';

const used = (total: number) => ({ ...noUsage, total });

describe('percentRemaining', () => {
  it.each([
    [258_400, 0, 100],
    [258_400, 12_000, 100],
    [258_400, 100_000, 64],
    [258_400, 258_400, 0],
    [258_400, 900_000, 0],
    [12_000, 0, 0],
    [8_000, 0, 0],
  ])('of a window of %i with %i used is %i', (effective, total, percent) => {
    expect(percentRemaining({ effective, baseline: 12_000, usage: used(total) })).toBe(percent);
  });

  it('does not count reasoning that the provider will not see again', () => {
    const usage = { ...used(100_000), reasoningOutput: 20_000 };
    const window = { effective: 258_400, baseline: 12_000 };
    expect(percentRemaining({ ...window, usage, ejected: 20_000 })).toBe(
      percentRemaining({ ...window, usage: used(80_000) }),
    );
  });

  it('is a whole number from 0 to 100 that never grows with use', () => {
    fc.assert(
      fc.property(fc.nat(2e6), fc.nat(2e4), fc.nat(3e6), fc.nat(1e6), (effective, baseline, total, more) => {
        const percent = percentRemaining({ effective, baseline, usage: used(total) });
        expect(Number.isInteger(percent) && percent >= 0 && percent <= 100).toBe(true);
        expect(percentRemaining({ effective, baseline, usage: used(total + more) })).toBeLessThanOrEqual(percent);
      }),
    );
  });
});

describe('ejectedReasoning', () => {
  const usage = { ...noUsage, reasoningOutput: 700 };
  const of = (...items: readonly Item[]) =>
    ejectedReasoning(historyOf(items.map((item) => entryOf(item, undefined))), usage);
  const user: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
  const encrypted: Item = { type: 'reasoning', summary: [], encrypted_content: 'x' };

  it('is none when the thoughts stand in history', () => {
    expect(of(user, encrypted)).toBe(0);
    expect(of(user, { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] })).toBe(0);
  });

  it('is all of it when they do not', () => {
    expect(of(user)).toBe(700);
    expect(of(encrypted, user)).toBe(700);
    expect(of(user, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], content: null })).toBe(700);
  });
});

it('after an overflow the window is full, however much the thread has used before', () => {
  const total = { ...noUsage, input: 3_000_000, output: 50_000, total: 3_050_000 };
  const after = usageAfterOverflow(258_400, total);
  expect(after).toEqual({ total, last: { ...noUsage, total: 258_400 } });
  expect(percentRemaining({ effective: 258_400, baseline: 12_000, usage: after.last })).toBe(0);
});
