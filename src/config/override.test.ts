import { expect, test } from 'vitest';
import { overrideValues, splitOverride } from './override.ts';

test.each(['model', '=x', '  =x', 'a..b=1', 'a b=1', '""=1', '.a=1'])('"%s" is refused with a next step', (text) => {
  expect(splitOverride(text)).toMatchObject({
    code: 'override-malformed',
    severity: 'error',
    next: expect.any(String),
  });
});

test('overrides become one table; of two for the same key the later wins', () => {
  expect(
    overrideValues([
      { path: ['model'], value: 'a' },
      { path: ['t', 'x'], value: 1 },
      { path: ['t', 'y'], value: 2 },
      { path: ['model'], value: 'b' },
    ]),
  ).toEqual({ model: 'b', t: { x: 1, y: 2 } });
});

test('a key named after the prototype stays an ordinary key', () => {
  const values = overrideValues([{ path: ['__proto__', 'polluted'], value: true }]);
  expect(Object.keys(values)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
