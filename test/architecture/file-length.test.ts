import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const sources = join(import.meta.dirname, '../../src');

/** A file that is longer has more than one concept. */
const mostLines = 300;

test('no source has more than 300 lines', () => {
  const paths = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  );
  const lines = (path: string): number => readFileSync(join(sources, path), 'utf8').trimEnd().split('\n').length;
  expect(paths.length).toBeGreaterThan(1000);
  expect(paths.filter((path) => lines(path) > mostLines)).toEqual([]);
});
