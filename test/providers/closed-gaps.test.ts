import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingTests } from '../harness/closed-gap.ts';
import { closedGaps, openGaps } from './closed-gaps.ts';

describe('each gap has a test that shows it closed, or a row that says it is open', () => {
  it.each(closedGaps)('$missed', (gap) => {
    expect(gap.shownBy.length).toBeGreaterThan(0);
    expect(missingTests(gap)).toEqual([]);
  });

  it.each(openGaps)('%s', (open) => {
    const path = resolve(import.meta.dirname, '../gaps.md');
    const rows = readFileSync(path, 'utf8').split('\n');
    expect(rows.find((row) => row.startsWith(`| ${open} |`))).toContain('not there yet');
  });

  it('all of them are listed', () => {
    expect(closedGaps.length + openGaps.length).toBe(18);
  });
});
