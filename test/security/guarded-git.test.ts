// @module-tag attack
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createGuardedGit } from '../../src/adapters/exec/guarded-git.ts';
import { gitBounds } from '../../src/engine/sandbox/git-places.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { createGitLab } from './git-lab.ts';

let lab: ReturnType<typeof createGitLab>;
let env: Record<string, string>;
let programs: string;
beforeEach(() => {
  lab = createGitLab();
  env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: lab.home,
    GIT_AUTHOR_NAME: 'a',
    GIT_COMMITTER_NAME: 'a',
    EMAIL: 'a@b',
  };
  programs = mkdtempSync(join(tmpdir(), 'capstan-programs-'));
  whenTestEnds(() => rmSync(programs, { recursive: true, force: true }));
});

const guard = (cwd = lab.repo, given = env) => {
  const bounds = gitBounds(cwd, ['git'], given);
  return bounds === undefined ? undefined : createGuardedGit(programs).variables(bounds, given);
};

function run(words: readonly string[], more: Readonly<Record<string, string>> = {}, cwd = lab.repo) {
  const { status, stdout, stderr } = spawnSync('git', words, { cwd, env: { ...env, ...more }, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** In the sandbox a command does this while git already runs outside, or where no look finds it. */
function plant(folder = 'vendor'): void {
  spawnSync('bash', ['-c', lab.plants(folder)], { cwd: lab.repo, env });
}

/** Ways in which git comes to a repository that its index names. */
const commands = [
  ['status', '--short'],
  ['status', '--short', '--ignore-submodules=none'],
  ['diff'],
  ['diff', '--submodule=diff', 'main', 'evil'],
  ['add', '-A'],
  ['checkout', 'main'],
  ['checkout', '--recurse-submodules', 'main'],
  ['commit', '-a', '-m', 'x', '--allow-empty'],
  ['describe', '--dirty', '--always'],
  ['stash'],
  ['log', '-p', '--submodule=diff'],
  ['fetch', '--recurse-submodules', '--all'],
  ['rm', '-f', 'vendor'],
  ['clean', '-ffd'],
  ['reset', '--hard', '--recurse-submodules'],
] as const;

const disguises: readonly (readonly [string, () => void])[] = [
  ['as it is', () => {}],
  [
    'behind a file that leads to a folder with a blank at its end',
    () => {
      rmSync(join(lab.repo, '.git '), { recursive: true, force: true });
      spawnSync('bash', ['-c', "mv vendor/.git '.git '; printf 'gitdir: ../.git \\n' > vendor/.git"], {
        cwd: lab.repo,
      });
    },
  ],
  [
    'behind a file whose words lead elsewhere than its links',
    () => {
      for (const made of [join(lab.base, 'far'), join(lab.repo, 'lnk')]) rmSync(made, { recursive: true, force: true });
      mkdirSync(join(lab.base, 'far/sub'), { recursive: true });
      spawnSync('mv', [join(lab.repo, 'vendor/.git'), join(lab.base, 'far/.git')]);
      symlinkSync(join(lab.base, 'far/sub'), join(lab.repo, 'lnk'));
      writeFileSync(join(lab.repo, 'vendor/.git'), 'gitdir: ../lnk/../.git\n');
    },
  ],
];

describe.runIf(process.platform === 'linux')('git that has left the sandbox', () => {
  test.each(disguises)('runs no program of a repository that a command has planted, %s', async (_name, disguise) => {
    lab.branchWithLink('evil', 'vendor');
    lab.git('checkout', '-q', 'evil');
    const variables = await guard();
    const plantAgain = (): void => {
      if (existsSync(join(lab.repo, 'vendor/.git'))) return;
      plant();
      disguise();
    };
    plantAgain();
    run(['status', '--short']);
    expect(lab.hasEscaped()).toBe(true);
    for (const words of commands) {
      rmSync(join(lab.base, 'ran'), { force: true });
      run(words, variables);
      expect([words.join(' '), lab.hasEscaped()]).toEqual([words.join(' '), false]);
      lab.git('-c', 'submodule.recurse=false', 'checkout', '-q', '-f', 'evil');
      plantAgain();
    }
  });

  test('takes no repository that is planted between its folder and the top', { tags: 'representative' }, async () => {
    mkdirSync(join(lab.repo, 'src'));
    const variables = await guard(join(lab.repo, 'src'));
    plant('src');
    const { status, stderr } = run(['status'], variables, join(lab.repo, 'src'));
    expect([status, stderr]).toEqual([128, expect.stringContaining('dubious ownership')]);
    expect(lab.hasEscaped()).toBe(false);
  });

  test('works in its repository, in its worktrees and in its submodules', async () => {
    lab.git('clone', '-q', '.', join(lab.base, 'other'));
    lab.git('submodule', '--quiet', 'add', join(lab.base, 'other'), 'sub');
    lab.git('commit', '-q', '-m', 'sub');
    lab.write('new', '');
    writeFileSync(join(lab.repo, 'sub/more'), '');
    const variables = await guard();
    expect(run(['status', '--short'], variables)).toEqual({ status: 0, stdout: ' ? sub\n?? new\n', stderr: '' });
    expect(run(['commit', '-q', '--allow-empty', '-m', 'two'], variables).status).toBe(0);
    expect(run(['worktree', 'add', '-q', '../tree', '-b', 'tree'], variables).status).toBe(0);
    const inTree = await guard(join(lab.base, 'tree'));
    expect(run(['commit', '-q', '--allow-empty', '-m', 'three'], inTree, join(lab.base, 'tree')).status).toBe(0);
    expect(run(['worktree', 'remove', '../tree'], variables).status).toBe(0);
    expect(run(['gc', '-q'], variables).status).toBe(0);
  });

  test('keeps the settings that variables of the user give it', async () => {
    const given = { ...env, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'from outside' };
    const variables = await guard(lab.repo, given);
    expect(run(['config', 'user.name'], { ...given, ...variables }).stdout).toBe('from outside\n');
  });

  test('is prepared anew after a try that failed', async () => {
    const folder = join(programs, 'taken');
    writeFileSync(folder, '');
    const guarded = createGuardedGit(folder);
    const bounds = gitBounds(lab.repo, ['git'], env)!;
    expect(await guarded.variables(bounds, env)).toBeUndefined();
    rmSync(folder);
    expect(await guarded.variables(bounds, env)).toMatchObject({ GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' });
  });

  test('gets nothing where it would not obey: another program than git, a repository that it does not take', async () => {
    mkdirSync(join(lab.base, 'bin'));
    writeFileSync(join(lab.base, 'bin/git'), '#!/bin/sh\necho /anything\n', { mode: 0o755 });
    expect(await guard(lab.repo, { ...env, PATH: `${lab.base}/bin:${env['PATH']}` })).toBeUndefined();
    expect(await guard(lab.repo, { ...env, GIT_DIR: join(lab.base, 'other/.git') })).toBeUndefined();
    expect(readFileSync(join(lab.repo, '.git/HEAD'), 'utf8')).toContain('main');
  });
});
