import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownPathMatcher, protectedHomeFolders } from '../../core/policy/paths/special-places.ts';
import { otherMountedPaths, ownHomes, parseMounts } from './protected-paths.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-own-places-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('the homes', () => {
  test('are the one in use, those that variables name and the default ones, as spelled and where they lead', () => {
    for (const name of ['real', 'big/sessions']) mkdirSync(join(base, name), { recursive: true });
    symlinkSync('real', join(base, 'home'));
    symlinkSync('../big/sessions', join(base, 'real/sessions'));
    const { state, parts } = ownHomes({
      home: join(base, 'home'),
      env: { CODEX_HOME: join(base, 'shared'), CAPSTAN_HOME: ' ' },
      osHome: join(base, 'me'),
      mounts: [],
    });
    const inBase = (names: readonly string[]) => names.map((name) => join(base, name));
    expect(state.toSorted()).toEqual(
      inBase(['big/sessions', 'home', 'me/.capstan', 'me/.codex', 'real', 'shared']).toSorted(),
    );
    // Every turn records them: the usual names follow from the homes.
    expect(parts).toEqual(inBase(['big/sessions']));
    const all = protectedHomeFolders({ state, parts });
    expect(all).toEqual(expect.arrayContaining(inBase(['big/sessions', 'real/capstan', 'me/.codex/rules'])));
  });

  test('are found where a folder is mounted once more', () => {
    const mounts = parseMounts(
      [
        '27 1 254:0 / / rw - ext4 /dev/vda rw',
        '30 27 254:0 /home/me/.capstan /data/with\\040space rw - ext4 /dev/vda rw',
        '31 27 254:0 /home /mnt/home rw - ext4 /dev/vda rw',
        '32 27 254:1 / /home/me/other rw - ext4 /dev/vdb rw',
      ].join('\n'),
    );
    expect(otherMountedPaths('/home/me/.capstan', mounts)).toEqual(['/data/with space', '/mnt/home/me/.capstan']);
    expect(otherMountedPaths('/home/me/other/x', mounts)).toEqual([]);
    expect(otherMountedPaths('/data/with space/sessions', mounts)).toEqual([
      '/home/me/.capstan/sessions',
      '/mnt/home/me/.capstan/sessions',
    ]);
  });
});

test('which paths of a workspace are not the work of the user', () => {
  const own = { state: ['/h', '/w/home'], parts: [] };
  const verdicts = (root: string, ...paths: readonly string[]) => paths.map(ownPathMatcher(own, root));
  expect(verdicts('/w', '/w', '/w/a', '/w/home', '/w/home/x', '/w/home2')).toEqual([false, false, true, true, false]);
  expect(verdicts('/h', '/h', '/h/config.toml', '/h/skills/a')).toEqual([true, true, true]);
  expect(verdicts('/h/sessions/2026', '/h/sessions/2026/x')).toEqual([true]);
  expect(verdicts('/h/worktrees/x', '/h/worktrees/x', '/h/worktrees/x/a')).toEqual([false, false]);
});
