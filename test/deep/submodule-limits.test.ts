import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readLimits } from '../../src/adapters/gather/files/read-guard.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { sandboxIsPossible } from '../security/sandboxed.ts';

const warned =
  'names more submodules than Capstan can protect, names one whose path is too long or cannot be looked at, or is too large to read';

/** A workspace outside of the temporary folders, in which the model runs one command. */
async function labOf(cmd: string) {
  const base = realpathSync(mkdtempSync('/var/tmp/capstan-submodules-'));
  whenTestEnds(() => rmSync(base, { recursive: true, force: true }));
  const [repo, userHome] = [join(base, 'repository'), join(base, 'user')];
  for (const folder of [repo, userHome]) mkdirSync(folder);
  const { place } = await scene(({ index }) =>
    answer({ items: [index % 2 === 0 ? callTool('exec_command', { cmd }) : say('Done.')] }),
  );
  const env = { HOME: userHome, PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1' };
  const git = (words: readonly string[], input = ''): string => {
    const { stdout, stderr, status } = spawnSync('git', words, { cwd: repo, env, input, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  const inRepo = { cwd: repo, env: { HOME: userHome } };
  return {
    repo,
    userHome,
    git,
    /** Checked-out repositories that the index calls so. */
    link(count: number): readonly string[] {
      git(['init', '-q', '-b', 'main', '.']);
      const names = Array.from({ length: count }, (_, at) => `s${at + 100}`);
      const commit = 'a'.repeat(40);
      git(['update-index', '--index-info'], names.map((name) => `160000 ${commit}\t${name}\n`).join(''));
      for (const name of names) git(['init', '-q', name]);
      return names;
    },
    exec: (...more: readonly string[]) => place.runWith(inRepo, 'exec', '--skip-git-repo-check', ...more, 'Go.'),
    sandbox: (script: string) => place.runWith(inRepo, 'sandbox', '--', 'sh', '-c', script),
  };
}

/** The command that would make the user's next git run a program. */
const plants = (folder: string): string => `git -C ${folder} config core.fsmonitor "touch ran; false"`;

describe.runIf(sandboxIsPossible)('submodules beyond what can be protected', () => {
  test('are reported before commands run, by exec and by `capstan sandbox`', async () => {
    const lab = await labOf('true');
    const [first = ''] = lab.link(65);
    const sandboxed = await lab.sandbox(plants(first));
    expect((await lab.exec()).stderr).toContain(warned);
    expect((await lab.exec('--json')).stderr).toContain(warned);
    expect(sandboxed.stderr).toContain(warned);
    // Those within the limit stay protected.
    expect(sandboxed.code).not.toBe(0);
    expect(readFileSync(join(lab.repo, first, '.git/config'), 'utf8')).not.toContain('fsmonitor');
  });

  test('are reported where the index is too large to be read', async () => {
    const lab = await labOf('true');
    lab.link(1);
    truncateSync(join(lab.repo, '.git/index'), readLimits.gitIndexBytes + 1);
    expect((await lab.exec()).stderr).toContain(warned);
    expect((await lab.sandbox('true')).stderr).toContain(warned);
  });

  test('are not reported where all are protected, nor where commands run without a sandbox', async () => {
    const lab = await labOf('true');
    const names = lab.link(64);
    const sandboxed = await lab.sandbox(names.map((name) => `${plants(name)} && echo planted`).join('\n'));
    expect(sandboxed.stdout).not.toContain('planted');
    expect(sandboxed.stderr).not.toContain(warned);
    lab.git(['update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},more`]);
    lab.git(['init', '-q', 'more']);
    expect((await lab.exec('-s', 'danger-full-access')).stderr).not.toContain(warned);
  });
});

describe.runIf(sandboxIsPossible)('a file that the git settings of the user include', () => {
  const settings = '[user]\n\tname = a\n';

  test.each([
    ['for some repositories', (path: string) => `[includeIf "gitdir:${path}/"]\n\tpath = ${path}/.gitconfig\n`],
    ['always', (path: string) => `[include]\n\tpath = ${path}/.gitconfig\n`],
    ['by a path from the home folder', () => '[include]\n\tpath = ~/../repository/.gitconfig\n'],
  ])('%s cannot be changed by commands', async (_name, included) => {
    const attacks = [
      'git config -f .gitconfig core.fsmonitor "touch ran; false"',
      'echo "[core]" >> .gitconfig',
      'rm .gitconfig',
      'mv .gitconfig other',
      'echo "[core]" > new && mv new .gitconfig',
    ];
    const script = attacks
      .map((attack, at) => `(${attack}) 2>/dev/null </dev/null && echo "attack ${at} worked"`)
      .join('\n');
    const lab = await labOf(`${script}\ntouch beside`);
    writeFileSync(join(lab.repo, '.gitconfig'), settings);
    writeFileSync(join(lab.userHome, '.gitconfig'), included(lab.repo));
    const { stdout } = await lab.sandbox(script);
    expect(stdout).toBe('');
    expect((await lab.exec()).code).toBe(0);
    expect(readFileSync(join(lab.repo, '.gitconfig'), 'utf8')).toBe(settings);
    // The script ran, and the rest of the workspace is open to it.
    expect(existsSync(join(lab.repo, 'beside'))).toBe(true);
  });
});
