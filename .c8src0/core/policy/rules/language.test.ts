import { describe, expect, test } from 'vitest';
import { runRulesFile } from './rules-file.ts';

/** The value of an expression, as `str` writes it; a fault as its line and message. */
function value(expression: string, before = ''): string {
  const read = runRulesFile(`${before}\nprefix_rule(["a"], justification="=" + str(${expression}))`, {
    file: 'x.rules',
  });
  return read.kind === 'read' ? (read.rules.prefixes[0]?.justification ?? '').slice(1) : `! ${read.message}`;
}

function fault(text: string): string {
  const read = runRulesFile(text, { file: 'x.rules' });
  return read.kind === 'read' ? 'none' : `${read.line}: ${read.message}`;
}

describe('expressions', () => {
  test.each([
    ['1 + 2 * 3 - 4 // 3', '6'],
    ['-7 // 2', '-4'],
    ['-7 % 3', '2'],
    ['7 % -3', '-2'],
    ['0x10 + 0o10 + 0b11', '27'],
    ['"a" + \'b\' + """c\nd""" + r"\\n"', 'abc\nd\\n'],
    ['"\\x41\\u00e9\\101\\t\\q\\\n."', 'AéA\t\\q.'],
    ['"%s %r %d %x %X %o %%" % ("a", "a", 10, 255, 255, 8)', 'a "a" 10 ff FF 10 %'],
    ['"%s" % [1]', '[1]'],
    ['f"{y}-{y!r}-{1 + 1}-{{}}"', 'Y-"Y"-2-{}'],
    ['"ab" * 2 + 2 * "c"', 'ababcc'],
    ['[1] * 2 + [3]', '[1, 1, 3]'],
    ['(1,) + ()', '(1,)'],
    ['{"a": [1], 2: None, (1, 2): True}', '{"a": [1], 2: None, (1, 2): True}'],
    ['["\\n\\"é\\u200b😀"]', '["\\n\\"\\xe9\\u200b\\U0001f600"]'],
    ['1 in [1] and "b" not in "abc"', 'False'],
    ['not 1 in [2]', 'True'],
    ['[] or "x"', 'x'],
    ['0 and 1 // 0', '0'],
    ['1 if [] else 2 if 0 else 3', '3'],
    ['1 == True', 'False'],
    ['[1, "a"] == [1, "a"]', 'True'],
    ['(1, 2) < (1, 3)', 'True'],
    ['{1: 2} == {1: 2}', 'True'],
    ['"abc"[-1] + "😀b"[1]', 'cb'],
    ['[1, 2, 3][::-1]', '[3, 2, 1]'],
    ['"abcd"[1:3] + "abcd"[5:]', 'bc'],
    ['(1, 2, 3)[-2:]', '(2, 3)'],
    ['{"a": 1}["a"]', '1'],
    ['range(1, 7, 2)', 'range(1, 7, 2)'],
    ['[x for x in range(5, 0, -2)]', '[5, 3, 1]'],
    ['[x + z for x, z in [(1, 2)] if x]', '[3]'],
    ['{k: v for k in [1, 2] for v in [3] if k > 1}', '{2: 3}'],
    ['len("héé") + len([1]) + len({}) + len(range(3))', '7'],
    ['(lambda x, z=1: x + z)(1)', '2'],
    ['[[y for y in [x]] for x in [1]]', '[[1]]'],
  ])('%s', (expression, expected) => {
    expect(value(expression, 'y = "Y"')).toBe(expected);
  });

  test.each([
    ['"a" + 1', '! `+` does not work with a string and a number.'],
    ['1 < "a"', '! A number and a string cannot be compared.'],
    ['1 // 0', '! A number is divided by zero.'],
    ['[1][1]', '! There is no member 1.'],
    ['{}["a"]', '! The dict has no "a".'],
    ['{[1]: 2}', '! A list cannot be a key.'],
    ['{1: 2, 1: 3}', '! The key 1 appears twice.'],
    ['[x for x in "ab"]', '! A string has no members.'],
    ['1 < 2 < 3', '! Comparisons cannot be chained.'],
    ['"%s %s" % 1', '! The format needs more values.'],
    ['"%s" % (1, 2)', '! There are more values than the format needs.'],
    ['"%z" % 1', '! `%z` is not known in a format.'],
    ['9007199254740991 + 1', '! A number is too large.'],
    ['1.5', '! "1" cannot be used here.'],
    ['"A".lower()', '! "." cannot be used here.'],
    ['"\\x4"', '! An escape in a string names no character.'],
    ['"\\ud800"', '! An escape in a string names no character.'],
    ['f"{1"', '! A brace has no partner.'],
    ['1()', '! This is not a function.'],
    ['nothing', '! `nothing` is not defined.'],
  ])('%s is refused', (expression, expected) => {
    expect(value(expression)).toBe(expected);
  });
});

