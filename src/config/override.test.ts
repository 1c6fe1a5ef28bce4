import { expect, test } from 'vitest';
import type { Json } from '../protocol/json.ts';
import { overrideValues, parseOverride } from './override.ts';

test.each<[string, readonly string[], Json]>([
  ['model=gpt-5.5', ['model'], 'gpt-5.5'],
  ['model="gpt-5.5"', ['model'], 'gpt-5.5'],
  [" model = 'x' ", ['model'], 'x'],
  ['a.b.c=1', ['a', 'b', 'c'], 1],
  ['sandbox_workspace_write.network_access=true', ['sandbox_workspace_write', 'network_access'], true],
  ['projects."/a/b.c".trust_level=trusted', ['projects', '/a/b.c', 'trust_level'], 'trusted'],
  ['url=https://host/?a=b', ['url'], 'https://host/?a=b'],
  ['roots=["/a", "/b"]', ['roots'], ['/a', '/b']],
  ['set={ A = "1" }', ['set'], { A: '1' }],
  ['text="half', ['text'], 'half'],
  ['text=', ['text'], ''],
])('%s', (text, path, value) => {
  expect(parseOverride(text)).toEqual({ path, value });
});

test.each(['model', '=x', '  =x', 'a..b=1', 'a b=1', '""=1', '.a=1'])('"%s" is refused with a next step', (text) => {
  expect(parseOverride(text)).toMatchObject({
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
