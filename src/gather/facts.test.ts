import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bundledCatalogue } from './catalogue.ts';
import { profileFor } from '../policy/profiles.ts';
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

const chosen = {
  own: { program: ['/opt/capstan'], state: ['/home/me/.capstan'], secrets: [] },
  profile: profileFor('workspace-write', {
    network: false,
    writableRoots: ['/usr', '/srv/not-there'],
    excludeTmpdir: false,
    excludeSlashTmp: false,
  }),
} as const;

test('all facts together', async () => {
  vi.stubEnv('TZ', '');
  const client = { name: 'test', version: '1', source: 'exec' };
  const clock = { now: () => Date.UTC(2026, 10, 15, 12), sleep: async () => {} };
  const shell = program('zsh');
  const env = { TZ: '', SHELL: shell, TMPDIR: folder };
  expect(
    await gatherFacts({ clock, env, cwd: folder, client, trust: 'trusted', catalogue: bundledCatalogue(), ...chosen }),
  ).toEqual({
    time: { epochMs: clock.now(), date: '2026-11-15', timezone: 'Etc/UTC' },
    shell: { name: 'zsh', path: shell },
    places: {
      cwd: folder,
      workspaceRoots: [folder],
      temporaryDirectory: folder,
      slashTmp: true,
      gitDirectories: [],
      own: chosen.own,
      missing: ['/srv/not-there'],
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
  expect(findPlaces(folder, { TMPDIR: temporary }, chosen)).not.toHaveProperty('temporaryDirectory');
});

test('a pointer file leads to its git folder, and a worktree to the shared one as well', () => {
  const main = join(folder, 'main/.git');
  mkdirSync(join(main, 'worktrees/side'), { recursive: true });
  writeFileSync(join(main, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(main, 'worktrees/side/HEAD'), 'ref: refs/heads/side\n');
  writeFileSync(join(main, 'worktrees/side/commondir'), '../..\n');
  mkdirSync(join(folder, 'side'));
  writeFileSync(join(folder, 'side/.git'), 'gitdir: ../main/.git/worktrees/side\n');

  expect(findPlaces(join(folder, 'side'), {}, chosen).gitDirectories).toEqual([join(main, 'worktrees/side'), main]);
  expect(findPlaces(join(folder, 'main'), {}, chosen).gitDirectories).toEqual([]);
});
