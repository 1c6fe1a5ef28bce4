import { expect, test } from 'vitest';
import { tomlValueSpan } from './write-toml.ts';

test.each([
  ['a = 1', 0, ''],
  ['a = "x # y"  # why', 0, '  # why'],
  ["a = 'x # y'# why", 0, '# why'],
  ['a = [\n  "x", # one\n  "]",\n] # all\nb = 1', 3, ' # all'],
  ['a = { b = [1, 2] } # all\nc = 1', 0, ' # all'],
  ['a = """\n# no\n""" # yes\nb = 1', 2, ' # yes'],
  ['a = "left open\nb = 1', 0, ''],
])('%j', (text, last, comment) => {
  expect(tomlValueSpan(text.split('\n'), 0)).toEqual({ last, comment });
});
