import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { answer, hang, say } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { type Scene, scene } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';

/** This shell leaves the modes of its terminal as a program left them. */
const plainShell = 'dash';
const quiet = '0 1 0';

interface Running extends Scene {
  readonly shell: TmuxShell;
}

/** A turn runs in the terminal, and its modes before that are known. */
async function running(
  options: { readonly words?: readonly string[]; readonly before?: string } = {},
): Promise<Running> {
  const built = await scene([
    hang({ afterBytes: 0, of: answer({ items: [say('never')] }) }),
    answer({ items: [say('After all.')], deltas: true }),
  ]);
  const shell = new TmuxShell(built.place, 100, 28, plainShell);
  shell.type(`${options.before ?? ':'}; stty -a > ${modesFile(built.place, 'before')}`);
  shell.press('Enter');
  shell.start(...(options.words ?? []));
  await shell.sees('Context 100% left');
  shell.type('Hang.');
  shell.press('Enter');
  await built.model.request(0);
  return { ...built, shell };
}

function modesFile({ root }: Place, name: string): string {
  return join(root, `modes-${name}`);
}

const promptAtEnd = /\n?[$#]$/;

/** `lost`: the shell may have printed its prompt on the screen that is gone. The warden says so. */
async function seesPrompt(shell: TmuxShell, prompt: 'shown' | 'lost'): Promise<void> {
  if (prompt === 'lost') {
    await shell.sees('Capstan was killed. If no prompt follows, press Enter.', 'screen');
    const pressing = setInterval(() => promptAtEnd.test(shell.screen()) || shell.press('Enter'), 500);
    await shell.sees(promptAtEnd, 'screen').finally(() => clearInterval(pressing));
  }
  await shell.sees(promptAtEnd, 'screen');
}

async function givesBack({ shell, place }: Running, prompt: 'shown' | 'lost' = 'shown'): Promise<void> {
  await seesPrompt(shell, prompt);
  const after = modesFile(place, 'after');
  await vi.waitUntil(
    async () => {
      shell.type(`stty -a > ${after}.new; mv ${after}.new ${after}`);
      shell.press('Enter');
      await new Promise((later) => setTimeout(later, 300));
      return existsSync(after) && readFileSync(after, 'utf8') === readFileSync(modesFile(place, 'before'), 'utf8');
    },
    { timeout: 20_000 },
  );
  expect(readFileSync(after, 'utf8')).toBe(readFileSync(modesFile(place, 'before'), 'utf8'));
  expect(shell.modes()).toBe(quiet);
}

async function resumes({ shell }: Running): Promise<void> {
  shell.start('resume', '--last');
  await shell.sees('› Hang.', 'screen');
  await shell.sees('Context', 'screen');
  shell.type('Go on.');
  shell.press('Enter');
  // Ctrl+C would interrupt a turn that has not ended.
  await shell.sees(/• After all\.\n\n {2}Worked for/);
  shell.press('C-d');
}

describe('however the terminal surface ends, the terminal is usable and the thread can be resumed', () => {
  beforeAll(requireTmux);

  it.each([
    ['KILL', []],
    ['KILL', ['--full-screen']],
    ['TERM', ['--full-screen']],
    ['HUP', []],
  ])('SIG%s with %j', async (signal, words) => {
    const scene = await running({ words });
    expect(scene.shell.modes()).toBe(words.length === 0 ? quiet : '1 1 1');
    process.kill(scene.shell.child(), `SIG${signal}`);
    await givesBack(scene, signal === 'KILL' && words.length > 0 ? 'lost' : 'shown');
    await resumes(scene);
    await givesBack(scene);
  });

  it('a crash: what went wrong stands below the conversation', async () => {
    const crash = `data:text/javascript,process.on('SIGUSR2',()=>{throw%20new%20Error('crash%20of%20a%20test')})`;
    const scene = await running({ before: `export NODE_OPTIONS="--import=${crash}"` });
    process.kill(scene.shell.child(), 'SIGUSR2');
    const rows = await scene.shell.sees('crash of a test');
    await givesBack(scene);
    expect(rows).not.toMatch(/crash of a test[\s\S]*Context/);
  });

  it('a stop by a signal', async () => {
    const scene = await running({ words: ['--full-screen'] });
    const pid = scene.shell.child();
    process.kill(pid, 'SIGTSTP');
    await scene.shell.sees(/Stopped|Suspended/i, 'screen');
    await givesBack(scene);
    scene.shell.type('fg');
    scene.shell.press('Enter');
    await scene.shell.sees('esc to interrupt', 'screen');
    expect(scene.shell.modes()).toBe('1 1 1');
    // It was not stopped: nothing may be set twice.
    process.kill(pid, 'SIGCONT');
    await new Promise((later) => setTimeout(later, 300));
    expect(scene.shell.modes()).toBe('1 1 1');
    process.kill(pid, 'SIGTERM');
    await givesBack(scene);
  });

  it('the window is closed: the process ends, and nothing is lost', async () => {
    const { shell, place } = await running();
    const pid = shell.child();
    shell.close();
    await vi.waitUntil(() => spawnSync('kill', ['-0', String(pid)]).status !== 0, { timeout: 20_000 });
    expect((await place.run('threads', 'list')).stdout).toContain('Hang.');
  });
});
