import { describe, expect, it } from 'vitest';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { type TuiScene, tuiScene } from './tui-scene.ts';

const [escape, enter, left] = ['\u001B', '\r', '\u001B[D'];
const many = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n\n');

async function keys(terminal: TuiScene['terminal'], ...typed: readonly string[]): Promise<readonly string[]> {
  for (const each of typed) {
    terminal.type(each);
    // A lone Esc counts when nothing follows it at once.
    await new Promise((later) => setTimeout(later, 60));
  }
  return terminal.screen();
}

describe('the transcript', () => {
  it('finds words in what is folded, walks through the places, and jumps between messages', async () => {
    const {
      terminal,
      sees,
      say: tell,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'seq -f "number %g" 1 80' })] }),
      answer({ items: [say(many)], deltas: true }),
      answer({ items: [say('The end.')], deltas: true }),
    ]);
    await sees('Context 100% left');
    tell('Count.');
    const folded = await sees(/line 59\n\n {2}Worked/);
    expect(folded.join('\n')).not.toContain('number 40');
    tell('More.');
    await sees(/The end\.\n\n {2}Worked/);
    const end = await keys(terminal, '\u0014');
    expect(end[0]).toMatch(/^Transcript {2}100 %$/);
    expect(end.join('\n')).toContain('The end.');
    const typed = await keys(terminal, '/', 'n', 'u', 'm', 'b', 'e', 'r', ' ', '4');
    expect(typed.at(-1)).toBe('/number 4  11 of 11');
    expect(typed.join('\n')).toContain('number 49');
    const other = await keys(terminal, enter, 'N', 'N');
    expect(other.at(-1)).toMatch(/^\/number 4 {2}9 of 11/);
    expect(await terminal.cursor()).toEqual({
      row: other.findIndex((row) => row.includes('number 47')),
      column: 4,
    });
    expect((await keys(terminal, 'n', 'n', 'n')).at(-1)).toMatch(/1 of 11/);
    const jumped = await keys(terminal, escape, 'G', left, left);
    expect(jumped[1]).toBe('› Count.');
    // Esc ends the search, then goes back to a message; q only closes.
    await keys(terminal, 'q');
    expect((await terminal.screen()).join('\n')).toContain('› Ask Capstan');
    await keys(terminal, '\u0014', escape);
    expect((await sees('Go back to before which message?')).join('\n')).toContain('› More.');
  });

  it('follows what arrives while it is at its end', async () => {
    const {
      terminal,
      sees,
      say: tell,
      model,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1; echo later' })] }),
      hang({ afterBytes: 0, of: answer({ items: [say('never')] }) }),
    ]);
    await sees('Context 100% left');
    tell('Wait.');
    await sees('Running sleep 1');
    await keys(terminal, '\u0014');
    await model.request(1);
    await sees('later');
    const screen = await terminal.screen();
    expect(screen[0]).toMatch(/^Transcript/);
    expect(screen.join('\n')).toMatch(/└ later|later/);
  });
});
