import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { tuiScene } from './tui-scene.ts';

const done = (text: string) => answer({ items: [say(text)], deltas: true });

describe('what stays in sight', () => {
  it('the row with the time and the way to interrupt, while an answer arrives', async () => {
    const long = `First line.\n\n${'Word after word. '.repeat(400)}`;
    const streamed = answer({ items: [say(long)], deltas: true });
    const { sees, say: tell, terminal } = await tuiScene([hang({ afterBytes: 30_000, of: streamed })]);
    await sees('Context');
    tell('Go.');
    await sees(/• First line\.\n[^]*Word after word\.[^]*\n• Working \(.*esc to interrupt\)/);
    terminal.type('\u001B');
    expect((await sees('The turn was interrupted.')).join('\n')).not.toContain('Working (');
  });

  it('a patch that did not apply, with its file and the lines that were not found', async () => {
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-nowhere to be found\n+new\n*** End Patch';
    const {
      sees,
      say: tell,
      place,
    } = await tuiScene([answer({ items: [callTool('apply_patch', { input: patch })] }), done('I see.')]);
    const file = join(place.workspace, 'a.txt');
    writeFileSync(file, 'one\ntwo\n');
    await sees('Context');
    tell('Patch it.');
    const rows = (await sees('• I see.')).join('\n');
    expect(rows).toMatch(/✗ Failed to edit a\.txt[^]*nowhere to be found/);
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });

  it('the permissions, which a key changes', async () => {
    const { sees, terminal } = await tuiScene([]);
    await sees(/Context 100% left.* Ask\n/);
    terminal.type('\u001Bp');
    await sees(/Context 100% left.* Read only\n/);
    terminal.type('\u001Bp');
    const rows = (await sees('Permissions: Ask.')).join('\n');
    expect(rows).toMatch(/Context 100% left.* Ask\n/);
  });

  it('the conversation, when /tui changes the way it is shown, while a turn runs and back', async () => {
    const {
      sees,
      terminal,
      say: tell,
    } = await tuiScene([
      done('First answer.'),
      answer({ items: [callTool('exec_command', { cmd: 'sleep 2' })] }),
      done('Second answer.'),
    ]);
    await sees('Context');
    tell('One.');
    await sees(/First answer\.\n\n {2}Worked/);
    tell('Two.');
    await sees('Running sleep');
    tell('/tui');
    await sees(/^\s*>_ Capstan[^]*First answer\.[^]*Running sleep/);
    expect(terminal.written).toContain('\u001B[?1049h');
    await sees('Second answer.');
    await sees(/Second answer\.\n\n {2}Worked for/);
    tell('/tui');
    const rows = (await sees(/^\$ echo before\nbefore[^]*Second answer\./)).join('\n');
    expect(rows.match(/First answer\./g)).toHaveLength(1);
    expect(rows.match(/Second answer\./g)).toHaveLength(1);
  });

  it('a letter, which is drawn with the next frame and not held back, whatever the terminal says of pastes', async () => {
    const { sees, terminal } = await tuiScene([]);
    await sees('Context');
    for (const marks of [true, false]) {
      terminal.marksPastes = marks;
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { length } = terminal.written;
      terminal.type('x');
      // The next round of the loop, and no clock.
      await new Promise((resolve) => setImmediate(resolve));
      expect(terminal.written.slice(length)).toContain('x');
    }
  });
});
