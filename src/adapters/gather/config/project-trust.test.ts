import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProjectTrust } from '../../../core/config/project-trust.ts';
import { mainCheckout } from '../git/repository.ts';
import { findTrust } from './project-trust.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-trust-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function path(name: string): string {
  return join(folder, name);
}

function write(name: string, text: string): void {
  mkdirSync(join(path(name), '..'), { recursive: true });
  writeFileSync(path(name), text);
}

function git(cwd: string, ...words: readonly string[]): void {
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@x', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@x' };
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...who };
  execFileSync('git', words, { cwd, env, stdio: 'ignore' });
}

function trustOf(name: string, decisions: Readonly<Record<string, Exclude<ProjectTrust, 'unknown'>>>): ProjectTrust {
  const projects = Object.fromEntries(
    Object.entries(decisions).map(([project, trustLevel]) => [path(project), { trustLevel }]),
  );
  return findTrust(path(name), { projects, projectRootMarkers: ['.git'] }, path('home')).trust;
}

describe('a folder in a repository', () => {
  beforeEach(() => {
    write('repo/.git/HEAD', 'ref: refs/heads/main\n');
    mkdirSync(path('repo/sub/deep'), { recursive: true });
  });

  test('goes by its own entry, then by that of the root, and by none between or above', () => {
    expect(trustOf('repo/sub/deep', { repo: 'trusted' })).toBe('trusted');
    expect(trustOf('repo/sub/deep', { repo: 'trusted', 'repo/sub/deep': 'untrusted' })).toBe('untrusted');
    expect(trustOf('repo/sub/deep', { 'repo/sub': 'trusted' })).toBe('unknown');
    expect(trustOf('repo', { '': 'trusted' })).toBe('unknown');
  });

  test('an unfinished repository inside does not cut it off', () => {
    mkdirSync(path('repo/sub/.git'));
    expect(trustOf('repo/sub', { repo: 'untrusted' })).toBe('untrusted');
    write('repo/pointer/.git', 'gitdir: ../nowhere\n');
    expect(trustOf('repo/pointer', { repo: 'untrusted' })).toBe('untrusted');
  });

  test('a repository inside is a project of its own', () => {
    write('repo/inner/.git/HEAD', 'ref: refs/heads/main\n');
    expect(trustOf('repo/inner', { repo: 'trusted' })).toBe('unknown');
  });

  test('a link in the folder is followed, one in the entry is not', () => {
    symlinkSync(path('repo'), path('alias'));
    expect(trustOf('alias', { repo: 'trusted' })).toBe('trusted');
    expect(trustOf('alias', { alias: 'trusted' })).toBe('trusted');
    expect(trustOf('repo', { alias: 'trusted' })).toBe('unknown');
  });
});

describe('a linked worktree', () => {
  beforeEach(() => {
    mkdirSync(path('main'));
    git(path('main'), 'init', '--quiet');
    git(path('main'), 'commit', '--quiet', '--allow-empty', '-m', 'one');
    git(path('main'), 'worktree', 'add', '--quiet', path('linked'));
    mkdirSync(path('linked/sub'));
    mkdirSync(path('evil'));
  });

  test('has the trust of its main checkout, unless it has its own', () => {
    expect(mainCheckout(path('linked'))).toBe(path('main'));
    expect(trustOf('linked', { main: 'trusted' })).toBe('trusted');
    expect(trustOf('linked/sub', { main: 'trusted' })).toBe('trusted');
    expect(trustOf('linked', { main: 'trusted', linked: 'untrusted' })).toBe('untrusted');
    expect(mainCheckout(path('main'))).toBeUndefined();
  });

  test('that only claims to be one does not', () => {
    write('evil/.git', `gitdir: ${path('main/.git/worktrees/linked')}\n`);
    expect(trustOf('evil', { main: 'trusted' })).toBe('unknown');
  });

  test('that brings its own folder of records does not', () => {
    write('evil/records/HEAD', 'ref: refs/heads/main\n');
    write('evil/records/commondir', `${path('main/.git')}\n`);
    write('evil/records/gitdir', `${path('evil/.git')}\n`);
    write('evil/.git', 'gitdir: records\n');
    expect(trustOf('evil', { main: 'trusted' })).toBe('unknown');
  });

  test('that borrows the file of a real one by a link does not', () => {
    symlinkSync(path('linked/.git'), path('evil/.git'));
    expect(trustOf('evil', { main: 'trusted', linked: 'trusted' })).toBe('unknown');
    rmSync(path('evil/.git'));
    symlinkSync(path('main/.git'), path('evil/.git'));
    expect(trustOf('evil', { main: 'trusted' })).toBe('unknown');
  });

  test('that was moved by hand does not', () => {
    write('moved/.git', `gitdir: ${path('main/.git/worktrees/linked')}\n`);
    rmSync(path('linked'), { recursive: true });
    expect(trustOf('moved', { main: 'trusted' })).toBe('unknown');
  });
});
