import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bundledCatalogue } from './bundled-models.ts';
import { builtInProfile } from '../../core/policy/profiles/profiles.ts';
import { findShell, gatherFacts } from './turn-facts.ts';
import { findPermissionPlaces } from './permission-places.ts';
import { nodeProgramFiles as files } from '../disk/node-program-files.ts';

let folder: string;
/** A folder that commands may not write, unlike the temporary folder. */
let bin: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-facts-')));
  bin = realpathSync(mkdtempSync('/var/tmp/capstan-facts-'));
});
afterEach(() => {
  for (const each of [folder, bin]) rmSync(each, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

function program(name: string, where = bin): string {
  const path = join(where, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

const chosen = {
  own: { program: ['/opt/capstan'], state: ['/home/me/.capstan'], parts: [], secrets: [], stores: [] },
  profile: builtInProfile('workspace-write', {
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
    await gatherFacts({
      clock,
      env,
      cwd: folder,
      client,
      trust: 'trusted',
      catalogue: bundledCatalogue(),
      programFiles: files,
      ...chosen,
    }),
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
      real: { [folder]: folder, '/tmp': realpathSync('/tmp'), '/usr': '/usr' },
      gitNames: ['HEAD'],
      // The file of the machine that the test runs on.
      ...(existsSync('/etc/gitconfig') && { gitIncludes: ['/etc/gitconfig'] }),
    },
    trust: 'trusted',
    catalogue: bundledCatalogue(),
    client,
  });
});

test('another shell than these, a relative one or one that cannot run is not taken', () => {
  const fallback = findShell({}, { cwd: folder, files });
  expect(fallback.path).toMatch(/^\/bin\/(bash|sh)$/);
  writeFileSync(join(bin, 'bash'), 'not a program');
  expect(findShell({ SHELL: program('fish') }, { cwd: folder, files })).toEqual(fallback);
  expect(findShell({ SHELL: 'zsh' }, { cwd: folder, files })).toEqual(fallback);
  expect(findShell({ SHELL: join(bin, 'bash') }, { cwd: folder, files })).toEqual(fallback);
  expect(findShell({ SHELL: join(bin, 'sh') }, { cwd: folder, files })).toEqual(fallback);
});

test('a shell that commands could have written is not taken', () => {
  const fallback = findShell({}, { cwd: folder, files });
  const own = program('zsh');
  expect(findShell({ SHELL: own }, { cwd: '/', files })).toEqual({ name: 'zsh', path: own });
  expect(findShell({ SHELL: own }, { cwd: bin, files })).toEqual(fallback);
  expect(findShell({ SHELL: own, TMPDIR: bin }, { cwd: folder, files })).toEqual(fallback);
  chmodSync(bin, 0o777);
  expect(findShell({ SHELL: own }, { cwd: '/', files })).toEqual(fallback);
  chmodSync(bin, 0o755);
  symlinkSync(program('bash', folder), join(bin, 'bash'));
  expect(findShell({ SHELL: join(bin, 'bash') }, { cwd: folder, files })).toEqual(fallback);
});

test.each([undefined, '', 'relative/tmp'])('TMPDIR %j names no folder', (temporary) => {
  expect(findPermissionPlaces(folder, { TMPDIR: temporary }, chosen)).not.toHaveProperty('temporaryDirectory');
});

test('a pointer file leads to its git folder, and a worktree to the shared one as well', () => {
  const main = join(folder, 'main/.git');
  mkdirSync(join(main, 'worktrees/side'), { recursive: true });
  writeFileSync(join(main, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(main, 'worktrees/side/HEAD'), 'ref: refs/heads/side\n');
  writeFileSync(join(main, 'worktrees/side/commondir'), '../..\n');
  mkdirSync(join(folder, 'side'));
  writeFileSync(join(folder, 'side/.git'), 'gitdir: ../main/.git/worktrees/side\n');

  expect(findPermissionPlaces(join(folder, 'side'), {}, chosen).gitDirectories).toEqual([
    join(main, 'worktrees/side'),
    main,
  ]);
  expect(findPermissionPlaces(join(folder, 'main'), {}, chosen).gitDirectories).toEqual([]);
});

test('names that keep the working folder from becoming a bare repository; in a bare one, all that there is', () => {
  const names = (where: string, ...made: readonly string[]) => {
    const root = mkdtempSync(join(folder, 'root-'));
    const cwd = join(root, where);
    mkdirSync(cwd, { recursive: true });
    for (const path of made) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      if (path.endsWith('link')) symlinkSync('refs/heads/x', join(root, path, '../HEAD'));
      else if (/HEAD|commondir$|file$/.test(path)) writeFileSync(join(root, path), 'ref: refs/heads/main\n');
      else mkdirSync(join(root, path));
    }
    return findPermissionPlaces(cwd, {}, chosen).gitNames;
  };
  expect(names('.')).toEqual(['HEAD']);
  expect(names('.', '.git/HEAD', '.git/objects', '.git/refs')).toEqual([]);
  // A repository that is not whole counts as one around the folder.
  expect(names('.', '.git/HEAD', '.git/objects')).toEqual(['commondir', 'refs']);
  // A `HEAD` that is there cannot be kept from being made.
  expect(names('.', 'HEAD')).toEqual(['commondir', 'refs']);
  expect(names('.', 'link', 'refs')).toEqual(['commondir', 'refs']);
  expect(names('.', 'HEAD', 'objects', 'refs', 'hooks')).toEqual(['HEAD', 'hooks', 'objects', 'refs']);
  expect(names('.', 'link', 'objects', 'refs')).toEqual(['HEAD', 'objects', 'refs']);
  expect(names('.', 'HEAD', 'commondir')).toEqual(['HEAD', 'commondir']);

  const repository = ['.git/HEAD', '.git/objects', '.git/refs'];
  expect(names('sub', ...repository)).toEqual(['commondir', 'refs']);
  // Folders of the project are not taken, but empty ones may be mount points.
  expect(names('sub', ...repository, 'sub/refs')).toEqual(['commondir', 'refs']);
  expect(names('sub', ...repository, 'sub/refs/file')).toEqual(['commondir', 'objects']);
  expect(names('sub', ...repository, 'sub/refs/file', 'sub/objects/file')).toEqual(['HEAD']);
  expect(names('sub', ...repository, 'sub/commondir')).toEqual(['HEAD']);
});

test('repositories on the way to the working folder, and the submodules that they name and have', () => {
  const outer = join(folder, 'outer');
  const cwd = join(outer, 'inner/deep');
  for (const repository of [outer, join(outer, 'inner')]) {
    mkdirSync(join(repository, '.git'), { recursive: true });
    writeFileSync(join(repository, '.git/HEAD'), 'ref: refs/heads/main\n');
  }
  mkdirSync(join(outer, 'empty/.git'), { recursive: true });
  for (const made of ['inner/deep', 'lib/one', 'lib/two words']) mkdirSync(join(outer, made), { recursive: true });
  const paths = ['lib/one', '"lib/two words"', 'lib/gone', '../outside', '/etc'];
  writeFileSync(join(outer, '.gitmodules'), paths.map((path) => `[submodule "x"]\n\tpath = ${path}\n`).join(''));
  expect(findPermissionPlaces(cwd, {}, chosen)).toMatchObject({
    repositories: [join(outer, 'inner'), outer],
    submodules: [join(outer, 'lib/one'), join(outer, 'lib/two words')],
  });
  expect(findPermissionPlaces(join(outer, 'empty'), {}, chosen).repositories).toEqual([outer]);
});
