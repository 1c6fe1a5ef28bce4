import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bundledCatalogue } from './catalogue.ts';
import { gatherFacts } from './facts.ts';
import { findPlaces } from './places.ts';
import { findShell } from './shell.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-facts-')));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

function program(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

test('all facts together', async () => {
  vi.stubEnv('TZ', '');
  const client = { name: 'test', version: '1', source: 'exec' };
  const clock = { now: () => Date.UTC(2026, 10, 15, 12), sleep: async () => {} };
  const shell = program('zsh');
  const env = { TZ: '', SHELL: shell, TMPDIR: folder };
  expect(
    await gatherFacts({ clock, env, cwd: folder, client, trust: 'trusted', catalogue: bundledCatalogue() }),
  ).toEqual({
    time: { epochMs: clock.now(), date: '2026-11-15', timezone: 'Etc/UTC' },
    shell: { name: 'zsh', path: shell },
    places: {
      cwd: folder,
      workspaceRoots: [folder],
      temporaryDirectory: folder,
      slashTmp: true,
      gitDirectories: [],
      gitNames: ['HEAD'],
    },
    trust: 'trusted',
    catalogue: bundledCatalogue(),
    client,
  });
});

test('another shell than these, a relative one or one that cannot run is not taken', () => {
  const fallback = findShell({});
  expect(fallback.path).toMatch(/^\/bin\/(bash|sh)$/);
  writeFileSync(join(folder, 'bash'), 'not a program');
  expect(findShell({ SHELL: program('fish') })).toEqual(fallback);
  expect(findShell({ SHELL: 'zsh' })).toEqual(fallback);
  expect(findShell({ SHELL: join(folder, 'bash') })).toEqual(fallback);
  expect(findShell({ SHELL: join(folder, 'sh') })).toEqual(fallback);
});

test.each([undefined, '', 'relative/tmp'])('TMPDIR %j names no folder', (temporary) => {
  expect(findPlaces(folder, { TMPDIR: temporary })).not.toHaveProperty('temporaryDirectory');
});

test('a pointer file leads to its git folder, and a worktree to the shared one as well', () => {
  const main = join(folder, 'main/.git');
  mkdirSync(join(main, 'worktrees/side'), { recursive: true });
  writeFileSync(join(main, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(main, 'worktrees/side/HEAD'), 'ref: refs/heads/side\n');
  writeFileSync(join(main, 'worktrees/side/commondir'), '../..\n');
  mkdirSync(join(folder, 'side'));
  writeFileSync(join(folder, 'side/.git'), 'gitdir: ../main/.git/worktrees/side\n');

  expect(findPlaces(join(folder, 'side'), {}).gitDirectories).toEqual([join(main, 'worktrees/side'), main]);
  expect(findPlaces(join(folder, 'main'), {}).gitDirectories).toEqual([]);
});

test('where git finds no whole repository, HEAD is kept; in a bare one, all that there is', () => {
  const names = (...made: readonly string[]) => {
    const root = join(folder, `root-${made.length}`);
    mkdirSync(root);
    for (const path of made) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      if (path.endsWith('HEAD')) writeFileSync(join(root, path), 'ref: refs/heads/main\n');
      else mkdirSync(join(root, path));
    }
    return findPlaces(root, {}).gitNames;
  };
  expect(names()).toEqual(['HEAD']);
  expect(names('.git/HEAD')).toEqual(['HEAD']);
  expect(names('.git/HEAD', '.git/objects')).toEqual(['HEAD']);
  expect(names('.git/HEAD', '.git/objects', '.git/refs')).toEqual([]);
  expect(names('HEAD', 'objects', 'refs', 'hooks')).toEqual(['HEAD', 'hooks', 'objects', 'refs']);
});
