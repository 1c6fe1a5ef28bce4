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
import { defined } from '../../base/objects.ts';
import { claimOneTimeNotice, nextTipIndex } from './one-time-notices.ts';

const one = { name: 'a', words: 'one', keeps: true };

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'capstan-said-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('the same words are said once in a home, other words again', () => {
  const said = (name: string, words?: string, keeps = true) =>
    claimOneTimeNotice(home, { name, ...defined({ words }), keeps });
  expect([said('a', 'one'), said('a', 'one'), said('b', 'one'), said('a', 'two'), said('a', 'two')]).toEqual([
    true,
    false,
    true,
    true,
    false,
  ]);
  expect(readdirSync(join(home, 'capstan/said')).toSorted()).toEqual(['a', 'b']);
  // Without words, whatever was said counts; and a run that keeps nothing learns what others have said.
  expect([said('a'), said('c', undefined, false), said('c'), said('c'), said('c', undefined, false)]).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});

test('a link is not followed, and where nothing can be kept everything is said', () => {
  claimOneTimeNotice(home, one);
  const other = join(home, 'other');
  writeFileSync(other, readFileSync(join(home, 'capstan/said/a')), { mode: 0o600 });
  rmSync(join(home, 'capstan/said/a'));
  symlinkSync(other, join(home, 'capstan/said/a'));
  expect(claimOneTimeNotice(home, one)).toBe(true);
  rmSync(join(home, 'capstan/said'), { recursive: true });
  mkdirSync(join(home, 'capstan/said'));
  chmodSync(join(home, 'capstan/said'), 0o777);
  expect([claimOneTimeNotice(home, one), claimOneTimeNotice(home, one)]).toEqual([true, true]);
});

test('one after the other is next, whatever stands in the file, and none where nothing can be kept', () => {
  const next = () => nextTipIndex(home, 'tip', 3);
  expect([next(), next(), next(), next()]).toEqual([0, 1, 2, 0]);
  for (const text of ['99', '-5', 'x', '', '1e9']) {
    writeFileSync(join(home, 'capstan/said/tip'), text, { mode: 0o600 });
    expect([0, 1, 2]).toContain(next());
  }
  chmodSync(join(home, 'capstan/said'), 0o777);
  expect(next()).toBeUndefined();
});
