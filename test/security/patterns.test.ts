import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { nameMatcher, type NamePatternPart } from '../../src/base/name-matcher.ts';
import { globCovers, parseGlob } from '../../src/core/policy/paths/glob.ts';
import {
  childEnvironment,
  defaultShellEnvironmentPolicy,
} from '../../src/core/policy/environment/shell-environment-policy.ts';
import { httpFailure } from '../../src/adapters/model/http/failures/http-failure.ts';
import { saysOverflow } from '../../src/adapters/model/http/failures/model-failure.ts';
import {
  isIgnored,
  mostIgnoreBytes,
  nothingIgnored,
  parseIgnorePattern,
  withIgnoreFile,
} from '../../src/engine/workspace/ignore-rules.ts';

// A test that hangs is a test that fails: with a matcher that tries every split, none of these ends in this century.

const character = fc.constantFrom('a', 'b', 'ä', '😀', '.');
type Wildcard = Extract<NamePatternPart, { kind: 'text' | 'one' | 'some' | 'class' }>;
const wildcard: fc.Arbitrary<Wildcard> = fc.oneof(
  character.map((text) => ({ kind: 'text', text }) as const),
  fc.constant({ kind: 'one' } as const),
  fc.constant({ kind: 'some' } as const),
  fc
    .record({ negated: fc.boolean(), ranges: fc.array(fc.tuple(character, character), { maxLength: 2 }) })
    .map((members) => ({ kind: 'class', ...members }) as const),
);

/** The meaning of a pattern and nothing else: tries everything. */
function slowly(parts: readonly Wildcard[], text: readonly string[]): boolean {
  const [part, ...rest] = parts;
  const [first, ...others] = text;
  if (part === undefined) return text.length === 0;
  if (part.kind === 'some') return slowly(rest, text) || (first !== undefined && slowly(parts, others));
  if (first === undefined) return false;
  const fits =
    part.kind === 'one' ||
    (part.kind === 'text'
      ? part.text === first
      : part.ranges.some(([from, to]) => codeOf(from) <= codeOf(first) && codeOf(first) <= codeOf(to)) !==
        part.negated);
  return fits && slowly(rest, others);
}

const codeOf = (sign: string): number => sign.codePointAt(0) ?? 0;

describe('wildcards', () => {
  test('match what trying everything matches', () => {
    fc.assert(
      fc.property(fc.array(wildcard, { maxLength: 7 }), fc.array(character, { maxLength: 7 }), (parts, text) => {
        expect(nameMatcher(parts)(text.join(''))).toBe(slowly(parts, text));
      }),
      { numRuns: 500 * inject('runFactor') },
    );
  });
});

const name = fc
  .array(fc.constantFrom('a', 'b', 'ab', '.'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''));
const path = fc.array(name, { minLength: 1, maxLength: 5 });
const piece = fc.constantFrom('a', 'b', '*', '**', '?', '[ab]', '[!a]', '/', '/**/', '**/');

/** The pattern as an expression that backtracks, for short texts only. */
function expression(parts: readonly NamePatternPart[]): RegExp {
  const quote = (text: string): string => `\\u{${text.codePointAt(0)!.toString(16)}}`;
  const source = parts.map((part): string => {
    switch (part.kind) {
      case 'text':
        return quote(part.text);
      case 'one':
        return '[^/]';
      case 'some':
        return '[^/]*';
      case 'folders':
        return '(?:.*/)?';
      case 'anything':
        return '.*';
      case 'class':
        return `(?!/)[${part.negated ? '^' : ''}${part.ranges.map(([a, b]) => `${quote(a)}-${quote(b)}`).join('')}]`;
      case 'open':
        return '(?:';
      case 'or':
        return '|';
      case 'close':
        return ')';
    }
  });
  return new RegExp(`^${source.join('')}(?:/|$)`, 'su');
}

describe('deny globs', () => {
  test('cover what a pattern that backtracks covers', () => {
    const part = fc.oneof(piece, fc.constantFrom('{a,b}', '{a*,/b}', '{{a,},b/}', '😀'));
    const pattern = fc.array(part, { maxLength: 6 }).map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(pattern, path, (glob, names) => {
        const parts = parseGlob(glob);
        const target = `/${names.join('/')}`;
        expect(globCovers(glob, target)).toBe(parts === undefined || expression(parts).test(target));
      }),
      { numRuns: 750 * inject('runFactor') },
    );
  });

  // Each path has the longest text of its pattern, or no machine would be asked.
  test.each([
    ['stars', `/${'*a'.repeat(25)}b`, `/${'a'.repeat(200)}bc`],
    ['folders', `/${'**/a/'.repeat(25)}b`, `/${'a/'.repeat(100)}bc`],
    ['anything', `/${'x**a'.repeat(25)}b`, `/${'xa'.repeat(100)}ax/abc`],
    ['alternatives', `/${'{a,aa}'.repeat(25)}b`, `/${'a'.repeat(45)}cb`],
    ['nested alternatives', `/${'{a,{a,{a,*}}}'.repeat(25)}b`, `/${'a'.repeat(200)}bc`],
  ])('are decided at once, however many %s they have', (_name, glob, path) => {
    expect(globCovers(glob, path)).toBe(false);
  });
});

