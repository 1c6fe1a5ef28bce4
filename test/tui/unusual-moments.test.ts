import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { type TuiScene, tuiScene } from './tui-scene.ts';

const [esc, enter, tab, up, altUp, f7] = ['\u001B', '\r', '\t', '\u001B[A', '\u001B[1;3A', '\u001B[18~'];
const done = (text: string) => answer({ items: [say(text)], deltas: true });
const slow = (seconds: number) => answer({ items: [callTool('exec_command', { cmd: `sleep ${seconds}` })] });
/** Runs until there is a file of this name in the workspace. */
const untilFile = answer({ items: [callTool('exec_command', { cmd: 'until [ -e go ]; do sleep 0.05; done' })] });
const never = hang({ afterBytes: 0, of: answer({ items: [say('never')] }) });
const pasted = (text: string): string => `\u001B[200~${text}\u001B[201~`;

/** Lets that command end, and waits until the terminal knows that the turn has ended: its title says it on any screen. */
async function endTurn({ place, terminal }: TuiScene): Promise<void> {
  const isBusy = (): boolean => /[\u2800-\u28FF]/.test(terminal.written.split('\u001B]0;').at(-1)!.split('\u0007')[0]!);
  expect(isBusy()).toBe(true);
  writeFileSync(join(place.workspace, 'go'), '');
  await expect.poll(isBusy).toBe(false);
}

describe('a draft', () => {
  it('has a ? in it like any other sign; first, it opens the help, which stays while a turn runs and ends', async () => {
    const opened = await tuiScene([untilFile, done('The end.')]);
    const { sees, say: tell, terminal } = opened;
    await sees('Context');
    // Quickly or slowly.
    terminal.marksPastes = false;
    terminal.type('wh');
    terminal.type('y?!');
    await sees('› why?!');
    terminal.marksPastes = true;
    terminal.type('\u0003');
    await sees('› Ask Capstan');
    tell('Go.');
    await sees('Running until');
    terminal.type('?');
    await sees('Keys and commands');
    await endTurn(opened);
    expect((await terminal.screen()).join('\n')).toContain('Keys and commands');
    terminal.type('q');
    await sees('• The end.');
  });

  it('that was cleared comes back with its picture and its paste, also in a new conversation', async () => {
    const { sees, say: tell, terminal, place, model } = await tuiScene([done('Seen.')]);
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    writeFileSync(join(place.workspace, 'dot.png'), Buffer.from(png, 'base64'));
    await sees('Context');
    terminal.type(pasted(join(place.workspace, 'dot.png')));
    await sees('[Image #1]');
    terminal.type(`and ${pasted('x'.repeat(1200))}`);
    await sees('› [Image #1] and [Pasted Content 1200 chars]');
    terminal.type('\u0003');
    await sees('› Ask Capstan');
    tell('/new');
    await sees(/>_ Capstan[^]*>_ Capstan/);
    terminal.type(up);
    terminal.type(up);
    await sees('› [Image #1] and [Pasted Content 1200 chars]');
    terminal.type(enter);
    await sees('• Seen.');
    const sent = JSON.stringify(inputOf(model, 0));
    expect([sent.includes('x'.repeat(1200)), sent.includes('data:image/png')]).toEqual([true, true]);
  });

  it('over the limit stays as it is, also when it was to be queued', async () => {
    const { sees, say: tell, terminal, model } = await tuiScene([never]);
    await sees('Context');
    tell('Hang.');
    await model.request(0);
    terminal.type(`see ${pasted('y'.repeat(1_048_576))}`);
    await sees('[Pasted Content 1048576 chars]');
    terminal.type(tab);
    await sees('more than 1,048,576 characters');
    const rows = (await sees('› see [Pasted Content 1048576 chars]')).join('\n');
    expect(rows).not.toContain('↳');
  });

  it('that was queued as a command is a command when it comes back', async () => {
    const { sees, say: tell, terminal, model } = await tuiScene([never]);
    await sees('Context');
    tell('Hang.');
    await model.request(0);
    terminal.type('/review the mill');
    terminal.type(tab);
    await sees('↳ /review the mill');
    terminal.type(altUp);
    await sees('› /review the mill');
    terminal.type(enter);
    const rows = (await sees('/review has to wait until the turn ends')).join('\n');
    expect(rows).toContain('› /review the mill');
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    [tab, '↳ /rules'],
    [esc, 'The turn was interrupted'],
  ])('that is a command and was refused: the keys that the notice names work at once', async (key, seen) => {
    const { sees, say: tell, terminal, model } = await tuiScene([never]);
    await sees('Context');
    tell('Hang.');
    await model.request(0);
    terminal.type('/rul');
    await sees('/rules');
    terminal.type(enter);
    await sees('has to wait until the turn ends. Tab queues it');
    terminal.type(key);
    expect((await sees(seen)).join('\n')).toContain('/rules');
  });

  it('for a compaction that has not begun waits, and is not lost', async () => {
    const words = 'Right behind it.';
    const {
      sees,
      say: tell,
      model,
    } = await tuiScene(({ body }) =>
      done(textsOf(body['input'] as unknown as readonly JsonObject[]).at(-1) === words ? 'Heard.' : 'First.'),
    );
    await sees('Context');
    tell('Go.');
    await sees(/First\.\n\n {2}Worked/);
    tell('/compact');
    tell(words);
    await sees('• Heard.');
    expect(textsOf(inputOf(model, model.requests.length - 1)).filter((text) => text === words)).toHaveLength(1);
  });
});

