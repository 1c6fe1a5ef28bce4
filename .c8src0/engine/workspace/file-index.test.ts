import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../adapters/gather/clock-and-ids.ts';
import { FileIndex } from './file-index.ts';
import { nothingIgnored } from './ignore-rules.ts';
import { nodeWorkspaceDisk as disk } from './workspace-disk.ts';
import type { VisibleFiles } from './visible-files.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'index-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, ageHours = 1000): void {
  const file = join(root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  const time = Date.now() / 1000 - ageHours * 3600;
  utimesSync(file, time, time);
}

function open(clock = systemClock): FileIndex {
  return new FileIndex({ clock, ground: () => ({ root, disk, rules: nothingIgnored, excludes: () => false }) });
}

/** The last thing that a search found. */
async function found(index: FileIndex, typed: string, named?: ReadonlySet<string>): Promise<readonly string[]> {
  let paths: readonly string[] = [];
  await index.search({
    typed,
    limit: 10,
    signal: new AbortController().signal,
    found: ({ files }) => (paths = files.map(({ path }) => path)),
    ...(named && { named }),
  });
  return paths;
}

it('finds paths by letters; what was changed or named lately comes up', async () => {
  put('.git/calls.ts');
  put('.gitignore');
  writeFileSync(join(root, '.gitignore'), 'build/\n');
  put('build/calls.ts');
  put('a/calls.ts');
  put('b/calls.ts', 0.5);
  put('c/calls-law.ts', 0.5);
  const index = open();
  expect(await found(index, 'calls')).toEqual(['b/calls.ts', 'a/calls.ts', 'c/calls-law.ts']);
  expect(await found(index, 'calls', new Set(['a/calls.ts']))).toEqual(['a/calls.ts', 'b/calls.ts', 'c/calls-law.ts']);
  expect((await found(index, '')).slice(0, 3).toSorted()).toEqual(['.gitignore', 'b/calls.ts', 'c/calls-law.ts']);
});

it('looks again when what it knows is old, and serves it meanwhile', async () => {
  put('one.ts');
  let now = 0;
  const index = open({ ...systemClock, now: () => now });
  expect(await found(index, 'o')).toEqual(['one.ts']);
  put('other.ts');
  expect(await found(index, 'o')).toEqual(['one.ts']);
  now = 6000;
  const seen: number[] = [];
  await index.search({
    typed: 'o',
    limit: 10,
    signal: new AbortController().signal,
    found: ({ total }) => void seen.push(total),
  });
  expect(seen).toEqual([1, 2]);
});

it('looks again soon where nothing fits: the file may be new', async () => {
  put('one.ts');
  let now = 0;
  const slept: number[] = [];
  const sleep = async (milliseconds: number): Promise<void> => {
    slept.push(milliseconds);
    now += milliseconds;
  };
  const index = open({ now: () => now, sleep });
  expect(await found(index, 'o')).toEqual(['one.ts']);
  slept.length = 0;
  put('fresh.ts');
  now = 400;
  expect(await found(index, 'fresh')).toEqual(['fresh.ts']);
  expect(slept.filter((each) => each > 0)).toEqual([600]);
  expect(await found(index, 'nothing of the kind')).toEqual([]);
  now += 2000;
  put('later.ts');
  expect(await found(index, 'later')).toEqual(['later.ts']);
});

it('a search ends with the next letter, and the look goes on for it', async () => {
  for (let at = 0; at < 60; at++) put(`f${at}/file-${at}.ts`);
  const index = open();
  const over = new AbortController();
  const first = index.search({ typed: 'x', limit: 5, signal: over.signal, found: () => {} });
  over.abort();
  await first;
  expect(await found(index, 'file-59')).toEqual(['f59/file-59.ts']);
});

it('shows what is known of a large folder while it still looks', async () => {
  const folders = Array.from({ length: 40 }, (_, at) => `folder-${at}`);
  const files = Array.from({ length: 500 }, (_, at) => `file-${at}.ts`);
  const sight = { mode: 0, size: 0, modifiedAt: 0, changedAt: 0, number: 0 };
  const large: VisibleFiles['disk'] = {
    open(at) {
      const look = (name: string) => ({
        ...sight,
        kind: name.endsWith('.ts') ? ('file' as const) : ('folder' as const),
      });
      return {
        enter: (name) => large.open(`${at}/${name}`),
        names: () => (at === '/large' ? folders : files),
        look,
        glance: look,
        read: () => new Uint8Array(),
        readLink: () => '',
        close: () => undefined,
      };
    },
  };
  const ground = () => ({ root: '/large', disk: large, rules: nothingIgnored, excludes: () => false });
  const seen: { readonly total: number; readonly isPartial: boolean }[] = [];
  await new FileIndex({ clock: systemClock, ground }).search({
    typed: 'file',
    limit: 5,
    signal: new AbortController().signal,
    found: ({ total, isPartial }) => void seen.push({ total, isPartial }),
  });
  expect(seen.at(-1)).toEqual({ total: 20_000, isPartial: false });
  expect(seen.some(({ total, isPartial }) => total > 0 && isPartial)).toBe(true);
});
