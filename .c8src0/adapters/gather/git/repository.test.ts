import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRepository, gitConfigEntries, readGitFacts } from './repository.ts';
import { withoutUrlCredentials } from '../../../core/policy/secrets.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-git-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sha = '0123456789abcdef0123456789abcdef01234567';

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function git(cwd: string, ...args: readonly string[]): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

function repository(path: string): string {
  const root = join(folder, path);
  mkdirSync(root);
  git(root, 'init', '--quiet', '--initial-branch=topic/one');
  git(root, 'remote', 'add', 'upstream', 'https://example.com/upstream.git');
  git(root, 'remote', 'add', 'origin', 'https://me:token@example.com/x/y.git');
  return root;
}

test('what git itself would say, from a repository that git made', () => {
  const root = repository('repo');
  expect(readGitFacts(root)).toEqual({ branch: 'topic/one', repository_url: 'https://example.com/x/y.git' });

  git(root, 'commit', '--quiet', '--allow-empty', '-m', 'one');
  const commit = git(root, 'rev-parse', 'HEAD');
  const facts = { commit_hash: commit, branch: 'topic/one', repository_url: 'https://example.com/x/y.git' };
  expect(readGitFacts(root)).toEqual(facts);

  git(root, 'pack-refs', '--all');
  expect(readGitFacts(root)).toEqual(facts);

  git(root, 'checkout', '--quiet', '--detach');
  expect(readGitFacts(root)).toEqual({ commit_hash: commit, repository_url: 'https://example.com/x/y.git' });
});

test('a linked worktree and a submodule are repositories of their own', () => {
  const root = repository('main');
  git(root, 'commit', '--quiet', '--allow-empty', '-m', 'one');
  const worktree = join(folder, 'linked');
  git(root, 'worktree', 'add', '--quiet', '-b', 'side', worktree);
  git(worktree, 'commit', '--quiet', '--allow-empty', '-m', 'two');

  expect(findRepository(worktree)).toBe(worktree);
  expect(readGitFacts(worktree)).toEqual({
    commit_hash: git(worktree, 'rev-parse', 'HEAD'),
    branch: 'side',
    repository_url: 'https://example.com/x/y.git',
  });

  git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', worktree, 'sub');
  expect(findRepository(join(root, 'sub'))).toBe(join(root, 'sub'));
  expect(readGitFacts(join(root, 'sub'))).toMatchObject({ commit_hash: git(worktree, 'rev-parse', 'HEAD') });
});

test('the nearest repository counts, and an unfinished one is ignored', () => {
  write('repo/.git/HEAD', `${sha}\n`);
  mkdirSync(join(folder, 'repo/sub/.git'), { recursive: true });
  mkdirSync(join(folder, 'repo/sub/deep'));
  write('repo/pointer/.git', 'gitdir: ../nowhere\n');
  expect(findRepository(join(folder, 'repo/sub/deep'))).toBe(join(folder, 'repo'));
  expect(findRepository(join(folder, 'repo/pointer'))).toBe(join(folder, 'repo'));
  expect(findRepository(folder)).toBeUndefined();
  expect(readGitFacts(folder)).toEqual({});
});

test.each([
  ['a circle of refs', 'ref: refs/heads/loop', { branch: 'loop' }],
  ['a ref that climbs out', 'ref: refs/../../../etc/passwd', {}],
  ['refs kept in tables', 'ref: refs/heads/.invalid', {}],
  ['a name of 64 digits', sha + sha.slice(0, 24), { commit_hash: sha + sha.slice(0, 24) }],
  ['nonsense', 'what', {}],
])('%s in HEAD', (_, head, expected) => {
  write('.git/HEAD', `${head}\n`);
  write('.git/refs/heads/loop', 'ref: refs/heads/loop\n');
  expect(readGitFacts(folder)).toEqual(expected);
});

test('packed refs are found by their whole name', () => {
  write('.git/HEAD', 'ref: refs/heads/main\n');
  write(
    '.git/packed-refs',
    `# pack-refs with: peeled\n${'1'.repeat(40)} refs/heads/other/refs/heads/main\n${sha} refs/heads/main\n^${sha}\n`,
  );
  expect(readGitFacts(folder)).toMatchObject({ commit_hash: sha });
});

test.each([
  ['[remote "origin"]\n\turl = git@example.com:a/b.git\n', 'git@example.com:a/b.git'],
  ['[Remote "origin"] URL = "https://example.com/a b" ; why\n', 'https://example.com/a b'],
  ['[remote "origin"]\n# url = no\nurl=https://exam\\\nple.com/x # c\n', 'https://example.com/x'],
  ['[remote "Origin"]\nurl = no\n[remote "origin"]\nurl = yes\nurl = second\n', 'yes'],
  ['[remote "origin"]\nfetch = x\n[branch "main"]\nurl = no\n', undefined],
  ['[remote "origin"]\nurl =\n', undefined],
])('the address in %j', (config, expected) => {
  write('.git/HEAD', `${sha}\n`);
  write('.git/config', config);
  expect(readGitFacts(folder).repository_url).toBe(expected);
});

test.each([
  ['https://user:token@host/a.git', 'https://host/a.git'],
  ['https://ghp_secret@host/a.git', 'https://host/a.git'],
  ['HTTPS://user:p@ss@host:8443/a@b.git', 'HTTPS://host:8443/a@b.git'],
  ['https://host/a.git?private_token=secret#x', 'https://host/a.git'],
  ['ssh://git@host:22/a.git', 'ssh://git@host:22/a.git'],
  ['ssh://git:secret@host/a.git', 'ssh://git@host/a.git'],
  ['git+ssh://host/a.git', 'git+ssh://host/a.git'],
  ['git@host:a/b.git', 'git@host:a/b.git'],
  ['/srv/git/a.git', '/srv/git/a.git'],
])('%s is kept as %s', (url, expected) => {
  expect(withoutUrlCredentials(url)).toBe(expected);
});

test('no password survives, whatever it is made of', () => {
  const secret = fc.string({ minLength: 8 }).filter((text) => !/[/?#]/.test(text));
  fc.assert(
    fc.property(fc.constantFrom('https', 'http', 'ssh', 'ftp'), secret, (scheme, password) => {
      const marked = `SECRET${password}`;
      expect(withoutUrlCredentials(`${scheme}://user:${marked}@host.example/a.git`)).not.toContain('SECRET');
    }),
  );
});

test('several sections may stand on one line', () => {
  const text = '[init][core "x"] [core] hooksPath = .husky\n[a\nkey = lost\n[core]\nbare = true\n';
  expect([...gitConfigEntries(text)]).toEqual([
    { section: 'core', key: 'hookspath', value: '.husky' },
    { section: 'core', key: 'bare', value: 'true' },
  ]);
});
