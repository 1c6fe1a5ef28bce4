// @module-tag attack
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

  test('a yes counts only for the ground that the question showed: it is asked again', async () => {
    const waits = 'while [ ! -e go ]; do sleep 0.05; done';
    const { questions } = await lab.run(
      [[{ cmd: `${waits}; ${lab.plants('vendor')}; touch planted` }, { cmd: 'git status --short', ...escalated }]],
      {
        async asked({ reason = '' }) {
          if (/Git could run/.test(reason)) return { kind: 'declined' };
          lab.write('go', '');
          while (!existsSync(join(lab.repo, 'planted'))) await soon(20);
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

  test(
    'a yes for the session in a folder behind a link is none for where the link leads later',
    { tags: 'representative' },
    async () => {
      symlinkSync('.', join(lab.repo, 'lnk'));
      const calls = { cmd: 'touch ../made', workdir: 'lnk', ...escalated };
      const { questions } = await lab.run([[calls], [{ cmd: 'mkdir other; ln -sfn other lnk' }], [calls]], {
        asked: () => ({ kind: 'allowed', scope: 'session' }),
      });
      expect(questions.map(({ cwd }) => cwd)).toEqual([lab.repo, join(lab.repo, 'other')]);
    },
  );

  test('a folder that does not exist when the call is decided is not waited for outside the sandbox', async () => {
    const { live } = await lab.run([[{ cmd: 'touch made', workdir: 'none', ...escalated }]], {
      asked: () => ({ kind: 'allowed' }),
    });
    expect(JSON.stringify(live.model.requests[1]!.body)).toContain('its working folder does not exist');
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
    expect(outputs).toMatchObject([{ status: 'failed', output: expect.stringContaining('removed or replaced') }]);
  });

  test('outside the sandbox a command knows its folder by its real path', async () => {
    mkdirSync(join(lab.repo, 'a'));
    symlinkSync('a', join(lab.repo, 'lnk'));
    const call = { cmd: 'pwd; echo $PWD; pwd -P', workdir: 'lnk', ...escalated };
    const { outputs } = await lab.run([[call]], { asked: () => ({ kind: 'allowed' }) });
    expect(outputs[0]!.output.trim().split('\n')).toEqual(Array(3).fill(join(lab.repo, 'a')));
  });
});
