import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { execSources, list } from '../../scripts/exec-sources.mjs';
import { sourcesUsedFirst } from '../../scripts/list-after-first-request.mjs';

const root = resolve(import.meta.dirname, '../..');

test('every source in the list exists', () => {
  const paths = readFileSync(join(root, list), 'utf8').trim().split('\n');
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

// Where this fails, a start loads both scripts: `node scripts/list-after-first-request.mjs` writes the list anew.
test.runIf(process.platform === 'linux')('a first request calls no function of what is loaded after it', async () => {
  const first = await sourcesUsedFirst();
  const later = [...execSources().later].map((path) => relative(root, path));
  expect(later.length).toBeGreaterThan(100);
  expect(later.filter((path) => first.has(path))).toEqual([]);
});
