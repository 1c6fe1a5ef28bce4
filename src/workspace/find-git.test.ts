import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findGit } from './find-git.ts';
import { Pace } from './pace.ts';

test('a folder with more names than may be looked at is not listed whole, and is named', async () => {
  const root = mkdtempSync(join(tmpdir(), 'capstan-find-git-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'many'));
  for (let i = 0; i < 300; i++) writeFileSync(join(root, 'many', `${i}`), '');
  const pace = new Pace({ now: () => 0, sleep: async () => {} }, new AbortController().signal);
  const limits = { pace, mostEntries: 100, isLate: () => false };
  expect(await findGit({ roots: [root], denies: () => false }, limits)).toEqual({
    paths: [],
    repositories: [],
    missing: [],
    settings: [],
    unseen: [root],
  });
});
