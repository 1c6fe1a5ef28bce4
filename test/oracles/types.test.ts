import { expect, it } from 'vitest';
import { requireOracles } from './require-oracles.ts';
import { typeMistakes } from './type-check.ts';

// The compiler leaves this folder out in other runs: what it imports is installed on use.
it('all that stands in this folder fits the types of what it imports', async () => {
  await requireOracles();
  expect(await typeMistakes(import.meta.dirname, '--project', '.')).toEqual([]);
});
