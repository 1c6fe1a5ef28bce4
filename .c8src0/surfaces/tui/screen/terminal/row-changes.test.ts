import { describe, expect, it } from 'vitest';
import { rowChange } from './row-changes.ts';

const dim = (text: string): string => `\u001B[2m${text}\u001B[0m`;

describe('what makes a row of another', () => {
  it.each([
    { name: 'the same', old: 'one', next: 'one', change: undefined },
    { name: 'a word more', old: 'one', next: 'one two', change: { column: 3, text: ' two', end: 7 } },
    { name: 'a word less', old: 'one two', next: 'one', change: { column: 3, text: '\u001B[K', end: 3 } },
    { name: 'a letter', old: 'a cat here', next: 'a cut here', change: { column: 3, text: 'u', end: 4 } },
    { name: 'one that was blank', old: '', next: dim('x'), change: { column: 0, text: dim('x') } },
    {
      name: 'a second more, in a style',
      old: `• ${dim('(5s · esc)')}`,
      next: `• ${dim('(6s · esc)')}`,
      change: { column: 3, text: '\u001B[2m6\u001B[m', end: 4 },
    },
    {
      name: 'the style alone',
      old: `ab${dim('cd')}ef`,
      next: 'abcdef',
      change: { column: 2, text: 'cd', end: 4 },
    },
    { name: 'the same in other sequences', old: `${dim('a')}${dim('b')}`, next: dim('ab'), change: undefined },
    { name: 'behind wide characters', old: '漢字', next: '漢字で', change: { column: 4, text: 'で', end: 6 } },
    {
      name: 'another width in the middle: what stands behind it has moved',
      old: '漢字 end',
      next: 'a字 end',
      change: { column: 0, text: 'a字 end\u001B[K', end: 7 },
    },
    {
      name: 'behind a picture, whose width is the terminal to say',
      old: 'ok 👩‍💻 a',
      next: 'ok 👩‍💻 ab',
      change: { column: 3, text: '\u001B[K👩‍💻 ab' },
    },
    {
      name: 'a mark taken away: it goes with its letter',
      old: 'cafe\u0301',
      next: 'cafe!',
      change: { column: 3, text: '\u001B[Ke!' },
    },
    {
      name: 'a mark in a style of its own',
      old: `cafe${dim('\u0301')}`,
      next: 'cafe!',
      change: { column: 3, text: '\u001B[Ke!' },
    },
    {
      name: 'more than text and styles',
      old: 'a',
      next: '\u001B]133;A\u0007a',
      change: { column: 0, text: '\u001B[K\u001B]133;A\u0007a' },
    },
  ])('$name', ({ old, next, change }) => {
    expect(rowChange(old, next)).toEqual(change);
  });
});
