import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { serveRepositories } from '../harness/git-daemon.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { createGitLab } from './git-lab.ts';

let lab: ReturnType<typeof createGitLab>;
beforeEach(() => {
  lab = createGitLab();
  writeFileSync(join(lab.home, '.gitconfig'), '[user]\n\tname = a\n\temail = a@b\n');
});

const rules = 'prefix_rule(pattern=["git"])\n';

/** Each script in a call of its own, under approvals `never`. Gives what each one said. */
async function run(scripts: readonly string[], more: Parameters<typeof lab.run>[1] = {}) {
  const { outputs, live } = await lab.run(
    scripts.map((cmd) => [{ cmd }]),
    { rules, ...more },
  );
  return { live, said: outputs.map(({ exitCode, output }) => [exitCode, output.trim()] as const) };
}

function listen(path: string): Promise<{ path: string; close: () => void }> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end()).on('error', reject);
    server.listen(path, () => resolve({ path, close: () => void server.close() }));
  });
}

const codes = (said: readonly (readonly [number | undefined, string])[]) =>
  said.map(([code, output]) => (code === 0 ? 0 : output));

describe.runIf(process.platform === 'linux')('git that a rule allows works in the sandbox', () => {
  test('on commits, branches, merges, rebases, stashes and tags', async () => {
    lab.write('file', 'one\n');
    const { said } = await run([
      'git add file && git commit -q -m two',
      'git switch -q -c side',
      'git commit -q --allow-empty -m aside',
      'git checkout -q main',
      'git merge -q --no-ff -m merged side',
      'git checkout -q -b other HEAD~1 && git commit -q --allow-empty -m apart',
      'git rebase -q --keep-empty main',
      'git tag -a v1 -m one && git branch -m side aside && git branch -d aside',
      'git rm -q file',
      'git stash -q',
      'git stash pop -q',
      'git reset -q --hard',
      'git gc -q',
    ]);
    expect(codes(said)).toEqual(Array(13).fill(0));
    expect(lab.git('log', '--format=%s', 'other').split('\n').slice(0, 3)).toEqual(['apart', 'merged', 'aside']);
    expect(lab.git('tag')).toBe('v1\n');
    expect(lab.git('status', '--short')).toBe('');
    expect(lab.git('fsck')).not.toContain('failed');
  });

  test('with hooks and conditional settings of the user, and from a profile that only reads', async () => {
    const hook = join(lab.repo, '.git/hooks/pre-commit');
    writeFileSync(hook, '#!/bin/sh\ngit status --short > hooked\n');
    chmodSync(hook, 0o755);
    writeFileSync(join(lab.home, '.gitconfig'), `[includeIf "gitdir:${lab.repo}/"]\n\tpath = work\n`);
    writeFileSync(join(lab.home, 'work'), '[user]\n\tname = at work\n\temail = a@work\n');
    lab.write('new', '');
    const { said } = await run(['git add new', 'git commit -q -m two'], { sandbox: ['sandbox_mode="read-only"'] });
    expect(codes(said)).toEqual([0, 0]);
    expect(lab.git('log', '-1', '--format=%an %s')).toBe('at work two\n');
    expect(readFileSync(join(lab.repo, 'hooked'), 'utf8')).toBe('A  new\n?? hooked\n');
  });

  test('with a remote, which it follows where it may', async () => {
    const url = await serveRepositories(lab.base);
    lab.git('clone', '-q', '--bare', '.', join(lab.base, 'remote.git'));
    lab.git('remote', 'add', 'origin', `${url}/remote.git`);
    const { said } = await run([
      'git checkout -q -b side && git commit -q --allow-empty -m two',
      'git push -q -u origin side',
      'git fetch -q origin',
      'git checkout -q main',
      'git pull -q origin side',
      'git checkout -q -b third origin/side',
      'git ls-remote origin',
    ]);
    expect(codes(said)).toEqual(Array(7).fill(0));
    expect(lab.git('config', 'branch.side.merge')).toBe('refs/heads/side\n');
    expect(lab.git('log', '-1', '--format=%s', 'main')).toBe('two\n');
    expect(lab.git('config', 'branch.third.merge')).toMatch(/^failed/);
  });

  test('in a linked worktree, and beside a submodule', async () => {
    lab.git('clone', '-q', '.', join(lab.base, 'other'));
    lab.git('submodule', '--quiet', 'add', join(lab.base, 'other'), 'sub');
    lab.git('commit', '-q', '-m', 'sub');
    const tree = join(lab.base, 'tree');
    lab.git('worktree', 'add', '-q', '-b', 'tree', tree);
    const scripts = [
      'touch new',
      'git add new && git commit -q -m two',
      'git checkout -q -b next',
      'git status --short',
    ];
    const inMain = await run(scripts);
    const inTree = await run(scripts.with(2, 'git checkout -q -b last'), { cwd: tree });
    expect([...codes(inMain.said), ...codes(inTree.said)]).toEqual(Array(8).fill(0));
    expect([lab.git('log', '-1', '--format=%s', 'next'), lab.git('log', '-1', '--format=%s', 'last')]).toEqual(
      Array(2).fill('two\n'),
    );
    expect(lab.git('worktree', 'list')).toContain('[last]');
  });

  test('and keeps hooks and settings closed, and its folder at its own path, even from its hooks', async () => {
    const hook = join(lab.repo, '.git/hooks/pre-commit');
    const tries = [
      '"$GIT_DIR/hooks/x"',
      '"$GIT_DIR/config"',
      '"$GIT_DIR/info/x"',
      '.git/x',
      `${lab.base}/x`,
      '"$GIT_DIR/commondir"',
      '"$GIT_DIR/config.worktree"',
    ];
    writeFileSync(
      hook,
      `#!/bin/sh\n${tries.map((path) => `(echo x >> ${path}) 2>/dev/null && echo wrote ${path}`).join('\n')}\ntrue\n`,
    );
    chmodSync(hook, 0o755);
    const before = readFileSync(join(lab.repo, '.git/config'), 'utf8');
    const { said } = await run(['git commit -q --allow-empty -m two']);
    expect(said.map(([code, output]) => [code, output.split('\n').filter((line) => line.startsWith('wrote'))])).toEqual(
      [
        [
          0,
          ['commondir', 'config.worktree'].map(
            (name) => expect.stringMatching(new RegExp(`^wrote /dev/git-[0-9a-f]{48}/${name}$`)) as string,
          ),
        ],
      ],
    );
    expect(readFileSync(join(lab.repo, '.git/config'), 'utf8')).toBe(before);
    const left = ['commondir', 'config.worktree'].filter((name) => existsSync(join(lab.repo, '.git', name)));
    expect(left).toEqual([]);
  });

  test('and reaches no socket but those of agents, also with the network', async () => {
    const { path, close } = await listen(join(lab.base, 'engine'));
    whenTestEnds(close);
    lab.git('remote', 'add', 'origin', `${await serveRepositories(lab.base)}/remote.git`);
    lab.git('clone', '-q', '--bare', '.', join(lab.base, 'remote.git'));
    const connects = `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("${path}")) or exit 1'`;
    const hook = join(lab.repo, '.git/hooks/pre-push');
    writeFileSync(hook, `#!/bin/sh\n${connects} && echo connected\nexit 1\n`, { mode: 0o755 });
    const push = 'git push origin main';
    const closed = await run([push]);
    expect(closed.said.map(([, output]) => output).join('')).not.toContain('connected');
    const agent = { SSH_AUTH_SOCK: path };
    const open = await run([push], { env: agent });
    expect(open.said.map(([, output]) => output).join('')).toContain('connected');
  });

  test('and stays without it beside another command, or behind one that may have said where it is', async () => {
    const { said } = await run(['git add -A && touch x', 'git fetch . && git reset --hard'], {
      rules: `${rules}prefix_rule(pattern=["touch"])\n`,
    });
    expect(said.map(([code]) => code)).not.toContain(0);
  });

  test('and undo names what changed the repository', async () => {
    lab.write('new', '');
    const { live } = await run(['git status', 'git add new']);
    await live.close();
    const { stdout } = await live.place.run('threads', 'restore', live.id, '--before-turn', '1');
    expect(stdout).toContain('Could change the git repository, which stays as it is: git add new\n');
    expect(stdout).not.toContain('git status');
  });

  test('by the path of the program, too', async () => {
    lab.write('new', '');
    const { stdout } = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' });
    const { said } = await run([`${stdout.trim()} add new`]);
    expect(codes(said)).toEqual([0]);
    expect(lab.git('diff', '--cached', '--name-only')).toBe('new\n');
  });
});
