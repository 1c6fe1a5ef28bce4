import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { compileBoundedPattern } from './bounded-pattern.ts';

function matcher(text: string, ignoresCase = false): (line: string) => boolean {
  const pattern = compileBoundedPattern(text, { ignoresCase, dotMatchesAll: true });
  if ('problem' in pattern) throw new Error(pattern.problem);
  return (line) => pattern.matches(line);
}

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '[a-c]',
  String.raw`\d`,
  String.raw`\w`,
  String.raw`\s`,
  'é',
);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    atom,
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `${a}${b}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?'))
      .map(([a, sign]) => `(${a})${sign}`),
    tie('pattern').map((a) => `^${a}`),
    tie('pattern').map((a) => `${a}$`),
    tie('pattern').map((a) => String.raw`\b${a}`),
  ),
}));
const line = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '1', 'é', 'B', '😀'), maxLength: 12 });

test('finds what a regular expression of the language finds', () => {
  fc.assert(
    fc.property(pattern, line, fc.boolean(), (text, given, ignoresCase) => {
      expect([text, matcher(text, ignoresCase)(given)]).toEqual([
        text,
        new RegExp(text, ignoresCase ? 'iu' : 'u').test(given),
      ]);
    }),
    { numRuns: 1000 },
  );
});

test.each(['(a*)*b', '(a|a)*b', '(a|aa)+$', '(.*)*x', '(?:a?){50}a{50}b', '([a-z]+)+!'])(
  'comes to an end for %s, which takes a matcher that goes back longer than anyone waits',
  (text) => expect(matcher(text)('a'.repeat(5000))).toBe(text === '(a|aa)+$'),
);

test.each([
  ['(a', 'has a ( without its )'],
  ['a)', 'has a ) without its ('],
  ['[a', 'has a [ without its ]'],
  ['*a', 'has nothing to repeat before *'],
  ['a\\', 'ends with a \\'],
  ['(?=a)', 'look-around'],
  ['(?<!a)b', 'look-around'],
  [String.raw`(a)\1`, 'reference back'],
  [String.raw`\p{Nothing}`, 'not known'],
  [String.raw`\k<a>`, 'reference back'],
  ['(?<a>b)(?<a>c)', 'duplicate'],
  ['a**', 'repeats a repeat'],
  ['[ab]{1000}'.repeat(700), 'too large'],
  ['a{5000}', 'too large'],
  ['a{3,1}', 'wrong order'],
  ['[b-a]', 'wrong order'],
  ['(a{900}){900}', 'too large'],
  ['('.repeat(500), 'has a ( without its )'],
  [`${'('.repeat(2000)}${')'.repeat(2000)}`, 'too large'],
  [`${'(?:'.repeat(30)}()${'){1000}'.repeat(30)}`, 'too large'],
  ['a'.repeat(20_000), 'longer than 10000 characters'],
  [`[${String.raw`\pL`.repeat(500)}]`, 'too large'],
  [String.raw`\pL{200}`, 'too large'],
])('%s is refused, and says why', (text, problem) => {
  expect(compileBoundedPattern(text)).toEqual({ problem: expect.stringContaining(problem) });
});

test('the members of a set are not asked one by one', () => {
  const many = String.fromCodePoint(...Array.from({ length: 9000 }, (_, index) => 0x4e00 + index));
  const line = 'x'.repeat(5000);
  expect(Array.from({ length: 200 }, () => matcher(`[${many}]y`, false)(line))).not.toContain(true);
});

test('whatever is typed, it is read or refused', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 }), (text, given) => {
      const made = compileBoundedPattern(text, { ignoresCase: true });
      expect('problem' in made ? typeof made.problem : typeof made.matches(given)).toMatch(/^(?:string|boolean)$/);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  [String.raw`\{\[x\x61\u0062\u{63}`, '{[xABC', true],
  ['{', '{', true],
  ['a{,2}', 'a{,2}', true],
  [String.raw`[\]\-\d]+$`, ']-7', true],
  ['[]a]', ']', true],
  ['Ä', 'ä', true],
  [String.raw`\x{2028}\u{2028}{3}`, '\u2028'.repeat(4), true],
  [String.raw`\D\W`, 'a!', true],
  [String.raw`^\p{L}+$`, 'éa', true],
  [String.raw`\ud83d\ude00`, '😀', true],
  [String.raw`\\u0041`, String.raw`\u0041`, true],
  [String.raw`(?i:a)\x{62}`, 'Ab', true],
  [String.raw`\Q(a{9}\E{2}`, '(a{9}}', true],
  [`[${String.raw`\d`.repeat(200)}]`, '1', true],
])('%s on %s', (text, given, expected) => {
  expect(matcher(text, true)(given)).toBe(expected);
});

test('no pattern has more steps than it was counted for', () => {
  fc.assert(
    fc.property(pattern, fc.integer({ min: 1, max: 300 }), (text, times) => {
      const repeated = `(?:${text}){0,${times}}[${String.raw`\d`}(]\\Q(\\E{2}`;
      const read = compileBoundedPattern(repeated);
      // Three of the library's steps are those at both ends.
      const steps = 'steps' in read ? RE2JS.compile(repeated).programSize() - 3 : 0;
      expect(steps).toBeLessThanOrEqual('steps' in read ? read.steps : 0);
    }),
  );
});
