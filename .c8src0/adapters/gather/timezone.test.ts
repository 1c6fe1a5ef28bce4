import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findTimezone, timeFactsAt, type TimezoneFiles } from './turn-facts.ts';

let folder: string;
let files: TimezoneFiles;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-zone-'));
  files = {
    localtime: join(folder, 'etc/localtime'),
    timezone: join(folder, 'etc/timezone'),
    zoneFolder: join(folder, 'zoneinfo'),
  };
  mkdirSync(join(folder, 'etc'));
  mkdirSync(join(files.zoneFolder, 'Europe'), { recursive: true });
  writeFileSync(join(files.zoneFolder, 'Europe/Oslo'), 'rules of Oslo');
  writeFileSync(join(files.zoneFolder, 'Europe/Riga'), 'rules of Riga');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

test.each([
  ['Europe/Oslo', 'Europe/Oslo'],
  [':Europe/Oslo', 'Europe/Oslo'],
  ['posix/Europe/Oslo', 'Europe/Oslo'],
  ['', 'Etc/UTC'],
  ['Europe/Nowhere', undefined],
  ['CET-1CEST', undefined],
  ['Europe/../Europe/Oslo', undefined],
  ['/etc/localtime', undefined],
])('the variable %j means %s', (variable, expected) => {
  symlinkSync(join(files.zoneFolder, 'Europe/Riga'), files.localtime);
  expect(findTimezone({ TZ: variable }, files)).toBe(expected);
});

test('the link of the system, also a relative one', () => {
  symlinkSync('../zoneinfo/Europe/Oslo', files.localtime);
  expect(findTimezone({}, files)).toBe('Europe/Oslo');
});

test('a link that leads nowhere, or none at all, is UTC', () => {
  expect(findTimezone({}, files)).toBe('Etc/UTC');
  symlinkSync('/zoneinfo/Europe/Gone', files.localtime);
  expect(findTimezone({}, files)).toBe('Etc/UTC');
});

test('a copy goes by the name beside it, if that is the zone that was copied', () => {
  copyFileSync(join(files.zoneFolder, 'Europe/Oslo'), files.localtime);
  expect(findTimezone({}, files)).toBeUndefined();
  writeFileSync(files.timezone, 'Europe/Oslo\n');
  expect(findTimezone({}, files)).toBe('Europe/Oslo');
  writeFileSync(files.timezone, 'Europe/Riga\n');
  expect(findTimezone({}, files)).toBeUndefined();
});

test('a system without such files leaves it to others', () => {
  expect(findTimezone({}, { ...files, localtime: join(folder, 'nothing/localtime') })).toBeUndefined();
});

test.each([
  ['America/New_York', '2026-11-14', 'America/New_York'],
  ['Asia/Tokyo', '2026-11-15', 'Asia/Tokyo'],
  ['', '2026-11-15', 'Etc/UTC'],
  ['Not/A/Zone', '2026-11-15', 'Etc/UTC'],
])('in %j the moment falls on %s', (zone, date, timezone) => {
  vi.stubEnv('TZ', zone);
  const epochMs = Date.UTC(2026, 10, 15, 1, 30);
  expect(timeFactsAt(epochMs, { TZ: zone })).toEqual({ epochMs, date, timezone });
});
