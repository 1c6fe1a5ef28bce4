import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { createGitLab } from '../security/git-lab.ts';

const hasGpg = process.platform === 'linux' && spawnSync('gpg', ['--version']).status === 0;

test.runIf(hasGpg)('git that a rule allows signs with the agent that holds the key', async () => {
  const lab = createGitLab();
  mkdirSync(join(lab.home, '.gnupg'), { mode: 0o700 });
  const options = { env: { PATH: process.env['PATH'], HOME: lab.home } };
  whenTestEnds(() => void spawnSync('gpgconf', ['--kill', 'all'], options));
  const key = ['--batch', '--passphrase', '', '--quick-gen-key', 'a <a@b>', 'ed25519', 'sign'];
  expect(spawnSync('gpg', key, options).status).toBe(0);
  writeFileSync(join(lab.home, '.gitconfig'), '[user]\n\tname = a\n\temail = a@b\n');
  const calls = ['git commit -q -S --allow-empty -m signed', 'git tag -s v1 -m one'].map((cmd) => [{ cmd }]);
  const { outputs } = await lab.run(calls, { rules: 'prefix_rule(pattern=["git"])\n' });
  expect(outputs.map(({ exitCode, output }) => [exitCode, output])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect(lab.git('log', '-1', '--format=%s %G?')).toBe('signed G\n');
  expect(lab.git('tag', '-v', 'v1')).not.toContain('failed');
});
