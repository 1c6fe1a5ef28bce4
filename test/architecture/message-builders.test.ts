import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { strayMessages } from './message-builders.ts';

test('messages of the user and of developers are built in their homes only', () => {
  const root = join(import.meta.dirname, '../..');
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'));
  expect(strayMessages(new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])))).toEqual([]);
});

test('the check sees object literals, and no types, comparisons or tests', () => {
  const found = strayMessages(
    new Map([
      ['src/a.ts', `const item = { type: 'message', id, role, content };`],
      ['src/b.ts', `\nconst item = { "role": "developer" };`],
      ['src/c.ts', `interface M { readonly type: 'message' } const is = item.type === 'message'; // role: 'user'`],
      ['src/d.test.ts', `const item = { role: 'user' };`],
      ['src/core/fragments/e.ts', `const item = { role: 'user' };`],
    ]),
  );
  expect(found).toEqual([
    `src/a.ts:1 builds a message: { type: 'message' }`,
    `src/b.ts:2 builds a message: { role: 'developer' }`,
  ]);
});
