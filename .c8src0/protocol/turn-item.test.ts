import { expect, test } from 'vitest';
import { withoutParentFolders } from './turn-item.ts';

test('a folder is left out where something in it is listed', () => {
  const all = ['test', 'test/new.test.js', 'empty', 'a/b/c'];
  expect(withoutParentFolders(['test', 'test/new.test.js', 'empty', 'a', 'a/b'], all)).toEqual([
    'test/new.test.js',
    'empty',
  ]);
  expect(withoutParentFolders([{ path: 'test' }, { path: 'testing' }], all)).toEqual([{ path: 'testing' }]);
});
