import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyChanges } from '../tools/apply-patch/apply-changes.ts';
import { computePatch, noGuard } from '../tools/apply-patch/compute-patch.ts';
import { nodeDisk } from './node-patch-disk.ts';
import { parsePatch } from '../tools/apply-patch/parse-patch.ts';

let root: string;
const at = (name: string) => join(root, name);
const text = (name: string) => readFileSync(at(name), 'utf8');
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-disk-')));
  writeFileSync(at('f'), 'one\ntwo\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function apply(...lines: readonly string[]) {
  const parsed = parsePatch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  const disk = nodeDisk();
  const computed = computePatch(parsed.patch, { folder: root, disk, guard: noGuard });
  return computed.kind === 'computed' ? applyChanges(computed.changes, disk) : computed;
}

const applied = { kind: 'applied', leftBehind: [] };

describe('a file that is updated', () => {
  it('stays the same file: its other names see the change and its mode stays', () => {
    linkSync(at('f'), at('other'));
    chmodSync(at('f'), 0o750);
    const { ino } = statSync(at('f'));
    expect(apply('*** Update File: f', '-two', '+TWO', '+more')).toEqual(applied);
    expect(text('other')).toBe('one\nTWO\nmore\n');
    expect([statSync(at('f')).ino, statSync(at('f')).mode & 0o777]).toEqual([ino, 0o750]);
  });

  it('may be changed through two of its names', () => {
    linkSync(at('f'), at('other'));
    expect(apply('*** Update File: f', '-one', '+1', '*** Update File: other', '-two', '+2')).toEqual(applied);
    expect(text('f')).toBe('1\n2\n');
  });

  it('may be changed through a link, which stays', () => {
    symlinkSync('f', at('link'));
    expect(apply('*** Update File: link', '-one', '*** Update File: f', '-two', '+2')).toEqual(applied);
    expect(text('link')).toBe('2\n');
  });

  it('may get shorter', () => {
    expect(apply('*** Update File: f', '-one', '-two', '+1')).toEqual(applied);
    expect(text('f')).toBe('1\n');
  });
});

describe('a file that moves', () => {
  it('takes its mode along to a new name', () => {
    chmodSync(at('f'), 0o755);
    expect(apply('*** Update File: f', '*** Move to: bin/g')).toEqual(applied);
    expect(statSync(at('bin/g')).mode & 0o777).toBe(0o755);
    expect(readdirSync(root)).toEqual(['bin']);
  });

  it('is not lost when it moves onto itself', () => {
    symlinkSync('f', at('link'));
    expect(apply('*** Update File: f', '*** Move to: ./x/../f', '-one', '+1')).toEqual(applied);
    expect(apply('*** Update File: f', '*** Move to: link', '-two', '+2')).toEqual(applied);
    expect(text('f')).toBe('1\n2\n');
  });
});

