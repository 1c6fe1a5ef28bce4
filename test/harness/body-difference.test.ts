import { expect, test } from 'vitest';
import { bodyDifference } from './body-difference.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');
const difference = (a: string, b: string): readonly unknown[] => {
  const { keys, commonBytes, endsIn } = bodyDifference(bytes(a), bytes(b));
  return [keys, bytes(a).subarray(0, commonBytes).toString('utf8'), endsIn];
};

test.each([
  ['equal bodies', '{"a":[1],"b":2}', '{"a":[1],"b":2}', [[], '{"a":[1],"b":2}', '']],
  ['a longer list', '{"a":[{"x":1}],"b":2}', '{"a":[{"x":1},{"x":2}],"b":2}', [['a'], '{"a":[{"x":1}', 'a[0]']],
  ['a list that was empty', '{"a":[],"b":2}', '{"a":[{}],"b":2}', [['a'], '{"a":[', 'a']],
  ['a text', '{"i":[0,{"t":"ab\\"c"}]}', '{"i":[0,{"t":"ab\\"d"}]}', [['i'], '{"i":[0,{"t":"ab\\"', 'i[1].t']],
  ['brackets in a text', '{"i":["{[\\\\","x"]}', '{"i":["{[\\\\","y"]}', [['i'], '{"i":["{[\\\\","', 'i[1]']],
  ['a number', '{"a":{"b":12}}', '{"a":{"b":13}}', [['a'], '{"a":{"b":1', 'a.b']],
  ['another key', '{"a":1,"b":2}', '{"a":1,"c":2}', [['b', 'c'], '{"a":1,"', '']],
  ['a key that goes away', '{"a":1,"b":2}', '{"a":1}', [['b'], '{"a":1', 'a']],
  ['another order alone', '{"a":1,"b":2}', '{"b":2,"a":1}', [[], '{"', '']],
  ['values that are no text', '{"a":true,"b":null}', '{"a":true,"b":false}', [['b'], '{"a":true,"b":', 'b']],
])('%s', (_, a, b, expected) => {
  expect(difference(a, b)).toEqual(expected);
});

test('bytes are counted, not characters', () => {
  expect(bodyDifference(bytes('{"a":"äx"}'), bytes('{"a":"äy"}'))).toEqual({
    keys: ['a'],
    commonBytes: 8,
    endsIn: 'a',
  });
});
