import { expect, test } from 'vitest';
import { filesAmong } from './files-among.ts';

test('a folder is left out where something in it is listed', () => {
  const all = ['test', 'test/new.test.js', 'empty', 'a/b/c'];
  expect(filesAmong(['test', 'test/new.test.js', 'empty', 'a', 'a/b'], all)).toEqual(['test/new.test.js', 'empty']);
  expect(filesAmong([{ path: 'test' }, { path: 'testing' }], all)).toEqual([{ path: 'testing' }]);
});
