import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fragmentCatalog } from '../../src/core/world/catalog.ts';
import { fragmentsDocument, rewriteCommand } from './document.ts';
import { examples } from './examples.ts';

test('docs/fragments.md is what the catalogue says', async () => {
  const page = fragmentsDocument(fragmentCatalog, examples);
  await expect(page, `docs/fragments.md is stale: run ${rewriteCommand}`).toMatchFileSnapshot(
    join(import.meta.dirname, '../../docs/fragments.md'),
  );
});

test('there is an example of every kind', () => {
  expect(examples.map(({ kind }) => kind)).toEqual(fragmentCatalog.map(({ id }) => id));
});
