import { describe, expect, it } from 'vitest';
import { SearchEffort, toSearchableLines, seekLines } from './seek-lines.ts';

const seek = (lines: readonly string[], pattern: readonly string[], from = 0, atEnd = false) =>
  seekLines(toSearchableLines(lines), pattern, { from, atEnd, effort: new SearchEffort() });

describe('seekLines', () => {
  it('takes the first exact place', () => {
    expect(seek(['a', 'b', 'a', 'b'], ['a', 'b'])).toBe(0);
    expect(seek(['a', 'b', 'a', 'b'], ['a', 'b'], 1)).toBe(2);
  });

  it('prefers a later exact place to an earlier loose one', () => {
    expect(seek(['  a', 'a  ', 'a'], ['a'])).toBe(2);
    expect(seek(['  a', 'a  '], ['a'])).toBe(1);
    expect(seek(['  a', '\u2014'], ['a'])).toBe(0);
  });

  it('reads typed characters as typeset ones, last of all', () => {
    expect(seek(['say \u201chi\u201d\u2014it\u2019s\u00a0me'], ['say "hi"-it\'s me'])).toBe(0);
    expect(seek(['x\u200by'], ['xy'])).toBeUndefined();
  });

  it('counts as white space what Unicode does', () => {
    expect(seek(['a\u0085'], ['a'])).toBe(0);
    expect(seek(['a\ufeff'], ['a'])).toBeUndefined();
  });

  it('looks at the end alone when that is asked for', () => {
    expect(seek(['a', 'b', 'a'], ['a'], 0, true)).toBe(2);
    expect(seek(['a', 'b'], ['a'], 0, true)).toBeUndefined();
    expect(seek(['a', 'b'], ['b'], 2, true)).toBeUndefined();
  });

  it('finds nothing longer than the file, and an empty pattern where it begins', () => {
    expect(seek(['a'], ['a', 'b'])).toBeUndefined();
    expect(seek(['a'], [], 1)).toBe(1);
  });
});
