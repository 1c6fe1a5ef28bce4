import { describe, expect, it } from 'vitest';
import { matchesHook, compileMatchers } from './hook-definitions.ts';

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
    ['^(mcp__[a-z]+)+$', 'mcp__a', true],
    ['(a+)+$', 'a'.repeat(200), true],
    ['^(a|a)*b', 'a'.repeat(200), false],
  ])('%s for %s', async (matcher, subject, is) => {
    const { patterns, problems } = await compileMatchers([matcher]);
    expect([...problems, matchesHook(matcher, [subject], patterns)]).toEqual([is]);
  });

  it('fits if one of several names does, and everything where there are no names', () => {
    expect(matchesHook('Write', ['apply_patch', 'Write', 'Edit'], new Map())).toBe(true);
    expect(matchesHook('Write', undefined, new Map())).toBe(true);
  });

  it.each(['(', '[', '(?<x>a)\\k<x>*', '(?=a)b', '('.repeat(5000), '(a{1000}){1000}'])(
    'that cannot be tried in a short time is a problem: %s',
    async (matcher) => {
      const { patterns, problems } = await compileMatchers(['Bash', matcher]);
      expect([patterns.size, [...problems.keys()]]).toEqual([0, [matcher]]);
    },
  );

  it('is not held against names that no tool has', async () => {
    const { patterns } = await compileMatchers(['.*']);
    expect(matchesHook('.*', ['x'.repeat(10_000)], patterns)).toBe(false);
  });
});
