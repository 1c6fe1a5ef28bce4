import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

// test/setup/same-process.ts holds suites that share a process to leaving it as it was. This it cannot see.
it('no suite puts a module in the place of another', () => {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).filter(
    (name) => !name.includes('node_modules'),
  );
  expect(files.length).toBeGreaterThan(370);
  const replacing = files.filter((name) =>
    /\bvi\.(?:mock|doMock|resetModules)\(/.test(readFileSync(join(root, name), 'utf8')),
  );
  expect(replacing).toEqual([]);
});