describe('a glob that is longer than a path', () => {
  test.each(['a', '[', '[a', '{*/*,', '{a,b,**/', ','])('of %s has no sense, and covers everything', (part) => {
    const glob = `/${part.repeat(5000)}`;
    expect(parseGlob(glob)).toBeUndefined();
    expect(globCovers(glob, '/x')).toBe(true);
  });
});

describe('what a deny glob says', () => {
  test.each([
    ['/x/{**/secret,b}', '/x/secret', true],
    ['/x/{b,**/secret}', '/x/a/secret', true],
    ['/x/{a,b}**/s', '/x/as', false],
    ['/x/[a\\]]', '/x/]', true],
    ['/x/[a\\-z]', '/x/-', true],
    ['/x/[a\\-z]', '/x/m', false],
    ['/x/secret/', '/x/secret/key', true],
    ['/x/*/', '/x/y', true],
  ])('%s covers %s: %s', (glob, path, wanted) => expect(globCovers(glob, path)).toBe(wanted));
});

describe('ignore files', () => {
  test.each([
    ['[\\-a]', '-', true],
    ['[\\-a]', '^', false],
    ['[a\\-c]', 'b', false],
    ['[A-\\]]', 'Z', true],
  ])('the class %s has %s: %s', (line, member, wanted) => {
    expect(parseIgnorePattern(line)?.matches(member, member)).toBe(wanted);
  });

  test('as many patterns as a file may have, each with many stars, against a long name', () => {
    const rules = withIgnoreFile(nothingIgnored, '/r', `${'[a-z]*'.repeat(160)}b\n`.repeat(260));
    expect(isIgnored(rules, `/r/${'a'.repeat(249)}bc`, 'other')).toBe(false);
  });

  test('*a×25 against a name of many letters', () => {
    const pattern = parseIgnorePattern(`${'*a'.repeat(25)}b`)!;
    expect(pattern.matches(`${'a'.repeat(200)}bc`, `${'a'.repeat(200)}bc`)).toBe(false);
    expect(pattern.matches(`${'a'.repeat(200)}b`, `${'a'.repeat(200)}b`)).toBe(true);
  });

  test('**/a×25 against a deep path', () => {
    const pattern = parseIgnorePattern(`${'**/a/'.repeat(25)}b`)!;
    expect(pattern.matches([...Array<string>(400).fill('a'), 'bc'].join('/'), 'bc')).toBe(false);
    expect(pattern.matches([...Array<string>(400).fill('a'), 'b'].join('/'), 'b')).toBe(true);
  });

  test('a line of blanks, of backslashes or of brackets', () => {
    for (const line of [
      `${' '.repeat(100_000)}x`,
      `${'\\'.repeat(100_000)}x`,
      '['.repeat(999),
      `a${' '.repeat(900)}b`,
    ]) {
      parseIgnorePattern(line)?.matches('x', 'x');
    }
    expect(parseIgnorePattern('x'.repeat(1001))).toBeUndefined();
  });

  test('more than one file may have is left out as a whole, alone and together with those above', () => {
    const lines = (count: number): string => 'secret\n'.repeat(count);
    const half = withIgnoreFile(nothingIgnored, '/r', lines(mostIgnoreBytes / 14));
    expect(isIgnored(half, '/r/secret', 'other')).toBe(true);
    expect(withIgnoreFile(half, '/r/a', lines(mostIgnoreBytes / 14 + 2)) === half).toBe(true);
    expect(withIgnoreFile(nothingIgnored, '/r', `${'#'.repeat(mostIgnoreBytes)}\nsecret`) === nothingIgnored).toBe(
      true,
    );
  });
});

describe('filters of variables', () => {
  test('wildcards without end are decided at once', () => {
    const policy = { ...defaultShellEnvironmentPolicy, exclude: [`${'*A'.repeat(30)}B`] };
    expect(childEnvironment({ [`${'A'.repeat(300)}BC`]: '1' }, policy, {})).toHaveProperty(`${'A'.repeat(300)}BC`);
    expect(childEnvironment({ [`${'a'.repeat(300)}b`]: '1' }, policy, {})).not.toHaveProperty(`${'a'.repeat(300)}b`);
  });
});

describe('what servers say', () => {
  const failure = (body: string) => httpFailure({ status: 400, headers: {}, body }, { now: 0, api: 'API' });

  test('words that are repeated without end are looked at once', () => {
    failure('image data not '.repeat(4300));
    failure(`<html>${'<title'.repeat(10_000)}`);
    expect(saysOverflow('exceed'.repeat(100_000))).toBe(false);
    expect(failure('{"error":{"message":"The image data you gave is not a valid image."}}').next).toContain('image');
  });
});
