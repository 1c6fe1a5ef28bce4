import { describe, expect, it } from 'vitest';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { tuiScene } from './tui-scene.ts';

const [escape, enter, left] = ['\u001B', '\r', '\u001B[D'];
const many = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n\n');

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
    const press = (...typed: readonly string[]): void => typed.forEach((each) => terminal.type(each));
    press('\u0014');
    await sees(/^Transcript {2}100 %\n[^]*The end\./);
    press(...'/number 4');
    await sees(/number 49\n[^]*\n\/number 4 {2}11 of 11$/);
    press(enter, 'N', 'N');
    const other = await sees(/\n\/number 4 {2}9 of 11/);
    expect(await terminal.cursor()).toEqual({
      row: other.findIndex((row) => row.includes('number 47')),
      column: 4,
    });
    press('n', 'n', 'n');
    await sees(/\n\/number 4 {2}1 of 11/);
    // Esc ends the search, then goes back to a message; q only closes.
    press(escape);
    await sees('left and right: messages');
    press('G', left, left);
    await sees(/^Transcript.*\n› Count\./);
    press('q');
    await sees('› Ask Capstan');
    press('\u0014');
    await sees(/^Transcript/);
    press(escape);
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
    terminal.type('\u0014');
    await sees(/^Transcript/);
    await model.request(1);
    expect((await sees(/^Transcript[^]*\n {4}later\n/))[0]).toContain('100 %');
  });
});
