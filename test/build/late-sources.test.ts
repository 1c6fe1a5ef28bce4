import { relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { execSources } from '../../scripts/exec-sources.mjs';
import { lateSources, sourcesUsedFirst } from '../../scripts/late-sources.mjs';

const root = resolve(import.meta.dirname, '../..');

// The list in the build may be older than the sources: a few that a first request needs now cost a start little.
test.runIf(process.platform === 'linux')('a first request calls hardly anything that is loaded after it', async () => {
  const first = await sourcesUsedFirst();
  const later = [...execSources(await lateSources()).later].map((path) => relative(root, path));
  expect(later.length).toBeGreaterThan(80);
  expect(later.filter((path) => first.has(path)).length).toBeLessThan(5);
});
