import type { TestTagDefinition } from 'vitest/config';

export const testTags: TestTagDefinition[] = [
  { name: 'attack', description: 'Of a suite of attacks: `npm test` runs its representative tests only.' },
  { name: 'representative', description: 'Runs in every `npm test`.' },
];

/** scripts/test.mjs sets this for a run without names of files. */
export const runsEverything = process.env['CAPSTAN_TEST_LATE'] !== 'apart';

/** Tests that only the deep tests run. */
export const isLeftOut = (tags: readonly string[]): boolean =>
  !runsEverything && tags.includes('attack') && !tags.includes('representative');
