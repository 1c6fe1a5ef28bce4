import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findGitFolders } from './find-git-folders.ts';
import { TimeSlicer } from './yield-to-event-loop.ts';

test('a folder with more names than may be looked at is not listed whole, and is named', async () => {
  const root = mkdtempSync(join(tmpdir(), 'capstan-find-git-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'many'));
  for (let i = 0; i < 300; i++) writeFileSync(join(root, 'many', `${i}`), '');
  const pace = new TimeSlicer({ now: () => 0, sleep: async () => {} }, new AbortController().signal);
  const limits = { pace, mostEntries: 100, isLate: () => false };
  expect(await findGitFolders({ roots: [root], denies: () => false }, limits)).toEqual({
    paths: [],
    repositories: [],
    missing: [],
    settings: [],
    unseen: [root],
  });
});

const name = 'd'.repeat(200);

/** Deeper than any absolute path: each step is a relative one. */
function digDown(root: string, steps: number): void {
  const script = `for i in $(seq ${steps}); do mkdir ${name} && cd ${name} || exit 1; done; mkdir .git; touch .git/HEAD`;
  expect(spawnSync('bash', ['-c', script], { cwd: root }).status).toBe(0);
}

test.each([
  ['walked', undefined],
  ['seen by a snapshot', { folders: [Array(20).fill(name).join('/')], bare: [], notEntered: [] }],
])('a folder with a path that is too long is named as unseen when it is %s', async (_name, git) => {
  const root = mkdtempSync(join(tmpdir(), 'capstan-find-git-'));
  onTestFinished(() => void spawnSync('rm', ['-rf', root]));
  digDown(root, git === undefined ? 24 : 20);
  const pace = new TimeSlicer({ now: () => 0, sleep: async () => {} }, new AbortController().signal);
  const limits = { pace, mostEntries: 100, isLate: () => false };
  const seen = git && { root, git };
  const found = await findGitFolders({ roots: [root], denies: () => false, ...(seen && { seen }) }, limits);
  expect(found.paths).toEqual([]);
  expect(found.unseen).toEqual([expect.stringMatching(/^\/.{3900,4300}$/)]);
});

test('a folder that cannot be listed is named as unseen, and one that is gone is not', async () => {
  const root = mkdtempSync(join(tmpdir(), 'capstan-find-git-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  symlinkSync('endless', join(root, 'endless'));
  const pace = new TimeSlicer({ now: () => 0, sleep: async () => {} }, new AbortController().signal);
  const seen = { root, git: { folders: [], bare: [], notEntered: ['endless', 'gone'] } };
  const limits = { pace, mostEntries: 100, isLate: () => false };
  const found = await findGitFolders({ roots: [root], denies: () => false, seen }, limits);
  expect(found.unseen).toEqual([join(root, 'endless')]);
});

test('a folder that only looks like a bare repository hides none below it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'capstan-find-git-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['objects', 'refs', 'lib/.git']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['HEAD', 'lib/.git/HEAD']) writeFileSync(join(root, file), 'ref: refs/heads/x\n');
  const pace = new TimeSlicer({ now: () => 0, sleep: async () => {} }, new AbortController().signal);
  const limits = { pace, mostEntries: 100, isLate: () => false };
  const found = await findGitFolders({ roots: [root], denies: () => false }, limits);
  expect(found.repositories.toSorted()).toEqual([root, join(root, 'lib')]);
  expect(found.paths).toEqual([join(root, 'lib/.git')]);
});

test('git takes a folder for a repository whose commondir leads elsewhere, unless that is a folder to mount on', async () => {
  const root = mkdtempSync(join(tmpdir(), 'capstan-find-git-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['elsewhere', 'guarded/commondir', 'guarded/objects', 'guarded/refs'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['elsewhere/HEAD', 'guarded/HEAD']) writeFileSync(join(root, file), 'ref: refs/heads/x\n');
  writeFileSync(join(root, 'elsewhere/commondir'), '/tmp/evil\n');
  const pace = new TimeSlicer({ now: () => 0, sleep: async () => {} }, new AbortController().signal);
  const limits = { pace, mostEntries: 100, isLate: () => false };
  const found = await findGitFolders({ roots: [root], denies: () => false }, limits);
  expect(found.repositories).toEqual([join(root, 'elsewhere')]);
});
