import {
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
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemPrograms } from '../../src/adapters/exec/find-programs.ts';
import { createFlock } from '../../src/adapters/rollout/files/file-locks.ts';
import { nodeFiles } from '../../src/adapters/rollout/files/node-files.ts';
import { createFileAtomically } from '../../src/adapters/rollout/files/whole-files.ts';
import { findOutputFile, type OutputFile, writeOutputFile } from '../../src/engine/output-file.ts';
import { answer, say } from '../../src/testing/index.ts';
import { ContentStore } from '../../src/engine/undo/content-store.ts';
import { nodeWorkspaceDisk } from '../../src/engine/workspace/workspace-disk.ts';
import { scene } from '../harness/scene.ts';

/** A folder is not where it was, or is no folder any more. */
const swapped = /ENOTDIR|ELOOP|moved or replaced/;

/** The path that a command in the sandbox may not write, and the path that it may. */
let outside = '';
let victim = '';
let workspace = '';
beforeEach(() => {
  const base = realpathSync(mkdtempSync('/var/tmp/capstan-names-'));
  outside = join(base, 'outside');
  victim = join(outside, 'victim');
  workspace = join(base, 'workspace');
  mkdirSync(outside);
  mkdirSync(workspace);
  writeFileSync(victim, 'untouched', { mode: 0o644 });
});
afterEach(() => {
  const isUntouched = readFileSync(victim, 'utf8') === 'untouched' && (statSync(victim).mode & 0o777) === 0o644;
  if (!isUntouched || readdirSync(outside).length !== 1) throw new Error('Something was changed outside.');
  rmSync(join(outside, '..'), { recursive: true, force: true });
});

describe('the file of an answer or an export', () => {
  const find = (name: string) => findOutputFile(join(workspace, name), [workspace]);
  const found = (name: string) => find(name) as OutputFile;

  test('is written, new or in place of what was there, also through a link inside the workspace', () => {
    writeFileSync(join(workspace, 'old'), 'something longer');
    symlinkSync('old', join(workspace, 'link'));
    for (const name of ['new', 'link']) writeOutputFile(found(name), 'answer', 0o600);
    expect(readFileSync(join(workspace, 'new'), 'utf8')).toBe('answer');
    expect(readFileSync(join(workspace, 'old'), 'utf8')).toBe('answer');
  });

  test('is refused when a link was there before that leads out', () => {
    symlinkSync(victim, join(workspace, 'link'));
    symlinkSync(join(outside, 'new'), join(workspace, 'dangling'));
    symlinkSync(outside, join(workspace, 'folder'));
    expect(['link', 'dangling', 'folder/new', 'folder/victim'].map(find)).toEqual(Array(4).fill('leads-out'));
  });

  test('is refused when it is named outside and passes through a link of the workspace that leads out', () => {
    const base = join(workspace, '..');
    symlinkSync(victim, join(workspace, 'link'));
    symlinkSync(outside, join(workspace, 'folder'));
    symlinkSync(join(outside, 'new'), join(workspace, 'dangling'));
    for (const name of ['link', 'dangling', 'folder']) symlinkSync(join(workspace, name), join(base, `outer-${name}`));
    const names = ['outer-link', 'outer-dangling', 'outer-folder/victim', 'outer-folder/new'];
    const all = names.map((name) => findOutputFile(join(base, name), [workspace]));
    expect(all).toEqual(Array(4).fill('leads-out'));
    // Links that no command could make are the user's own.
    symlinkSync(victim, join(base, 'own'));
    expect(findOutputFile(join(base, 'own'), [workspace])).toMatchObject({ place: victim });
  });

  test.each(['configured', 'added'])('is refused when a link in a writable root leads out (%s)', async (how) => {
    const root = join(workspace, '..', 'root');
    mkdirSync(root);
    symlinkSync(victim, join(root, 'link'));
    const more = `[sandbox_workspace_write]\nwritable_roots = [${JSON.stringify(root)}]\n`;
    const { place, model } = await scene([answer({ items: [say('mine')] })], how === 'configured' ? more : '');
    const words = ['exec', '-o', join(root, 'link'), ...(how === 'configured' ? [] : ['--add-dir', root]), 'go'];
    const run = await place.start(words).finished;
    expect([run.code, model.requests.length]).toEqual([1, 0]);
    expect(run.stderr).toContain('out of the folders where commands may write');
  });

  test('is not replaced by an export through a link in a writable root', async () => {
    const root = join(workspace, '..', 'root');
    mkdirSync(root);
    symlinkSync(victim, join(root, 'link'));
    const more = `[sandbox_workspace_write]\nwritable_roots = [${JSON.stringify(root)}]\n`;
    const { place } = await scene([answer({ items: [say('mine')] })], more);
    await place.start(['exec', 'go']).finished;
    const run = await place.start(['threads', 'export', '--last', '--force', '-o', join(root, 'link')]).finished;
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('out of the folders where commands may write');
  });

  test('is not written through a link that a command put in its place during the turn', () => {
    const [missing, present] = [found('missing'), (writeFileSync(join(workspace, 'present'), ''), found('present'))];
    for (const { path } of [missing, present]) {
      rmSync(path, { force: true });
      symlinkSync(victim, path);
    }
    expect(() => writeOutputFile(missing, 'answer', 0o600)).toThrow('ELOOP');
    expect(() => writeOutputFile(present, 'answer', 0o600)).toThrow('ELOOP');
  });

  test('is not written when its folder was swapped for a link during the turn', () => {
    mkdirSync(join(workspace, 'out'));
    const file = found('out/victim');
    renameSync(join(workspace, 'out'), join(workspace, 'gone'));
    symlinkSync(outside, join(workspace, 'out'));
    expect(() => writeOutputFile(file, 'answer', 0o600)).toThrow(swapped);
  });

  test('does not hang when it was swapped for a pipe', () => {
    const file = found('out');
    spawnSync('mkfifo', [file.path]);
    // A pipe that has no reader.
    expect(() => writeOutputFile(file, 'answer', 0o600)).toThrow('ENXIO');
  });
});

