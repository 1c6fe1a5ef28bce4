import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isFirstTime } from './first-time.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'capstan-said-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('the same words are said once in a home, other words again', () => {
  const said = (name: string, words: string) => isFirstTime(home, name, words);
  expect([said('a', 'one'), said('a', 'one'), said('b', 'one'), said('a', 'two'), said('a', 'two')]).toEqual([
    true,
    false,
    true,
    true,
    false,
  ]);
  expect(readdirSync(join(home, 'capstan/said')).toSorted()).toEqual(['a', 'b']);
});

test('another version says it again', () => {
  isFirstTime(home, 'a', 'one');
  writeFileSync(join(home, 'capstan/said/a'), '0.0.1 one', { mode: 0o600 });
  expect([isFirstTime(home, 'a', 'one'), isFirstTime(home, 'a', 'one')]).toEqual([true, false]);
});

test('a link is not followed, and where nothing can be kept everything is said', () => {
  isFirstTime(home, 'a', 'one');
  const other = join(home, 'other');
  writeFileSync(other, readFileSync(join(home, 'capstan/said/a')), { mode: 0o600 });
  rmSync(join(home, 'capstan/said/a'));
  symlinkSync(other, join(home, 'capstan/said/a'));
  expect(isFirstTime(home, 'a', 'one')).toBe(true);
  rmSync(join(home, 'capstan/said'), { recursive: true });
  mkdirSync(join(home, 'capstan/said'));
  chmodSync(join(home, 'capstan/said'), 0o777);
  expect([isFirstTime(home, 'a', 'one'), isFirstTime(home, 'a', 'one')]).toEqual([true, true]);
});
