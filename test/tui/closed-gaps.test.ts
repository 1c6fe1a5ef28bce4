import { describe, expect, it } from 'vitest';
import { missingTests } from '../harness/closed-gap.ts';
import { closedGaps } from './closed-gaps.ts';

describe('each gap has a test that shows it closed', () => {
  it.each(closedGaps)('$missed', (gap) => {
    expect(gap.shownBy.length).toBeGreaterThan(0);
    expect(missingTests(gap)).toEqual([]);
  });

  it('all of them are listed', () => {
    expect(closedGaps).toHaveLength(26);
  });
});
