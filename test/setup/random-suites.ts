import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Suites of which the fast tests run a part: they ask for the factor, or leave that to `lawRuns`, `withTriggers` and
 * `oneOfEach`.
 */
export function randomSuites(root: string): readonly string[] {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root });
  return files.filter((name) =>
    /inject\('runFactor'\)|\b(?:lawRuns|withTriggers|oneOfEach)\b/.test(readFileSync(join(root, name), 'utf8')),
  );
}
