import { describe, expect, it } from 'vitest';
import { matcherProblem, matches } from './matcher.ts';

describe('a matcher', () => {
  it.each([
    [undefined, 'Bash', true],
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'Bash2', false],
    ['Edit|Write', 'Write', true],
    ['Edit|Write', 'WriteAll', false],
    ['mcp__.*', 'mcp__memory__store', true],
    ['^mcp__memory__', 'my_mcp__memory__store', false],
    ['a.h', 'Bash', true],
    ['Notebook.*', 'Bash', false],
  ])('%s for %s', (matcher, subject, is) => {
    expect([matcher === undefined ? undefined : matcherProblem(matcher), matches(matcher, [subject])]).toEqual([
      undefined,
      is,
    ]);
  });

  it('fits if one of several names does, and everything where there are no names', () => {
    expect(matches('Write', ['apply_patch', 'Write', 'Edit'])).toBe(true);
    expect(matches('Write', undefined)).toBe(true);
  });

  it.each(['(', '(a+)+$', '(a|a)*b', '[', '(?<x>a)\\k<x>*', '('.repeat(5000)])(
    'that cannot be tried in a short time is a problem: %s',
    (matcher) => {
      expect(matcherProblem(matcher)).toBeTypeOf('string');
    },
  );

  it('is not held against names that no tool has', () => {
    expect(matches('.*', ['x'.repeat(10_000)])).toBe(false);
  });
});
