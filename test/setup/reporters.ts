import { join } from 'node:path';
import type { TestUserConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';
import { isLeftOut } from './test-tags.ts';

/** The default report, and a JSON file beside it where CAPSTAN_TEST_REPORTS names a directory (see .ci/run). */
export function reporters(name: 'fast' | 'deep'): NonNullable<TestUserConfig['reporters']> {
  const directory = process.env['CAPSTAN_TEST_REPORTS'];
  if (directory === undefined) return ['default', skippedTests];
  return ['default', skippedTests, ['json', { outputFile: join(directory, `${name}.json`) }]];
}

let hasNamePattern = false;

/** Names the tests that this machine could not run, which the default report only counts. */
const skippedTests: Reporter = {
  onInit({ config }) {
    hasNamePattern = config.testNamePattern !== undefined;
  },
  onTestRunEnd(modules) {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')]
        .filter(({ tags }) => !isLeftOut(tags))
        .map(({ fullName }) => `  ${module.relativeModuleId} > ${fullName}`),
    );
    // With a pattern for names, most are left out on purpose.
    if (skipped.length > 0 && !hasNamePattern) console.log(['Skipped here:', ...skipped].join('\n'));
  },
};