describe('what is in the way', () => {
  it.each([
    [
      'a missing file',
      ['*** Update File: none', '-a'],
      'Failed to read file to update <root>/none: No such file or directory (ENOENT)',
    ],
    ['a folder to update', ['*** Update File: d', '-a'], 'Failed to read file to update <root>/d: it is not a file'],
    ['a folder to delete', ['*** Delete File: d'], 'Failed to delete file <root>/d: it is not a file'],
    [
      'a missing file to delete',
      ['*** Delete File: none'],
      'Failed to delete file <root>/none: No such file or directory (ENOENT)',
    ],
    ['a folder to write', ['*** Add File: d', '+a'], 'Failed to write file <root>/d: it is not a file'],
    ['a file for a folder', ['*** Add File: f/x', '+a'], 'Failed to write file <root>/f/x: Not a directory (ENOTDIR)'],
    [
      'links in a circle',
      ['*** Add File: loop', '+a'],
      'Failed to write file <root>/loop: Too many levels of symbolic links (ELOOP)',
    ],
    [
      'a link to a missing folder',
      ['*** Add File: astray', '+a'],
      'Failed to write file <root>/astray: No such file or directory (ENOENT)',
    ],
    ['a pipe', ['*** Add File: pipe', '+a'], 'Failed to write file <root>/pipe: it is not a file'],
    ['a pipe to read', ['*** Update File: pipe', '-a'], 'Failed to read file to update <root>/pipe: it is not a file'],
    [
      'an earlier hunk',
      ['*** Delete File: f', '*** Update File: f', '-one'],
      'Failed to read file to update <root>/f: No such file or directory (ENOENT)',
    ],
  ])('%s', (_, lines, message) => {
    mkdirSync(at('d'));
    symlinkSync('loop', at('loop'));
    symlinkSync('no/where', at('astray'));
    execFileSync('mkfifo', [at('pipe')]);
    expect(apply(...lines)).toMatchObject({ kind: 'unfit', message: message.replace('<root>', root) });
    expect(text('f')).toBe('one\ntwo\n');
  });

  it('is reported before anything is written', () => {
    expect(apply('*** Add File: new/x', '+a', '*** Update File: f', '-none')).toMatchObject({ kind: 'unfit' });
    expect(readdirSync(root)).toEqual(['f']);
  });

  it('is taken back when it only shows while writing', () => {
    mkdirSync(at('full'));
    const disk = nodeDisk();
    const failing = {
      ...disk,
      create: () => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
    };
    const parsed = parsePatch('*** Begin Patch\n*** Delete File: f\n*** Add File: new/deep/x\n+a\n*** End Patch');
    if (parsed.kind === 'problem') throw new Error(parsed.message);
    const computed = computePatch(parsed.patch, { folder: root, disk, guard: noGuard });
    if (computed.kind !== 'computed') throw new Error(computed.message);
    expect(applyChanges(computed.changes, failing)).toMatchObject({ kind: 'failed', left: [] });
    expect(readdirSync(root).toSorted()).toEqual(['f', 'full']);
  });
});

describe.runIf(process.platform === 'linux')('a folder that is swapped for a link meanwhile', () => {
  it('leads nowhere', () => {
    mkdirSync(at('d'));
    mkdirSync(at('outside'));
    writeFileSync(at('d/f'), 'inside\n');
    writeFileSync(at('outside/f'), 'outside\n');
    renameSync(at('d'), at('was'));
    symlinkSync('outside', at('d'));
    const disk = nodeDisk();
    const content = Buffer.from('x');
    for (const attempt of [
      () => disk.read(at('d/f')),
      () => disk.overwrite(at('d/f'), content),
      () => disk.create(at('d/new'), content, undefined),
      () => disk.remove(at('d/f')),
      () => disk.makeFolder(at('d/new')),
      () => disk.setAside(at('d/f')),
    ]) {
      expect(attempt).toThrow(/ENOTDIR|ELOOP|replaced/);
    }
    expect([readdirSync(at('outside')), text('outside/f')]).toEqual([['f'], 'outside\n']);
  });

  it('leads nowhere higher up either', () => {
    mkdirSync(at('a/b'), { recursive: true });
    mkdirSync(at('outside/b'), { recursive: true });
    renameSync(at('a'), at('was'));
    symlinkSync('outside', at('a'));
    expect(() => nodeDisk().create(at('a/b/new'), Buffer.from('x'), undefined)).toThrow('moved or replaced');
    expect(readdirSync(at('outside/b'))).toEqual([]);
  });

  it('is not followed at the end of a path', () => {
    writeFileSync(at('outside'), 'outside\n');
    symlinkSync('outside', at('link'));
    expect(() => nodeDisk().overwrite(at('link'), Buffer.from('x'))).toThrow('ELOOP');
    expect(() => nodeDisk().read(at('link'))).toThrow('ELOOP');
    expect(() => nodeDisk().create(at('link'), Buffer.from('x'), undefined)).toThrow('EEXIST');
    expect(text('outside')).toBe('outside\n');
  });
});
