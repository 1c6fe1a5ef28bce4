import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { answer, httpError, say } from '../../src/testing/index.ts';
import { ownSeconds, processesWith } from '../harness/process-table.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { tuiScene } from './tui-scene.ts';

const esc = '\u001B';
const ctrlC = '\u0003';

describe('a command of the user', () => {
  it.each([
    ['Esc', esc],
    ['Ctrl+C', ctrlC],
  ])('%s ends it, and Capstan stays', async (_, key) => {
    const { sees, say: tell, terminal, place, model } = await tuiScene([answer({ items: [say('Still here.')] })]);
    await sees('Context');
    const seconds = ownSeconds(73001);
    tell(`!sleep ${seconds}; touch late`);
    await sees(/Running your command \(.*esc to interrupt\)/);
    await expect.poll(() => processesWith(seconds)).not.toEqual([]);
    terminal.type(key);
    await sees(`Your command was interrupted: sleep ${seconds}; touch late`);
    tell('Go on.');
    const rows = (await sees('• Still here.')).join('\n');
    expect(rows).not.toContain('Esc again');
    expect(textsOf(inputOf(model, 0)).join('\n')).toContain('Exit code: none (stopped by the user)');
    await expect.poll(() => processesWith(seconds)).toEqual([]);
    expect(existsSync(join(place.workspace, 'late'))).toBe(false);
  });

  it('names a file as it is drawn: nothing of its name runs', async () => {
    const { sees, terminal, place } = await tuiScene([]);
    const name = 'notes\u001B];touch${IFS}PWNED;#\u0007.md';
    writeFileSync(join(place.workspace, name), 'what it says');
    await sees('Context');
    // Esc leaves one that is empty.
    terminal.type('!');
    await sees(/^!/m);
    terminal.type(esc);
    expect((await sees('› Ask Capstan')).join('\n')).not.toMatch(/^!/m);
    terminal.type('!cat @not');
    await sees('› notes␛];touch${IFS}PWNED;#␇.md');
    terminal.type('\t');
    await sees("! cat 'notes␛];touch${IFS}PWNED;#␇.md'");
    terminal.type('\r');
    await sees('what it says');
    await sees("You ran cat 'notes␛];touch${IFS}PWNED;#␇.md'");
    expect(existsSync(join(place.workspace, 'PWNED'))).toBe(false);
  });

  it('ends when Capstan is left', async () => {
    const { sees, say: tell, leave, place } = await tuiScene([]);
    await sees('Context');
    const seconds = ownSeconds(73002);
    tell(`!sleep ${seconds}; touch late`);
    await sees('Running your command');
    await expect.poll(() => processesWith(seconds)).not.toEqual([]);
    await leave();
    await expect.poll(() => processesWith(seconds)).toEqual([]);
    expect(existsSync(join(place.workspace, 'late'))).toBe(false);
  });

  it('ends with the conversation that it is for', async () => {
    const { sees, say: tell } = await tuiScene([]);
    await sees('Context');
    tell('!sleep 20');
    await sees('Running your command');
    tell('/new');
    await sees(/Capstan \(v[^]*Capstan \(v/);
    tell('/ps');
    expect((await sees('No commands run in the background.')).join('\n')).not.toContain('Your command sleep 20');
  });

  it('does not hold a message behind a turn that failed', async () => {
    const refused = httpError({ status: 400, body: JSON.stringify({ error: { message: 'No.' } }) });
    const { sees, say: tell } = await tuiScene([refused, answer({ items: [say('Heard.')] })]);
    await sees('Context');
    tell('Go.');
    await sees('r tries again');
    tell('!sleep 20');
    await sees('Running your command');
    tell('Once more.');
    const rows = (await sees('• Heard.')).join('\n');
    expect(rows).not.toContain('Queued behind your command');
  });

  it('is sent by Enter alone while nothing runs, is listed by /ps and ended by /stop, with what it printed', async () => {
    const { sees, say: tell, terminal } = await tuiScene([]);
    await sees('Context');
    terminal.type('!echo printed; sleep 20\t');
    expect((await sees('! echo printed; sleep 20')).join('\n')).not.toContain('Running');
    await wait(50);
    expect((await sees('! echo printed; sleep 20')).join('\n')).not.toContain('Running');
    tell('');
    await sees('└ printed');
    tell('/ps');
    await sees(/Your command echo printed; sleep 20\n.*printed/);
    tell('/stop');
    await sees('Stopped 1 command of yours.');
    const rows = await sees('Your command was interrupted: echo printed; sleep 20');
    expect(rows.filter((row) => row.includes('Running'))).toEqual([]);
  });

  it('comes before a message that was sent while it ran', async () => {
    const { sees, say: tell, model } = await tuiScene([answer({ items: [say('Read.')] })]);
    await sees('Context');
    tell('!sleep 1; echo printed-late');
    await sees('Running your command');
    tell('What did it print?');
    await sees(/Queued behind your command, which esc ends \(\/queue shows all\)\n {2}↳ What did it print\?/);
    await sees('• Read.');
    const [ran, asked] = textsOf(inputOf(model, 0)).slice(-2);
    expect([String(ran).includes('\nprinted-late'), asked]).toEqual([true, 'What did it print?']);
  });

  it('prints characters whose bytes come one by one', async () => {
    const { sees, say: tell } = await tuiScene([]);
    await sees('Context');
    tell(String.raw`!printf 'gr\303'; sleep 0.3; printf '\274n\n'; sleep 20`);
    expect((await sees('grün')).join('\n')).not.toContain('\uFFFD');
  });

  it('of two, Esc ends the newer one first', async () => {
    const { sees, say: tell, terminal } = await tuiScene([]);
    await sees('Context');
    tell('!sleep 20');
    await sees('Running sleep 20');
    tell('!sleep 21');
    await sees('Running sleep 21');
    terminal.type(esc);
    const rows = (await sees('Your command was interrupted: sleep 21')).join('\n');
    expect(rows).toContain('Running sleep 20');
    terminal.type(esc);
    await sees('Your command was interrupted: sleep 20');
  });
});
