import { describe, expect, it } from 'vitest';
import { pastedPath } from './pasted-text.ts';

describe('a path in a pasted text', () => {
  it.each([
    ['/a/b.png', '/a/b.png'],
    [' /a/b.png \n', '/a/b.png'],
    [String.raw`/a/two\ words\(1\).png`, '/a/two words(1).png'],
    ["'/a/two words.png'", '/a/two words.png'],
    ['"/a/two words.png"', '/a/two words.png'],
    ['file:///a/two%20words.png', '/a/two words.png'],
    ['file://localhost/a.png', '/a.png'],
    [String.raw`\\server\share\a.png`, String.raw`\\server\share\a.png`],
    [String.raw`C:\a\b.png`, String.raw`C:\a\b.png`],
    ['file:///C:/a/b.png', 'C:/a/b.png'],
  ])('%s', (pasted, path) => {
    expect(pastedPath(pasted, { isWsl: false })).toBe(path);
  });

  it.each(['x', '', 'two words', '/a.png /b.png', '/a\n/b', 'file://else/a.png', 'file://%', 'y'.repeat(5000)])(
    'none: %s',
    (pasted) => {
      expect(pastedPath(pasted, { isWsl: false })).toBeUndefined();
    },
  );

  it.each([
    [String.raw`C:\Users\me\two words.png`, '/mnt/c/Users/me/two words.png'],
    [String.raw`"D:\a.png"`, '/mnt/d/a.png'],
    ['file:///C:/a.png', '/mnt/c/a.png'],
  ])('of Windows, in its Linux: %s', (pasted, path) => {
    expect(pastedPath(pasted, { isWsl: true })).toBe(path);
  });
});
