import { join } from 'node:path';
import type { TestUserConfig } from 'vitest/config';

/** The default report, and a JSON file beside it where CAPSTAN_TEST_REPORTS names a directory (see .ci/run). */
export function reporters(name: 'fast' | 'deep'): NonNullable<TestUserConfig['reporters']> {
  const directory = process.env['CAPSTAN_TEST_REPORTS'];
  if (directory === undefined) return ['default'];
  return ['default', ['json', { outputFile: join(directory, `${name}.json`) }]];
}
