import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { type TuiScene, tuiScene } from './tui-scene.ts';

const [escape, enter, up, left, right] = ['\u001B', '\r', '\u001B[A', '\u001B[D', '\u001B[C'];
const command = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });
const done = (text: string) => answer({ items: [say(text)], deltas: true });

/** Two turns: the first makes two files, the second changes one and makes another. */
const script: Script = [
  command('echo one > a.txt; echo kept > b.txt'),
  done('First done.'),
  command('echo two > a.txt; echo new > c.txt; echo more >> b.txt'),
  done('Second done.'),
  done('Third done.'),
];

async function twoTurns(): Promise<TuiScene> {
  const opened = await tuiScene(script);
  const { sees, say: tell } = opened;
  await sees('Context 100% left');
  tell('Make files.');
  await sees(/First done\.\n\n {2}Worked/);
  tell('Change them.');
  await sees(/Second done\.\n\n {2}Worked/);
  return opened;
}

async function press(terminal: TuiScene['terminal'], ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    terminal.type(key);
    // A lone Esc counts when nothing follows it at once.
    await new Promise((later) => setTimeout(later, 60));
  }
}

describe('going back', () => {
  it('shows what would change, then takes files and conversation back; the source stays', async () => {
    const { terminal, sees, say: tell, place, model } = await twoTurns();
    await press(terminal, escape);
    await sees('Esc again: go back to an earlier message');
    await press(terminal, escape);
    const list = (await sees('Go back to before which message?')).join('\n');
    expect(list).toMatch(/ {2}Make files\. .*\n› Change them\./);
    // Someone else changes a file in the meantime: it stays.
    writeFileSync(join(place.workspace, 'b.txt'), 'mine\n');
    await press(terminal, enter);
    const shown = (await sees('1. conversation and files')).join('\n');
    expect(shown).toContain('› Change them.');
    expect(shown).toMatch(/changes back a\.txt\n.*-two\n.*\+one/);
    expect(shown).toMatch(/is deleted c\.txt\n.*-new/);
    expect(shown).toContain('stays b.txt (changed again after the turn)');
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('two\n');
    await press(terminal, enter);
    const rows = (await sees('The conversation is as it was before that message.')).join('\n');
    expect(rows).toMatch(
      /1 file restored, 1 file deleted, 1 file left as now\.\n {2}To undo that: \/rewind undo [\w-]{36}\n/,
    );
    expect(rows).toContain('› Change them.');
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(place.workspace, 'b.txt'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(place.workspace, 'c.txt'))).toBe(false);
    tell(' Again.');
    await sees('Third done.');
    const sent = textsOf(inputOf(model, 4)).map(String);
    expect(sent.filter((text) => /^(?:Make files|Change them)/.test(text))).toEqual([
      'Make files.',
      'Change them. Again.',
    ]);
    expect(place.rollouts()).toHaveLength(2);
    const listed = await place.run('threads', 'list', '--json');
    expect(listed.stdout.match(/"turns":2/g)).toHaveLength(2);
  });

  it('to before the first message, without the files; another key forgets the first Esc', async () => {
    const { terminal, sees, place } = await twoTurns();
    await press(terminal, escape);
    await sees('Esc again');
    await press(terminal, 'x', '\u007F', escape);
    expect((await terminal.screen()).join('\n')).not.toContain('Go back to before which');
    await press(terminal, escape);
    await sees('Go back to before which message?');
    await press(terminal, up, enter);
    await sees('2. conversation only');
    await press(terminal, '2');
    const rows = (await sees('Files are unchanged.')).join('\n');
    expect(rows).toContain('› Make files.');
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('two\n');
  });

  it('where the files cannot go back, the conversation stays as well, and the user reads why', async () => {
    const { terminal, sees, say: tell, place, model } = await twoTurns();
    tell('/rewind');
    await sees('Go back to before which message?');
    await press(terminal, enter);
    await sees('1. conversation and files');
    rmSync(join(place.home, 'capstan/snapshots'), { recursive: true });
    await press(terminal, '1');
    const rows = (await sees('is missing or damaged.')).join('\n');
    expect(rows).toMatch(/■ A snapshot of .*\n {2}Nothing was changed\./);
    tell('Go on.');
    await sees('Third done.');
    expect(textsOf(inputOf(model, 4))).toContain('Change them.');
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('two\n');
    expect(place.rollouts()).toHaveLength(1);
  });

  it('files only: the conversation stays, held by its window, and can be undone there', async () => {
    const { terminal, sees, say: tell, place, model } = await twoTurns();
    const content = (): string => readFileSync(join(place.workspace, 'a.txt'), 'utf8');
    tell('/rewind');
    await sees('Go back to before which message?');
    await press(terminal, enter);
    await sees('3. files only');
    await press(terminal, '3');
    const rows = (await sees('The conversation continues as it is.')).join('\n');
    expect(rows).toContain('To undo that: /rewind undo\n');
    expect(content()).toBe('one\n');
    const elsewhere = await place.run('threads', 'restore', '--last', '--undo');
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('is being written by') });
    expect(elsewhere.stderr).toContain('type /rewind undo there');
    tell('/rewind undo');
    await sees(/3 files restored\.\n.*\n {2}The conversation continues as it is\./);
    expect([content(), existsSync(join(place.workspace, 'c.txt'))]).toEqual(['two\n', true]);
    expect((await place.run('threads', 'pin', '--last', 'x')).stderr).toContain('is being written by');
    tell('Go on.');
    await sees('Third done.');
    expect(textsOf(inputOf(model, 4))).toContain('Change them.');
  });

  it('files of the former conversation come back from the one that went back, and its model reads so', async () => {
    const { terminal, sees, say: tell, place, model } = await twoTurns();
    await press(terminal, escape, escape);
    await sees('Go back to before which message?');
    await press(terminal, enter);
    await sees('1. conversation and files');
    await press(terminal, enter);
    const rows = (await sees('The conversation is as it was before that message.')).join('\n');
    const [, id = ''] = /\/rewind undo ([\w-]{36})/.exec(rows) ?? [];
    await press(terminal, '\u0003');
    tell('/rewind undo');
    const named = (await sees('Files went back in the conversation that this one came from.')).join('\n');
    expect(named.split(`To undo that: /rewind undo ${id}`)).toHaveLength(3);
    expect(named).toMatch(/› \/rewind undo$/m);
    await press(terminal, '\u0003');
    tell('/rewind undo now');
    await sees('Use /rewind, or /rewind undo [THREAD] to undo what it did to files.');
    tell(`/rewind undo ${id}`);
    await sees('3 files restored.');
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('two\n');
    tell('Go on.');
    await sees('Third done.');
    const told = textsOf(inputOf(model, 4)).filter((text) => String(text).startsWith('<files_put_back>'));
    expect(told).toEqual([expect.stringMatching(/undid that[^]*a\.txt/)]);
  });

  it('an undo names the files that it leaves, and where there is none, what can be done', async () => {
    const { terminal, sees, say: tell, place } = await twoTurns();
    tell('/rewind undo');
    const none = (await sees(/no restore to undo\.\n {2}\/rewind goes back to before a message/)).join('\n');
    expect(none).toMatch(/› \/rewind undo$/m);
    expect(none).not.toContain('--');
    await press(terminal, '\u0003');
    tell('/rewind');
    await sees('Go back to before which message?');
    await press(terminal, enter);
    await sees('3. files only');
    await press(terminal, '3');
    await sees('The conversation continues as it is.');
    writeFileSync(join(place.workspace, 'b.txt'), 'mine\n');
    tell('/rewind undo');
    await sees(/2 files restored, 1 file left as now\.\n.*\n {2}Left as now: b\.txt\n/);
    expect(readFileSync(join(place.workspace, 'b.txt'), 'utf8')).toBe('mine\n');
  });

  it('goes back at once where no turn changed a file: Left and Right choose the message', async () => {
    const { terminal, sees, say: tell, model } = await tuiScene([done('One.'), done('Two.'), done('Three.')]);
    await sees('Context 100% left');
    tell('First words.');
    await sees(/One\.\n\n {2}Worked/);
    tell('Second words.');
    await sees(/Two\.\n\n {2}Worked/);
    await press(terminal, escape, escape);
    await sees('Go back to before which message?');
    await press(terminal, left, left, left, right, enter);
    const rows = (await sees('The conversation is as it was before that message.')).join('\n');
    expect(rows).not.toContain('conversation only');
    expect(rows.slice(rows.indexOf('The conversation is'))).toContain('› Second words.');
    tell(' Again.');
    await sees('Three.');
    const sent = textsOf(inputOf(model, 2)).map(String);
    expect(sent.filter((text) => text.includes('words.'))).toEqual(['First words.', 'Second words. Again.']);
  });

  it('what was taken back counts in the end', async () => {
    const { terminal, sees, say: tell, leave } = await tuiScene([done('One.'), done('Two.')]);
    await sees('Context 100% left');
    tell('First words.');
    await sees(/One\.\n\n {2}Worked/);
    tell('Second words.');
    await sees(/Two\.\n\n {2}Worked/);
    tell('/rewind');
    await sees('Go back to before which message?');
    await press(terminal, enter);
    await sees('The conversation is as it was before that message.');
    await press(terminal, '\u0003');
    expect((await leave()).join(' ')).toContain('with what was taken back or asked beside it');
  });

  it('stays where it is if the list is closed while the files are compared', async () => {
    const { terminal, sees, say: tell, place, model } = await tuiScene([done('One.'), done('Two.')]);
    await sees('Context 100% left');
    tell('First words.');
    await sees(/One\.\n\n {2}Worked/);
    tell('/rewind');
    await sees('Go back to before which message?');
    terminal.type(enter);
    terminal.type('\u0003');
    tell('Second words.');
    await sees(/Two\.\n\n {2}Worked/);
    const sent = textsOf(inputOf(model, 1)).map(String);
    expect(sent.filter((text) => text.includes('words.'))).toEqual(['First words.', 'Second words.']);
    expect(place.rollouts()).toHaveLength(1);
  });

  it('brings the pictures of the message back with it', async () => {
    const { terminal, sees, say: tell, place, model } = await tuiScene([done('Seen.'), done('Seen again.')]);
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const file = join(place.workspace, 'a.png');
    writeFileSync(file, Buffer.from(png, 'base64'));
    await sees('Context 100% left');
    terminal.type(`What is \u001B[200~${file}\u001B[201~`);
    await sees('› What is [Image #1]');
    tell('?');
    await sees(/Seen\.\n\n {2}Worked/);
    rmSync(file);
    tell('/rewind');
    await sees('Go back to before which message?');
    await press(terminal, enter);
    await sees(/as it was before that message[^]*› What is \[Image #1\] \?/);
    tell('');
    await sees('• Seen again.');
    expect(JSON.stringify(inputOf(model, 1).at(-1))).toContain(png);
  });

  it('leaves what is typed meanwhile alone: a command stays one, and Up brings the message back', async () => {
    const { terminal, sees, model } = await twoTurns();
    await press(terminal, escape, escape);
    await sees('Go back to before which message?');
    await press(terminal, enter);
    await sees('2. conversation only');
    terminal.type('2');
    await new Promise((later) => setImmediate(later));
    for (const sign of '/pin be brief') terminal.type(sign);
    const rows = (await sees('Up in an empty line brings that message back.')).join('\n');
    expect(rows).toMatch(/› \/pin be brief$/m);
    expect(rows.slice(rows.indexOf('The conversation is'))).not.toContain('Change them.');
    await press(terminal, enter);
    await sees('Pinned');
    expect(model.requests).toHaveLength(4);
    await press(terminal, up);
    await sees(/Pinned[^]*› Change them\.$/m);
  });

  it('says so where there is nothing to go back to', async () => {
    const { terminal, sees } = await tuiScene([]);
    await sees('Context 100% left');
    await press(terminal, escape, escape);
    expect(await sees('There is no message to go back to yet.')).toContain('› Ask Capstan to do anything');
  });
});
