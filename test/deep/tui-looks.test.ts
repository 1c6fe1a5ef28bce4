import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

describe('how the program looks on a real terminal', () => {
  beforeAll(requireTmux);

  it('words for a screen reader, each once, and a title that goes at the end', async () => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1; echo slept' })] }),
      answer({ items: [say('שלום, **all** done.')], deltas: true }),
    ]);
    const shell = new TmuxShell(place, 60);
    shell.start('--screen-reader');
    await shell.sees('via scripted');
    shell.type('Go.');
    shell.press('Enter');
    const rows = await shell.sees(/Worked for/);
    expect(rows).toMatch(/You: Go\.\nWorking\. Escape interrupts\.\nRunning sleep 1; echo slept\n\nRan sleep 1/);
    expect(rows).toContain('Capstan: שלום, all done.');
    expect(rows.match(/Running sleep/g)).toHaveLength(1);
    expect(shell.title()).toBe('Go. | workspace');
    shell.press('C-d');
    await shell.sees(/To continue:\s+capstan resume/);
    expect(shell.title()).toBe('');
  });

  it('a terminal that cannot move its cursor is refused with what to do instead', async () => {
    const { place } = await scene([]);
    const shell = new TmuxShell(place);
    shell.type('export TERM=dumb');
    shell.press('Enter');
    shell.start();
    const rows = await shell.sees('cannot move its cursor');
    expect(rows).toMatch(/set TERM to its kind/);
  });

  it('GNU screen shows the same, where it is installed', async ({ skip }) => {
    if (spawnSync('screen', ['-v']).error !== undefined) skip('screen is not installed');
    const { place } = await scene([answer({ items: [say('All **done**.')], deltas: true })]);
    const shell = new TmuxShell(place);
    const name = `capstan-${randomUUID().slice(0, 8)}`;
    // It outlives the terminal that it was started on.
    whenTestEnds(() => void spawnSync('screen', ['-S', name, '-X', 'quit']));
    shell.type(`screen -U -S ${name} bash --norc --noprofile`);
    shell.press('Enter');
    shell.start();
    await shell.sees('Context 100% left', 'screen');
    shell.type('Go.');
    shell.press('Enter');
    const rows = await shell.sees(/Worked for/, 'screen');
    expect(rows).toContain('• All done.');
    expect(rows).not.toContain('133;');
  });
});
