import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';

const command = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });
const done = (text: string) => answer({ items: [say(text)], deltas: true });

describe('going back on a real terminal', () => {
  beforeAll(requireTmux);

  it('Esc Esc takes the files and the conversation of a turn back, and the scrollback stays', async () => {
    const { place } = await scene([
      command('echo one > a.txt'),
      done('First done.'),
      command('echo two > a.txt; echo new > b.txt'),
      done('Second done.'),
      done('Third done.'),
    ]);
    const shell = new TmuxShell(place);
    shell.type('echo stood-before');
    shell.press('Enter');
    shell.start();
    await shell.sees('Context 100% left');
    for (const [words, end] of [
      ['Make a file.', 'First done.'],
      ['Change it.', 'Second done.'],
    ] as const) {
      shell.type(words);
      shell.press('Enter');
      await shell.sees(new RegExp(`${end}\\n\\n {2}Worked for`));
    }
    shell.press('Escape');
    await shell.sees('Esc again', 'screen');
    shell.press('Escape');
    await shell.sees('Go back to before which message?', 'screen');
    shell.press('Enter');
    const preview = await shell.sees('1. conversation and files', 'screen');
    expect(preview).toMatch(/changes back a\.txt\n.*-two\n.*\+one\n/);
    expect(preview).toMatch(/is deleted b\.txt\n.*-new\n/);
    expect(existsSync(join(place.workspace, 'b.txt'))).toBe(true);
    shell.press('Enter');
    await shell.sees(/1 file restored, 1 file deleted\.[\s\S]*› Change it\./, 'screen');
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(place.workspace, 'b.txt'))).toBe(false);
    shell.type(' Otherwise.');
    shell.press('Enter');
    await shell.sees(/Third done\.\n\n {2}Worked for/);
    shell.press('C-d');
    const rows = await shell.sees(/To continue: capstan resume [\w-]{36}\n/);
    expect(rows).toMatch(/\nstood-before\n[\s\S]*Second done\.[\s\S]*› Change it\. Otherwise\./);
  });
});
