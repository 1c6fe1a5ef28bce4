// @module-tag attack
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createGitLab, escalated } from './git-lab.ts';

let lab: ReturnType<typeof createGitLab>;
beforeEach(() => {
  lab = createGitLab();
});

const always = { asked: () => ({ kind: 'allowed', scope: 'session' }) as const };

describe.runIf(process.platform === 'linux')('a yes for the session to git', () => {
  test.each([
    ['in a nested repository', { cmd: 'git status --short', workdir: 'vendor' }],
    ['behind cd', { cmd: 'cd vendor && git status --short' }],
    ['behind -C', { cmd: 'git -C vendor status --short' }],
    ['behind --git-dir', { cmd: 'git --git-dir=vendor/.git --work-tree=vendor status --short' }],
    ['behind a variable', { cmd: 'GIT_DIR=vendor/.git git status --short' }],
    ['in a script that is known only when it runs', { cmd: 'for d in vendor; do git -C $d status --short; done' }],
  ])('is not offered %s, and the danger is named', async (_name, call) => {
    lab.git('init', '-q', 'vendor');
    const { questions } = await lab.run([[{ ...call, ...escalated }]], { asked: () => ({ kind: 'declined' }) });
    expect(questions.map(({ reason, scopes }) => [reason, scopes])).toEqual([
      [expect.stringMatching(/Git could run programs/), ['call']],
    ]);
  });

  test('is not used after a command has planted a repository, in the index or not', async () => {
    lab.branchWithLink('evil', 'vendor');
    const call = { cmd: 'git checkout -q evil', ...escalated };
    const { questions } = await lab.run(
      [
        [call],
        [{ cmd: 'git checkout -q main', ...escalated }],
        [{ cmd: `rmdir vendor; ${lab.plants('vendor')}` }],
        [call],
      ],
      {
        asked: ({ reason = '' }) =>
          /Git could run/.test(reason) ? { kind: 'declined' } : { kind: 'allowed', scope: 'session' },
      },
    );
    expect(questions.at(-1)!.reason).toContain('vendor');
    expect(lab.hasEscaped()).toBe(false);
  });

  test('is not used in another folder that the same link leads to later', async () => {
    symlinkSync('.', join(lab.repo, 'lnk'));
    const call = { cmd: 'git status --short', workdir: 'lnk', ...escalated };
    const swaps = { cmd: `${lab.plants('vendor')}; ln -sfn vendor lnk` };
    const { questions } = await lab.run([[call], [swaps], [call]], {
      asked: ({ cwd = '' }) => (cwd.endsWith('vendor') ? { kind: 'declined' } : { kind: 'allowed', scope: 'session' }),
    });
    expect(questions).toHaveLength(2);
    expect(lab.hasEscaped()).toBe(false);
  });

  test('is used in a repository that commands cannot change', async () => {
    const call = { cmd: 'git status --short', ...escalated };
    const { questions, outputs } = await lab.run([[call], [call]], always);
    expect([questions.length, outputs.map(({ exitCode }) => exitCode)]).toEqual([1, [0, 0]]);
  });

  test('is offered in the top folder alone', { tags: 'representative' }, async () => {
    mkdirSync(join(lab.repo, 'src'));
    const { questions } = await lab.run([[{ cmd: 'git status', workdir: 'src', ...escalated }]], always);
    expect(questions[0]!.scopes).toEqual(['call']);
  });
});

describe.runIf(process.platform === 'linux')('git that the sandbox stopped', () => {
  const yes = () => ({ kind: 'allowed' }) as const;

  test('runs again alone: after the commands that run beside it', async () => {
    const calls = [{ cmd: 'sleep 1.5; echo beside' }, { cmd: 'git tag new' }];
    const { outputs, questions } = await lab.run([calls], { asked: yes });
    expect(questions.map(({ kind }) => kind)).toEqual(['retry']);
    expect(lab.git('tag')).toBe('new\n');
    expect(outputs.map(({ argv }) => argv.at(-1))).toEqual(calls.map(({ cmd }) => cmd));
  });

  test('names the danger when it asks to run again', async () => {
    lab.git('init', '-q', 'vendor');
    const { questions } = await lab.run([[{ cmd: 'cd vendor && git config a.b c' }]], {
      asked: () => ({ kind: 'declined' }),
    });
    expect(questions.map(({ kind, reason, scopes }) => [kind, reason, scopes])).toEqual([
      ['retry', expect.stringMatching(/Git could run programs/), ['call']],
    ]);
  });
});
