import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const surface = join(import.meta.dirname, '..');

/** All that asks the user to allow something, and what the user reads before the answer. */
const asking = [
  ...readdirSync(import.meta.dirname)
    .filter((name) => !name.endsWith('.test.ts'))
    .map((name) => `gates/${name}`),
  'views/question-view.ts',
  'views/input-view.ts',
  'views/input-rows.ts',
  'views/asked-rows.ts',
  'commands/hooks.ts',
  'cells/hook-cell.ts',
];

it('what asks for consent shows what hides in a text, instead of leaving it out', () => {
  const hiding = asking.filter((path) => readFileSync(join(surface, path), 'utf8').includes('/clean.ts'));
  expect(hiding).toEqual([]);
});