describe('statements', () => {
  test('loops, conditions, functions and names work as in Starlark', () => {
    const text = `
found = []
def add(word, *, times=1): pass
`;
    expect(fault(text)).toBe('3: Unexpected: `*`.');
    const program = `
found = []
def add(word, times=1):
  # found is the file's list
  for i in range(times):
    if i == 2:
      break
    elif i == 1: continue
    else:
      more = [word + str(i)]
    grow(more)
  return len(found)
def grow(more):
  if not more: return
  for each in more:
    found[len(found) - 1] += each
found += [""]; count = add("x", times=5)
a, [b, c] = 1, (2, 3)
table = {}
table["k"] = a + b + c
table["k"] *= 2
same = found
same += ["!"]
`;
    expect(value('[found, count, table]', program)).toBe('[["x0", "!"], 1, {"k": 12}]');
  });

  test('a function sees names that get their value later, and its own names hide others', () => {
    const program = 'def f():\n  def g(): return late\n  x = g()\n  return x\nx = 1\nlate = 2';
    expect(value('[f(), x]', program)).toBe('[2, 1]');
    expect(fault('def f():\n  y = x\n  x = 1\nx = 2\nf()')).toBe('2: `x` has no value yet.');
  });

  test.each([
    ['a line that goes on', 'x = (1\n  + 2) \\\n  + 3\nprefix_rule(["a"], match=["b"])', 4],
    ['strings over several lines', 'x = """\n\n"""\nprefix_rule(["a"],\n  match=["b"])', 4],
    ['the carriage returns of another system', '\r\n\r\nprefix_rule(["a"], match=["b"])\r\n', 3],
    ['a call in a function', 'def f():\n  prefix_rule(["a"], match=["b"])\n\nf()', 2],
  ])('%s keeps the count of lines', (_, text, line) => {
    expect(runRulesFile(text, { file: 'x.rules' })).toMatchObject({ kind: 'problem', line });
  });

  test.each([
    ['while True:\n  pass', '1: Rules have no `while`.'],
    ['load("x", "y")', '1: Rules have no `load`.'],
    ['print("x")', '1: `print` is not defined.'],
    ['if False:\n  forbid("rm")', '2: `forbid` is not defined.'],
    ['if True:\n\tpass', '2: Tabs are not allowed.'],
    ['if True:\n    pass\n  pass', '3: The indentation matches no block.'],
    ['  pass', '1: Unexpected: an indent.'],
    ['def f():\npass', '2: Unexpected: `pass`.'],
    ['return 1', '1: There is no function to return from here.'],
    ['break', '1: There is no loop to leave here.'],
    ['for x in [1]:\n  def f():\n    break', '3: There is no loop to leave here.'],
    ['x = y = 1', '1: Unexpected: `=`.'],
    ['1 = 2', '1: Only a name can be given a value.'],
    ['x = [1', '1: Unexpected: the end of the line.'],
    ['x = "a', '1: A string is not closed.'],
    ['x = 1,', '1: Unexpected: the end of the line.'],
    ['x = 01', '1: 01 is not a valid number.'],
    ['def f(a, a): pass', '1: Two parameters are called `a`.'],
    ['def f(a=1, b): pass', '1: `b` needs a default, as the parameter before it.'],
    ['def f(a): pass\nf(b=1)', '2: `f` takes no `b`.'],
    ['def f(a): pass\nf(1, a=1)', '2: `a` is given twice.'],
    ['def f(a): pass\nf(a=1, 2)', '2: A value without a name follows one with a name.'],
    ['def f(a): pass\nf()', '2: `f` needs `a`.'],
    ['def f(): pass\nf(1)', '2: `f` takes 0 values, not 1.'],
    ['a, b = [1]', '1: 1 values do not fit 2 names.'],
    ['l = [1]\nfor x in l: l += [x]', '2: This list cannot be changed while a loop goes through it.'],
    ['d = {1: 1}\nfor x in d: d[2] = 1', '2: This dict cannot be changed while a loop goes through it.'],
  ])('%j', (text, expected) => {
    expect(fault(text)).toBe(expected);
  });
});
