import { expect, test } from 'vitest';
import { expandPrompt } from './prompts-and-skills.ts';

test.each([
  ['Look at $1 and $2.', 'a.ts "b c"', 'Look at a.ts and b c.'],
  ['All: $ARGUMENTS', 'a  "b c"', 'All: a  "b c"'],
  ['$1 of $9 costs $$5.', 'one', 'one of  costs $5.'],
  ['Fix $FILE for $WHO.', 'WHO="Ann Lee" FILE=a=b.ts', 'Fix a=b.ts for Ann Lee.'],
  ['$lower and $0 stay.', 'x', '$lower and $0 stay.'],
  // Inserted text is not expanded again.
  ['$1', '$ARGUMENTS', '$ARGUMENTS'],
])('%s with %s', (text, rest, expanded) => {
  expect(expandPrompt(text, rest)).toEqual({ kind: 'expanded', text: expanded });
});

test('names without a value are missing, and odd lists are refused', () => {
  expect(expandPrompt('$A $B $A', 'A=1')).toEqual({ kind: 'missing', names: ['B'] });
  expect(expandPrompt('$A', 'word')).toMatchObject({ kind: 'odd' });
  expect(expandPrompt('$1', '"open')).toMatchObject({ kind: 'odd' });
});
