import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findGitDirectory } from './repository.ts';
import { readGitlinks } from './submodules.ts';

let repo = '';
beforeEach(() => {
  repo = mkdtempSync(join(tmpdir(), 'capstan-index-'));
});
afterEach(() => rmSync(repo, { recursive: true, force: true }));

function git(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', words, { cwd: repo, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const links = ['a/sub', 'a/sub-2', 'sub', `${'long'.repeat(60)}/x`, 'with space', 'ünlike'];

/** Files before, between and behind the links, and one that only looks like one by its size. */
function fill(id: string): void {
  for (const [at, name] of ['a/file', 'a/subs', 'link', 'with', 'zz'].entries()) {
    mkdirSync(join(repo, name, '..'), { recursive: true });
    writeFileSync(join(repo, name), at === 0 ? Buffer.alloc(0xe000) : name);
  }
  git('add', '.');
  for (const link of links) git('update-index', '--add', '--cacheinfo', `160000,${id},${link}`);
}

const found = (): readonly string[] | undefined => readGitlinks(findGitDirectory(repo)!)?.toSorted();

test.each<[string, readonly string[], number, () => void]>([
  ['version 2', [], 20, () => git('update-index', '--index-version', '2')],
  ['version 3', [], 20, () => git('update-index', '--skip-worktree', 'zz')],
  ['version 4', [], 20, () => git('update-index', '--index-version', '4')],
  [
    'the version 4 of a repository with longer names',
    ['--object-format=sha256'],
    32,
    () => {
      git('update-index', '--index-version', '4');
    },
  ],
  ['a repository with longer names', ['--object-format=sha256'], 32, () => {}],
  ['a split index', [], 20, () => git('update-index', '--split-index')],
])('the repositories in an index are found: %s', (_name, options, bytes, prepare) => {
  git('init', '-q', ...options, '.');
  fill('1'.repeat(bytes * 2));
  prepare();
  expect(found()).toEqual(links.toSorted());
});

test('an index of which one entry became a repository since it was split is not known', () => {
  git('init', '-q', '.');
  fill('1'.repeat(40));
  git('update-index', '--split-index');
  git('update-index', '--cacheinfo', `160000,${'2'.repeat(40)},zz`);
  const now = found();
  expect(now === undefined || now.includes('zz')).toBe(true);
});

test('a repository without an index, and one without links, has none', () => {
  git('init', '-q', '.');
  expect(found()).toEqual([]);
  writeFileSync(join(repo, 'link'), '');
  git('add', '.');
  expect(found()).toEqual([]);
});

test('an index that is cut, or is something else, is not known', () => {
  git('init', '-q', '.');
  fill('1'.repeat(40));
  const index = join(repo, '.git/index');
  const whole = readFileSync(index);
  for (const part of [whole.subarray(0, 400), Buffer.concat([Buffer.from('XXXX'), whole.subarray(4)])]) {
    writeFileSync(index, part);
    expect(found()).toBeUndefined();
  }
});
