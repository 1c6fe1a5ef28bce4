import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeSeals, sealKeyPath } from './home-seals.ts';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'capstan-seals-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A key that another program put there. */
function placed(bytes: Uint8Array, mode = 0o600): string {
  mkdirSync(join(home, 'capstan'));
  writeFileSync(sealKeyPath(home), bytes, { mode });
  chmodSync(sealKeyPath(home), mode);
  return sealKeyPath(home);
}

describe('the key of a home', () => {
  test('is made for the first seal, readable by the user alone, and leaves nothing beside it', () => {
    const seal = homeSeals(home).seal('claim');
    expect(seal).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(readdirSync(join(home, 'capstan'))).toEqual(['key']);
    const { mode, size } = statSync(sealKeyPath(home));
    expect([mode & 0o777, size]).toEqual([0o600, 32]);
    // Another process has the same one.
    expect(homeSeals(home).holds('claim', seal!)).toBe(true);
    expect(homeSeals(home).holds('another claim', seal!)).toBe(false);
    expect(homeSeals(home).seal('claim')).toBe(seal);
  });

  test('is not made by a reader', () => {
    expect(homeSeals(home).holds('claim', 'AAAAAAAAAAAAAAAAAAAAAA')).toBe(false);
    expect(existsSync(join(home, 'capstan'))).toBe(false);
  });

  test('of another home holds nothing here', () => {
    const other = mkdtempSync(join(tmpdir(), 'capstan-seals-'));
    try {
      expect(homeSeals(home).holds('claim', homeSeals(other).seal('claim')!)).toBe(false);
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  test.each([
    ['that others may read', () => placed(Buffer.alloc(32, 7), 0o644), 'other users can read it'],
    ['that is too short', () => placed(Buffer.alloc(31)), 'it is not a key'],
    ['that is a folder', () => mkdirSync(sealKeyPath(home), { recursive: true }), 'it is not a key'],
    [
      'that is a link',
      () => {
        writeFileSync(join(home, 'elsewhere'), Buffer.alloc(32, 7), { mode: 0o600 });
        mkdirSync(join(home, 'capstan'));
        symlinkSync(join(home, 'elsewhere'), sealKeyPath(home));
      },
      'it is a link',
    ],
  ])('%s is used for nothing and left as it is', (_, place, why) => {
    place();
    const seals = homeSeals(home);
    expect(seals.problem()).toContain(why);
    expect(seals.seal('claim')).toBeUndefined();
    expect(seals.holds('claim', '')).toBe(false);
    expect(seals.problem()).toContain(why);
    expect(readdirSync(join(home, 'capstan'))).toEqual(['key']);
  });

  test('is no link to a file that an attacker wants written', () => {
    mkdirSync(join(home, 'capstan'));
    symlinkSync(join(home, 'target'), sealKeyPath(home));
    expect(homeSeals(home).seal('claim')).toBeUndefined();
    expect(existsSync(join(home, 'target'))).toBe(false);
  });

  test('that cannot be kept is done without', () => {
    writeFileSync(join(home, 'capstan'), 'a file');
    const seals = homeSeals(home);
    expect(seals.seal('claim')).toBeUndefined();
    expect(seals.problem()).toContain('key');
    expect(readFileSync(join(home, 'capstan'), 'utf8')).toBe('a file');
  });
});