describe('a lock', () => {
  const locks = createFlock({ clock: { now: () => 0, sleep: async () => {} }, programs: systemPrograms });

  test('is not taken, and nothing is signed, through a link', async () => {
    symlinkSync(victim, join(workspace, 'auth.json.lock'));
    await expect(locks.take(join(workspace, 'auth.json.lock'))).rejects.toThrow('ELOOP');
    symlinkSync(join(outside, 'new'), join(workspace, 'dangling.lock'));
    await expect(locks.take(join(workspace, 'dangling.lock'))).rejects.toThrow('ELOOP');
  });

  test('is not taken on a pipe, from which the name of the holder could never be read', async () => {
    spawnSync('mkfifo', [join(workspace, 'lock')]);
    await expect(locks.take(join(workspace, 'lock'))).rejects.toThrow('is not a file');
  });
});

describe('a file on its way into the home folder', () => {
  test('is not written through a link of its temporary name', async () => {
    const [path, temporary] = [join(workspace, 'rollout'), join(workspace, 'rollout.tmp')];
    symlinkSync(victim, temporary);
    await expect(
      createFileAtomically(nodeFiles, { path, temporary, mode: 0o600, content: [Buffer.from('x')] }),
    ).rejects.toThrow('ELOOP');
  });

  test('nor is the record of what a snapshot saw', () => {
    symlinkSync(victim, join(workspace, `known.json.${process.pid}`));
    new ContentStore(workspace).saveNote('');
    expect(readdirSync(workspace)).toEqual(['known.json']);
  });
});

describe.runIf(process.platform === 'linux')('a restore, while a command swaps folders for links', () => {
  const disk = nodeWorkspaceDisk;
  beforeEach(() => symlinkSync(outside, join(workspace, 'swapped')));

  test.each([
    ['writes no file', (path: string) => disk.putFile(path, Buffer.from('x'), 0o644, 'nothing')],
    ['makes no link', (path: string) => disk.putLink(path, '/etc/passwd', 'nothing')],
    ['makes no folder', (path: string) => disk.makeFolder(`${path}-new`, 0o755)],
    ['removes nothing', (path: string) => disk.remove(path, () => true)],
    ['changes no mode', (path: string) => disk.setMode(path, 0o777)],
  ])('%s behind the link', (_, act) => {
    expect(() => act(join(workspace, 'swapped/victim'))).toThrow(swapped);
  });

  test('changes no mode through a link that took the place of the file', () => {
    symlinkSync(victim, join(workspace, 'file'));
    expect(() => disk.setMode(join(workspace, 'file'), 0o777)).toThrow(/ENOTSUP|EOPNOTSUPP|ELOOP/);
  });
});
