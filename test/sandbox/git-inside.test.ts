import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Engine } from '../../src/index.ts';
import { noNamespaces } from '../harness/namespaces.ts';
import { placeEngine } from '../harness/place-engine.ts';
import { Place } from '../harness/run-capstan.ts';

/** Commands that change nothing, in folders with the file `file`. They name `HEAD` as people do: without `--`. */
const commands = [
  'git status',
  'git diff HEAD',
  'git log HEAD',
  'git show HEAD',
  'git status --short --branch --untracked-files=all',
  'git rev-parse --show-toplevel --show-prefix',
  'git diff',
  'git diff --stat HEAD~1',
  'git diff HEAD~1 HEAD file',
  'git diff --cached',
  'git log --oneline --graph --all -n 5',
  'git log -p HEAD -- file',
  'git log HEAD~1..HEAD',
  'git log refs/heads/main',
  'git show --stat HEAD',
  'git show HEAD:./file',
  'git branch -a',
  'git branch --show-current',
  'git rev-parse HEAD',
  'git rev-parse --abbrev-ref HEAD',
  'git rev-parse --verify HEAD',
  'git rev-list --count HEAD',
  'git ls-files',
  'git ls-files --others --exclude-standard',
  'git ls-tree HEAD',
  'git blame HEAD file',
  'git blame --porcelain HEAD~1 file',
  'git grep -n text HEAD',
  'git grep -n text',
  'git tag --list',
  'git describe --always HEAD',
  'git remote -v',
  'git config --list',
  'git stash list',
  'git reflog',
  'git reflog show HEAD',
  'git shortlog -s HEAD',
  'git merge-base HEAD HEAD~1',
  'git cat-file -p HEAD',
  'git name-rev HEAD',
  'git for-each-ref',
  'git worktree list',
  'git submodule status',
  'git check-ignore -v build',
  'git clean -n',
  'git format-patch --stdout HEAD~1',
  'git archive HEAD | tar t',
  'git fsck --no-progress',
  'git count-objects',
  'git diff --no-index file other',
];

let base = '';
let place: Place;
let engine: Engine;

function git(cwd: string, ...words: readonly string[]): string {
  const settings = ['user.name=a', 'user.email=a@b', 'protocol.file.allow=always', 'init.defaultBranch=main'];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const { status, stdout, stderr } = spawnSync('git', [...options, ...words], { cwd, encoding: 'utf8', env: env() });
  if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`);
  return stdout;
}

const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: base, LC_ALL: 'C' });

function write(folder: string, names: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(names)) writeFileSync(join(folder, name), text);
}

function makeRepository(folder: string): void {
  write(folder, { file: 'text\n', '.gitignore': 'build\n' });
  git(folder, 'init', '-q', '.');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
  write(join(folder, 'sub/deep'), { file: 'text\n' });
  write(join(folder, 'sub'), { file: 'text\n' });
  write(join(folder, 'papers/refs'), { list: 'text\n' });
  write(join(folder, 'papers'), { file: 'text\n' });
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'second');
}

/** The places, by what they are. Each has changes that are not committed. */
function makePlaces(): Readonly<Record<string, string>> {
  const [root, other, unborn] = ['root', 'other', 'unborn'].map((name) => join(base, name)) as [string, string, string];
  for (const folder of [root, other]) makeRepository(folder);
  git(root, 'submodule', '--quiet', 'add', other, 'module');
  git(root, 'commit', '-q', '-m', 'third');
  git(root, 'worktree', 'add', '-q', '-b', 'side', join(base, 'side'));
  mkdirSync(unborn);
  git(unborn, 'init', '-q', '.');
  const places = {
    'the root': root,
    'a folder': join(root, 'sub'),
    'a worktree': join(base, 'side'),
    'a folder of a worktree': join(base, 'side/sub/deep'),
    'a submodule': join(root, 'module'),
    'a folder of a submodule': join(root, 'module/sub'),
    'a repository without a commit': unborn,
    'a folder of one without a commit': join(unborn, 'sub'),
    'a folder with a folder refs': join(root, 'papers'),
  };
  for (const folder of Object.values(places)) write(folder, { file: 'changed\n', other: 'new\n' });
  return places;
}

beforeAll(async () => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-git-inside-'));
  place = new Place('http://127.0.0.1:9');
  engine = await placeEngine(place, { env: { ...env(), CAPSTAN_HOME: place.home } });
});
afterAll(() => {
  rmSync(base, { recursive: true, force: true });
  place.remove();
});

async function inside(cwd: string, named: string, script: string): Promise<string> {
  const sandbox = await engine.openSandbox({ cwd, permissions: { named }, env: env() });
  if ('code' in sandbox) throw new Error(sandbox.message);
  const ended = await sandbox.capture(['bash', '-c', script]);
  if ('code' in ended) throw new Error(ended.message);
  return ended.text;
}

const outside = (cwd: string, script: string): string =>
  spawnSync('bash', ['-c', script], { cwd, encoding: 'utf8', env: env() }).stdout;

describe.skipIf(noNamespaces)('git inside the sandbox answers as it does outside', () => {
  const few = inject('runFactor') < 2;
  const asked = few ? commands.slice(0, 6) : commands;
  const script = asked.map((command) => `echo '$ ${command}'; { ${command}; } 2>&1; echo "= $?"`).join('\n');

  test('in every place, and in both modes', async () => {
    const places = Object.entries(makePlaces());
    const differing: string[] = [];
    for (const [name, cwd] of few ? places.slice(0, 2) : places) {
      for (const profile of few ? [':workspace'] : [':workspace', ':read-only']) {
        const [expected, found] = [outside(cwd, script), await inside(cwd, profile, script)].map((text) =>
          text.split('\n$ '),
        ) as [string[], string[]];
        expect(expected).toHaveLength(asked.length);
        for (const [index, text] of expected.entries())
          if (found[index] !== text) differing.push(`${name}, ${profile}: ${text}\nbut: ${found[index]}`);
      }
    }
    expect(differing).toEqual([]);
  });
});
