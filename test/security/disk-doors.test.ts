/** Names that an attacker can reach: the doors of `src/adapters/disk/` neither wait for such files nor take them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../../src/adapters/disk/own-files.ts';
import { readUpTo, withRegularFile } from '../../src/adapters/disk/regular-files.ts';

const base = mkdtempSync(join(tmpdir(), 'capstan-doors-'));
const at = (name: string): string => join(base, name);
const read = (name: string, links: 'followed' | 'refused'): string =>
  withRegularFile(at(name), { links }, (file, { size }) => readUpTo(file, { most: 100, expected: size }).toString());

beforeAll(() => {
  writeFileSync(at('file'), 'text', { mode: 0o600 });
  symlinkSync('file', at('link'));
  mkdirSync(at('folder'));
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/zero', at('device'));
  symlinkSync('pipe', at('link-to-pipe'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('the door to a regular file', () => {
  it('opens a file, and a link where links are followed', () => {
    expect([read('file', 'refused'), read('file', 'followed'), read('link', 'followed')]).toEqual(
      Array(3).fill('text'),
    );
  });

  it('refuses a link where links are refused', () => {
    expect(() => read('link', 'refused')).toThrow(/ELOOP/);
  });

  it.each([
    ['a pipe that no process writes to', 'pipe'],
    ['a link to such a pipe', 'link-to-pipe'],
    ['an endless device', 'device'],
    ['a folder', 'folder'],
  ])('does not wait for %s, and does not take it', (_, name) => {
    expect(() => read(name, 'followed')).toThrow('it is not a file');
  });

  it('does not make what a link leads to', () => {
    symlinkSync('made', at('link-to-nothing'));
    const flags = 0o1 | 0o100;
    const make = () =>
      withRegularFile(at('link-to-nothing'), { links: 'refused', flags, mode: 0o600 }, () => undefined);
    expect(make).toThrow(/ELOOP/);
    expect(() => readFileSync(at('made'))).toThrow(/ENOENT/);
  });
});

describe('a file of the engine itself', () => {
  const options = { maxBytes: 10, toOthers: 'readable' } as const;

  it('is read when it is ours, and not when others may write to it, it is too long, or a link', () => {
    writeOwnFile(at('own'), at('own.tmp'), 'own');
    expect(readOwnFile(at('own'), options)?.bytes.toString()).toBe('own');
    chmodSync(at('own'), 0o644);
    expect(readOwnFile(at('own'), options)?.bytes.toString()).toBe('own');
    expect(readOwnFile(at('own'), { ...options, toOthers: 'closed' })).toBeUndefined();
    chmodSync(at('own'), 0o620);
    expect(readOwnFile(at('own'), options)).toBeUndefined();
    writeOwnFile(at('long'), at('own.tmp'), 'eleven bytes');
    expect([readOwnFile(at('long'), options), readOwnFile(at('link'), options)]).toEqual([undefined, undefined]);
  });

  it('is not written through a link that waits at its temporary name', () => {
    writeFileSync(at('target'), 'before');
    symlinkSync('target', at('planted.tmp'));
    writeOwnFile(at('planted'), at('planted.tmp'), 'after');
    expect([readFileSync(at('target'), 'utf8'), readFileSync(at('planted'), 'utf8')]).toEqual(['before', 'after']);
  });

  it('stands in a folder that is ours, and never behind a link', () => {
    expect(makeOwnFolder(at('a/b'), 'closed')).toBe(true);
    chmodSync(at('a/b'), 0o755);
    expect([makeOwnFolder(at('a/b'), 'closed'), makeOwnFolder(at('a/b'), 'readable')]).toEqual([false, true]);
    chmodSync(at('a/b'), 0o777);
    symlinkSync('a', at('linked'));
    expect([makeOwnFolder(at('a/b'), 'readable'), makeOwnFolder(at('linked'), 'readable')]).toEqual([false, false]);
  });

  it.skipIf(process.getuid?.() !== 0)('is not taken from another user (needs root to make one)', () => {
    writeOwnFile(at('theirs'), at('own.tmp'), 'theirs');
    execFileSync('chown', ['65534', at('theirs')]);
    expect(readOwnFile(at('theirs'), options)).toBeUndefined();
  });
});