describe('the key that interrupts', () => {
  it('is the one that the user has bound, also for words that the turn has not read', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene(
      [slow(20), done('Heard.')],
      'approval_policy = "on-request"\n[tui.keymap.chat]\ninterrupt_turn = "f7"\n',
    );
    await sees('Context');
    tell('Go.');
    await sees('Running sleep');
    tell('A steer.');
    await sees('↳ A steer.');
    terminal.type(esc);
    await new Promise((over) => setTimeout(over, 300));
    expect(model.requests).toHaveLength(1);
    terminal.type(f7);
    await sees('• Heard.');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('A steer.');
  });

  it('is never the Esc that leaves the insert mode of Vim', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([slow(20), done('Heard.')], 'approval_policy = "on-request"\n[tui]\nvim_mode_default = true\n');
    await sees('Context');
    terminal.type('i');
    tell('Go.');
    await sees('Running sleep');
    terminal.type('i');
    tell('A steer.');
    await sees('↳ A steer.');
    terminal.type('ix');
    terminal.type(esc);
    await new Promise((over) => setTimeout(over, 300));
    expect((await terminal.screen()).join('\n')).toContain('Running sleep');
    expect(model.requests).toHaveLength(1);
  });

  it('leaves commands in the background as they are, and the row that counts them', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'echo tick; sleep 60', yield_time_ms: 300 })] }),
      never,
    ]);
    await sees('Context');
    tell('Go.');
    await model.request(1);
    await sees('1 in background');
    terminal.type(esc);
    await sees('The turn was interrupted.');
    tell('/ps');
    const rows = (await sees(/• Background terminal \d+ echo tick; sleep 60/)).join('\n');
    expect(rows).toContain('1 in background');
  });
});

describe('a change of the size', () => {
  it('under the transcript is made good when that closes, and no row is lost or shown twice', async () => {
    const opened = await tuiScene([untilFile, done('A row of words that a narrow screen breaks.')]);
    const { sees, say: tell, terminal } = opened;
    await sees('Context');
    tell('Go.');
    await sees('Running until');
    terminal.type('\u0014');
    await sees('Transcript');
    terminal.resize(30, 10);
    await endTurn(opened);
    expect((await terminal.screen()).join('\n')).toContain('Transcript');
    terminal.resize(70, 20);
    terminal.type('q');
    const rows = (await sees(/narrow screen breaks\.[^]*Worked for[^]*› Ask Capstan/)).join('\n');
    expect(rows).toMatch(/^\$ echo before\nbefore\n/);
    for (const words of ['A row of words', 'Ran until', '› Go.', 'Ask Capstan'])
      expect(rows.split(words)).toHaveLength(2);
    expect(rows).not.toContain('Transcript');
  });
});
