import { expect, test } from 'vitest';
import { sealsWithKey } from './home-seals.ts';

const key = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill);

test('what one engine seals holds for every engine with the same key, and for no other', () => {
  const seal = sealsWithKey(key(1)).seal('claim')!;
  expect(seal).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(sealsWithKey(key(1)).holds('claim', seal)).toBe(true);
  expect(sealsWithKey(key(1)).holds('another claim', seal)).toBe(false);
  expect(sealsWithKey(key(2)).holds('claim', seal)).toBe(false);
});

test('a program that overwrites its key does not change the seals', () => {
  const given = key(1);
  const seals = sealsWithKey(given);
  given.fill(0);
  expect(seals.holds('claim', sealsWithKey(key(1)).seal('claim')!)).toBe(true);
});

test('a short key is refused', () => {
  expect(() => sealsWithKey(key(1, 31))).toThrow('31 bytes');
});
