import { expect, test } from 'vitest';
import { notPlain, plainCopy } from './objects.ts';

test('plain data is copied, and what is done to it afterwards does not count', () => {
  const given = { mode: 'read-only', list: [1, { deep: true }], none: null, absent: undefined };
  const copy = plainCopy(given);
  given.mode = 'changed';
  (given.list[1] as { deep: boolean }).deep = false;
  expect(copy).toEqual({ mode: 'read-only', list: [1, { deep: true }], none: null, absent: undefined });
});

test('a proxy is read once', () => {
  const target = { mode: 'read-only' };
  const copy = plainCopy(new Proxy(target, {}));
  target.mode = 'changed';
  expect(copy).toEqual({ mode: 'read-only' });
});

class Change {
  get mode(): string {
    return 'read-only';
  }
}

const endless: Record<string, unknown> = {};
endless['self'] = endless;
const throwing = Object.defineProperty({}, 'mode', {
  enumerable: true,
  get() {
    throw new Error('no');
  },
});

test.each<readonly [string, unknown]>([
  ['a map', new Map([['mode', 'read-only']])],
  ['an instance of a class', new Change()],
  ['what inherits its members', Object.create({ mode: 'read-only' })],
  ['a date', new Date(0)],
  ['a function', () => {}],
  ['a function inside', { on: () => {} }],
  ['a big number', { size: 1n }],
  ['data without an end', endless],
  ['a member that throws', throwing],
])('%s is no plain data', (_, value) => {
  expect(plainCopy(value)).toBe(notPlain);
});

test('a member called __proto__ stays a member', () => {
  const given: unknown = JSON.parse('{"__proto__":{"mode":"x"}}');
  expect(JSON.stringify(plainCopy(given))).toBe('{"__proto__":{"mode":"x"}}');
});
