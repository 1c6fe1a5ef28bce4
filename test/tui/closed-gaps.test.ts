import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedGaps } from './closed-gaps.ts';

const root = join(import.meta.dirname, '../..');

/** A test that was renamed or removed would leave its gap open without a word. */
describe('each gap has a test that shows it closed', () => {
  it.each(closedGaps)('$missed', ({ shownBy }) => {
    const missing = shownBy.filter(([file, test]) => !hasTest(readFileSync(join(root, file), 'utf8'), test));
    expect(shownBy.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });

  it('all of them are listed', () => {
    expect(closedGaps).toHaveLength(26);
  });
});

/** As the name of a test, or as the first value of a row of tests. */
function hasTest(source: string, test: string): boolean {
  return [`it('${test}'`, `)('${test}'`, `    ['${test}',`].some((text) => source.includes(text));
}
