import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Something that users of other agents miss, and the tests that show Capstan has it. */
export interface ClosedGap {
  readonly missed: string;
  /** File and name of each test; the name as it stands there, before values are put into it. */
  readonly shownBy: readonly (readonly [file: string, test: string])[];
}

const root = join(import.meta.dirname, '../..');

/** The tests of a gap that are not there: one that was renamed or removed would leave its gap open without a word. */
export function missingTests({ shownBy }: ClosedGap): readonly (readonly [file: string, test: string])[] {
  return shownBy.filter(([file, test]) => !hasTest(readFileSync(join(root, file), 'utf8'), test));
}

/** As the name of a test, or as the first value of a row of tests. */
function hasTest(source: string, test: string): boolean {
  return [`it('${test}'`, `test('${test}'`, `)('${test}'`, `)(\n  '${test}'`, `  ['${test}',`].some((text) =>
    source.includes(text),
  );
}
