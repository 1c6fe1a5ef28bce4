import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { createGitLab, escalated } from './git-lab.ts';

let lab: ReturnType<typeof createGitLab>;
beforeEach(() => {
  lab = createGitLab();
});

const patch = '*** Begin Patch\n*** Add File: n.txt\n+hi\n*** End Patch';
const ruled = 'prefix_rule(pattern=["git", "status"])\n';
const soon = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

describe.runIf(process.platform === 'linux')('a call is decided on the ground that it starts on', () => {
  test('a folder that was swapped while the call waited for a patch is not entered outside the sandbox', async () => {
    symlinkSync('.', join(lab.repo, 'lnk'));
    const { outputs } = await lab.run(
      [
        [{ cmd: lab.plants('vendor') }],
        [{ cmd: 'sleep 1; ln -sfn vendor lnk' }, { patch }, { cmd: 'git status', workdir: 'lnk' }],
      ],
      { rules: ruled },
    );
    expect([readlinkSync(join(lab.repo, 'lnk')), outputs.length]).toEqual(['vendor', 3]);
    expect(lab.hasEscaped()).toBe(false);
  });

  test('git that a rule lets out waits for the commands before it, which may plant a repository', async () => {
    lab.branchWithLink('evil', 'vendor');
    await lab.run([[{ cmd: `sleep 0.5; ${lab.plants('vendor')}` }, { cmd: 'git checkout evil' }]], {
      rules: 'prefix_rule(pattern=["git", "checkout"])\n',
    });
    expect(existsSync(join(lab.repo, 'vendor/.git'))).toBe(true);
    // It began after the repository was there, and stayed in the sandbox.
    expect(lab.git('branch', '--show-current')).toBe('main\n');
    expect(lab.hasEscaped()).toBe(false);
  });

  test('a yes counts only for the ground that the question showed: it is asked again', async () => {
    const { questions } = await lab.run(
      [[{ cmd: `sleep 0.3; ${lab.plants('vendor')}` }, { cmd: 'git status --short', ...escalated }]],
      {
        async asked({ reason = '' }) {
          if (/Git could run/.test(reason)) return { kind: 'declined' };
          await soon(1500);
          return { kind: 'allowed', scope: 'session' };
        },
      },
    );
    expect(questions.map(({ reason, scopes }) => [/Git could run/.test(reason ?? ''), scopes])).toEqual([
      [false, expect.arrayContaining(['session'])],
      [true, ['call']],
    ]);
    expect(questions[1]!.id).not.toBe(questions[0]!.id);
    expect(lab.hasEscaped()).toBe(false);
  });

  test('git that runs again outside the sandbox waits for the commands beside it, and is then asked about anew', async () => {
    const { questions } = await lab.run(
      [[{ cmd: 'git commit -q --allow-empty -m again' }, { cmd: `sleep 2; ${lab.plants('vendor')}; git add vendor` }]],
      {
        asked: ({ reason = '' }) => (/Git could run/.test(reason) ? { kind: 'declined' } : { kind: 'allowed' }),
      },
    );
    const ofCommit = questions.filter(({ argv }) => argv?.at(-1)?.startsWith('git commit'));
    expect(ofCommit.map(({ kind, reason }) => [kind, /Git could run/.test(reason ?? '')])).toEqual([
      ['retry', false],
      ['retry', true],
    ]);
    expect(lab.git('log', '--format=%s')).toBe('first\n');
    expect(lab.hasEscaped()).toBe(false);
  });

  test('a folder that was swapped while the question waited is asked about by its own name', async () => {
    symlinkSync('.', join(lab.repo, 'lnk'));
    const { questions, outputs } = await lab.run(
      [
        [{ cmd: 'mkdir other' }],
        [{ cmd: 'sleep 0.3; ln -sfn other lnk' }, { cmd: 'pwd -P', workdir: 'lnk', ...escalated }],
      ],
      {
        async asked() {
          await soon(1000);
          return { kind: 'allowed' };
        },
      },
    );
    expect(questions.map(({ cwd }) => cwd)).toEqual([lab.repo, join(lab.repo, 'other')]);
    expect(outputs.at(-1)!.output.trim()).toBe(join(lab.repo, 'other'));
  });

  test('a yes for the session in a folder behind a link is none for where the link leads later', async () => {
    symlinkSync('.', join(lab.repo, 'lnk'));
    const calls = { cmd: 'touch ../made', workdir: 'lnk', ...escalated };
    const { questions } = await lab.run([[calls], [{ cmd: 'mkdir other; ln -sfn other lnk' }], [calls]], {
      asked: () => ({ kind: 'allowed', scope: 'session' }),
    });
    expect(questions.map(({ cwd }) => cwd)).toEqual([lab.repo, join(lab.repo, 'other')]);
  });

  test('an unchanged ground is asked about once', async () => {
    const { questions, outputs } = await lab.run([[{ cmd: 'git status --short', ...escalated }]], {
      asked: () => ({ kind: 'allowed' }),
    });
    expect([questions.length, outputs[0]!.exitCode]).toEqual([1, 0]);
  });

  test('a folder that is swapped after the last look is not entered outside the sandbox', async () => {
    const [victim, folder] = [join(lab.base, 'victim'), join(lab.repo, 'a')];
    for (const path of [victim, folder]) mkdirSync(path);
    const swap = (event: ThreadEvent): void => {
      if (event.kind !== 'item-started' || event.item.kind !== 'command') return;
      renameSync(folder, `${folder}.old`);
      symlinkSync(victim, folder);
    };
    const call = { cmd: 'touch made', workdir: 'a', ...escalated };
    const asked = () => ({ kind: 'allowed' }) as const;
    const { outputs } = await lab.run([[call]], { asked, onEvent: swap });
    expect(readdirSync(victim)).toEqual([]);
    expect(outputs).toMatchObject([{ status: 'failed', output: expect.stringContaining('Another folder') }]);
  });

  test('outside the sandbox a command knows its folder by its real path', async () => {
    mkdirSync(join(lab.repo, 'a'));
    symlinkSync('a', join(lab.repo, 'lnk'));
    const call = { cmd: 'pwd; echo $PWD; pwd -P', workdir: 'lnk', ...escalated };
    const { outputs } = await lab.run([[call]], { asked: () => ({ kind: 'allowed' }) });
    expect(outputs[0]!.output.trim().split('\n')).toEqual(Array(3).fill(join(lab.repo, 'a')));
  });
});
