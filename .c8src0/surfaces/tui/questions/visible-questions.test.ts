import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const surface = join(import.meta.dirname, '..');

/** All that asks the user to allow something, and what the user reads before the answer. */
const asking = [
  ...readdirSync(join(import.meta.dirname, 'startup'))
    .filter((name) => !name.endsWith('.test.ts'))
    .map((name) => `questions/startup/${name}`),
  'questions/question-view.ts',
  'questions/model-questions-view.ts',
  'questions/question-rows.ts',
  'commands/hooks.ts',
  'transcript/cells/hook-cells.ts',
];

it('what asks for consent shows what hides in a text, instead of leaving it out', () => {
  const hiding = asking.filter((path) => readFileSync(join(surface, path), 'utf8').includes('/clean-text.ts'));
  expect(hiding).toEqual([]);
});
