import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { anyCharacter, expectLinear } from '../../../testing/test-inputs.ts';
import { runRulesFile } from './rules-file.ts';

const read = (text: string) => runRulesFile(text, { file: 'x.rules' });

const many = (count: number, text: string): string => text.repeat(count);

test.each([
  ['loops', 'for a in range(10000):\n  for b in range(10000): pass'],
  ['a long string', 'x = "a" * 10000000000'],
  ['a string that doubles', 'x = "a"\nfor i in range(1000): x += x'],
  ['a list that doubles', 'x = [1]\nfor i in range(1000): x += x'],
  ['a list in itself', 'x = []\nx += [x]\ny = str(x)'],
  ['a list that is compared with one like it', 'x = []\nx += [x]\ny = []\ny += [y]\nz = x == y'],
  ['a list of lists of lists', 'x = [1]\nfor i in range(1000): x = [x, x]\ny = str(x)'],
  ['a deep value', 'x = ()\nfor i in range(100000): x = (x,)\ny = {x: 1}'],
  ['a comparison of deep values', 'x = ()\nfor i in range(1000): x = (x,)\ny = x < (x,)'],
  ['a function in itself', 'def f(): return f()\nf()'],
  ['two functions in each other', 'def f(x): return g(x + x)\ndef g(x): return f([x])\nf([1])'],
  ['deep parentheses', `x = ${many(50_000, '(')}1${many(50_000, ')')}`],
  ['deep brackets', `x = ${many(50_000, '[')}`],
  ['many signs', `x = ${many(50_000, '-')}1`],
  ['many negations', `x = ${many(50_000, 'not ')}1`],
  ['a long sum', `x = ${many(50_000, '1+')}1`],
  ['many subscripts', `x = a${many(50_000, '[0]')}\na = 1`],
  ['many choices', `x = ${many(20_000, '1 if 0 else ')}1`],
  ['many functions in each other', `x = ${many(20_000, 'lambda: ')}1`],
  ['many clauses', `x = [1 ${many(5000, 'for a in [1] ')}]`],
  ['deep blocks', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}if 1:`).join('\n')],
  ['many programs with many examples', 'a = ["x%d" % i for i in range(5000)]\nprefix_rule([a], match=["y"] + a)'],
  ['a pattern that is used often', 'a = ["x"] * 10000\nfor i in range(10000): prefix_rule(["a", a])'],
  ['many parameters', `def f(${Array.from({ length: 50_000 }, (_, n) => `p${n}`).join(', ')}): pass`],
  ['many named values', `f(${Array.from({ length: 50_000 }, (_, n) => `p${n}=1`).join(', ')})\ndef f(): pass`],
  ['a long row of dots', 'network_rule("." * 400000 + "/", "http", "allow")'],
  ['a long word in many rules', 'w = "x" * 10000\nfor i in range(1000): prefix_rule([["a", "b"], w])'],
  ['many alternatives in many rules', 'a = ["x"] * 5000\nprefix_rule([a, a])'],
  ['many formats', 'for i in range(100000): x = "%s" % ("a" * 1000)'],
  ['a large range', 'x = range(10000000000)'],
])('%s ends as a problem', (_, text) => {
  expect(read(text)).toMatchObject({ kind: 'problem' });
});

test.each([
  ['spaces', (count: number) => ' '.repeat(count)],
  ['comments', (count: number) => '#'.repeat(count)],
  ['joined lines', (count: number) => '\\\n'.repeat(count)],
  ['empty lines', (count: number) => '\n'.repeat(count)],
  ['a string', (count: number) => `"${'\\n'.repeat(count)}"`],
  ['a format', (count: number) => `f"${'{{'.repeat(count)}"`],
])('a file of nothing but %s is read in one pass', (_, text) => {
  expect(expectLinear(20_000, (count) => read(text(count)))).toMatchObject({ kind: 'read' });
});

test('what a message quotes of a file is cut', () => {
  expect(read('x'.repeat(500_000))).toMatchObject({ message: `\`${'x'.repeat(499)}…` });
});

test('a large file of plain rules is read', () => {
  const text = Array.from({ length: 5000 }, (_, n) => `prefix_rule(["git", "x${n}"], match=["git x${n}"])`).join('\n');
  expect(read(text)).toMatchObject({ kind: 'read' });
});

const words = [
  ...'and or not in if elif else for def return break continue pass lambda True False None'.split(' '),
  ...'+ - * // % == != < <= > >= = += ( ) [ ] { } , : ;'.split(' '),
  ...'x y f str len range prefix_rule network_rule host_executable pattern match 0 1 99999'.split(' '),
  '"a"',
  "'%s'",
  'f"{x}"',
  '"""',
  '"',
  '\\',
  '#',
  '\n',
  '\n',
  '\n  ',
  '\n    ',
  '\t',
  'é',
  '\0',
];

test('no text throws or hangs', () => {
  const text = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((all) => all.join(' '));
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: anyCharacter })), (program) => {
      read(program);
    }),
    { numRuns: 200 * inject('runFactor') },
  );
});

/** Programs that parse more often than not. */
const program = fc.letrec<{ value: string; statement: string; block: string }>((tie) => {
  const value = tie('value');
  return {
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('1', '70000', '"ab"', 'x', 'y', 'f', 'None', '[]', '()', '{}', 'range(9)', 'prefix_rule'),
      fc
        .tuple(value, fc.constantFrom('+', '*', '%', '-', '//', '==', '<', 'in', 'and', 'or'), value)
        .map(([a, o, b]) => `(${a} ${o} ${b})`),
      fc.array(value, { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      fc.tuple(value, value).map(([a, b]) => `{${a}: ${b}}`),
      fc.tuple(value, value).map(([a, b]) => `[${a} for x in ${b}]`),
      fc.tuple(value, value).map(([a, b]) => `${a}[${b}]`),
      fc.tuple(value, value).map(([a, b]) => `${a}(${b})`),
      value.map((a) => `str(${a})`),
      value.map((a) => `(lambda y: ${a})`),
    ),
    statement: fc.oneof(
      { maxDepth: 4 },
      value,
      value.map((a) => `x = ${a}`),
      value.map((a) => `x += ${a}`),
      fc.tuple(value, value).map(([a, b]) => `x[${a}] = ${b}`),
      value.map((a) => `prefix_rule(pattern=${a})`),
      fc.tuple(value, tie('block')).map(([a, b]) => `for x in ${a}:\n${b}`),
      fc.tuple(value, tie('block')).map(([a, b]) => `if ${a}:\n${b}`),
      tie('block').map((b) => `def f(y):\n${b}\n  return f(y)`),
    ),
    block: fc.array(tie('statement'), { minLength: 1, maxLength: 3 }).map((all) =>
      all
        .join('\n')
        .split('\n')
        .map((line) => `  ${line}`)
        .join('\n'),
    ),
  };
}).statement;

test('no program throws or hangs', () => {
  const text = fc
    .array(program, { maxLength: 6 })
    .map((all) => `x = [1]\ny = 2\ndef f(y): return y\n${all.join('\n')}`);
  fc.assert(
    fc.property(text, (each) => {
      read(each);
    }),
    { numRuns: 200 * inject('runFactor') },
  );
});
