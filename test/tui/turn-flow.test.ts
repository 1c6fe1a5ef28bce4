import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { openIn, tuiScene } from './tui-scene.ts';

const esc = '\u001B';
const tab = '\t';
const slow = answer({ items: [callTool('exec_command', { cmd: 'sleep 20' })] });
const done = (text: string) => answer({ items: [say(text)], deltas: true });
const never = hang({ afterBytes: 0, of: answer({ items: [say('never')] }) });

describe('what waits while a turn runs', () => {
  it('Esc with words that the turn has not read interrupts, and sends them as one message; the queue stays', async () => {
    const { sees, say: tell, terminal, model } = await tuiScene([slow, done('Both heard.'), done('Queue heard.')]);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep 20');
    tell('One.');
    await sees('↳ One.');
    tell('Two.');
    await sees('↳ Two.');
    terminal.type('Later.');
    terminal.type(tab);
    await sees('↳ Later.');
    terminal.type(esc);
    const rows = (await sees('• Queue heard.')).join('\n');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('One.\nTwo.');
    expect(textsOf(inputOf(model, 2)).at(-1)).toBe('Later.');
    expect(rows).not.toContain('↳');
    expect(textsOf(inputOf(model, 2)).filter((text) => text === 'One.' || text === 'Two.')).toEqual([]);
  });

  it('after another interrupt all that waited stands before the draft, once, and is not said', async () => {
    const { sees, say: tell, terminal, model } = await tuiScene([slow, done('Heard.')]);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep 20');
    tell('Steer.');
    await sees('↳ Steer.');
    terminal.type('Queued.');
    terminal.type(tab);
    await sees('↳ Queued.');
    terminal.type('A draft');
    terminal.type(esc);
    const rows = (await sees(/› Steer\.\n {2}Queued\.\n {2}A draft/)).join('\n');
    expect(rows.match(/Queued\./g)).toHaveLength(1);
    expect(rows).not.toContain('↳');
    terminal.type('\r');
    await sees('• Heard.');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('Steer.\nQueued.\nA draft');
    expect(textsOf(inputOf(model, 1)).filter((text) => text === 'Steer.')).toEqual([]);
  });

  it('queued commands are read when they come up; an unknown one is reported then, and the queue goes on', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1.5' })] }),
      done('First.'),
      done('Last.'),
    ]);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep');
    for (const words of ['/nonsense', '!echo from-the-shell', '/status', 'The end.']) {
      terminal.type(words);
      // In a list of commands the first Tab completes the name.
      if (words === '/status') terminal.type(tab);
      terminal.type(tab);
      await sees(`↳ ${words}`);
    }
    const rows = (await sees('• Last.')).join('\n');
    expect(rows.indexOf('• First.')).toBeLessThan(rows.indexOf('There is no command /nonsense.'));
    expect(rows).toContain('You ran echo from-the-shell');
    expect(textsOf(inputOf(model, 2)).at(-1)).toBe('The end.');
  });

  it('an open list holds the queue, and closing it releases it', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1' })] }),
      done('First.'),
      done('Second.'),
    ]);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep');
    terminal.type('Queued.');
    terminal.type(tab);
    await sees('↳ Queued.');
    tell('/permissions');
    await sees('Read only');
    await sees('• First.');
    await sees('Worked for');
    expect(model.requests).toHaveLength(2);
    terminal.type(esc);
    await sees('• Second.');
  });

  it('words for a compaction wait for its end, are sent as one, and the queue comes after them', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([answer({ items: [say('word '.repeat(5000)), say('First.')] }), never, done('Heard.')]);
    await sees('Context');
    tell('Go.');
    await sees('• First.');
    tell('/compact the tests');
    await model.request(1);
    tell('One.');
    tell('Two.');
    await sees(/For when this has ended\n {2}↳ One\.\n {2}↳ Two\./);
    terminal.type('draft');
    terminal.type(esc);
    await sees(/› One\.\n {2}Two\.\n {2}draft/);
    terminal.type('\r');
    await sees('• Heard.');
    expect(JSON.stringify(inputOf(model, 2))).not.toContain('/compact');
  });

  it('/pin waits for the end of the turn, and /compact for its next request: both say so at once', async () => {
    const { sees, say: tell } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1.5' })] }),
      done('First.'),
      slow,
    ]);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep 1.5');
    tell('/pin Use tabs.');
    const rows = (await sees('Capstan pins the note when this turn has ended')).join('\n');
    expect(rows).toContain('↳ /pin Use tabs.');
    await sees('Pinned as note 1: Use tabs.');
    tell('Again.');
    await sees('Running sleep 20');
    tell('/compact the tests');
    await sees('compacted before the next request');
  });

  it('the queue can be reordered, deleted from, edited and sent', async () => {
    const { sees, say: tell, terminal, model } = await tuiScene([slow, done('Heard.'), done('Second.')]);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep 20');
    for (const words of ['Aaa.', 'Bbb.', 'Ccc.', 'Ddd.']) {
      terminal.type(words);
      terminal.type(tab);
      await sees(`↳ ${words}`);
    }
    tell('/queue');
    await sees('1. Aaa.');
    terminal.type('K');
    terminal.type('J');
    await sees(/1\. Bbb\.\n› 2\. Aaa\./);
    terminal.type('d');
    await sees(/1\. Bbb\.\n› 2\. Ccc\.\n {2}3\. Ddd\./);
    terminal.type('\r');
    await sees('› Ccc.');
    terminal.type('\u0003');
    tell('/queue');
    await sees('2. Ddd.');
    terminal.type('\u001B[B');
    terminal.type('s');
    await sees(/esc interrupts and sends them now\)\n {2}↳ Ddd\./);
    terminal.type(esc);
    await sees('• Second.');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('Ddd.');
    expect(textsOf(inputOf(model, 2)).at(-1)).toBe('Bbb.');
  });

  it('what cannot be sent now says why, and keeps its place in the queue', async () => {
    const { sees, say: tell, terminal, model } = await tuiScene([never]);
    await sees('Context');
    tell('Hang.');
    await model.request(0);
    for (const words of ['/archive', '/nonsense', 'Last.']) {
      terminal.type(words);
      // In a list of commands the first Tab completes the name.
      if (words === '/archive') terminal.type(tab);
      terminal.type(tab);
      await sees(`↳ ${words}`);
    }
    tell('/queue');
    await sees('1. /archive');
    terminal.type('s');
    await sees('/archive has to wait until the turn ends. It stays queued.');
    terminal.type('j');
    terminal.type('s');
    const rows = (await sees('There is no command /nonsense.')).join('\n');
    expect(rows).toMatch(/1\. \/archive\s*\n› 2\. \/nonsense\n {2}3\. Last\./);
    terminal.type(esc);
    const after = (await sees(/↳ \/archive\s*\n {2}↳ \/nonsense\n {2}↳ Last\./)).join('\n');
    expect(after).toContain('› Ask Capstan');
  });

  it('what is queued when the terminal is closed waits again, as it was, and nothing is sent by itself', async () => {
    const built = await scene(
      [slow, done('Heard.'), done('First.'), done('Second.')],
      'approval_policy = "on-request"',
    );
    const first = await openIn(built, { kind: 'new' });
    await first.sees('Context');
    first.say('Go.');
    await first.sees('Running sleep 20');
    const kept = (): readonly string[] => {
      const folder = join(built.place.home, 'capstan', 'queued');
      return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')) : [];
    };
    first.terminal.type('One.');
    first.terminal.type(tab);
    await first.sees('↳ One.');
    // A process that is killed now does no more.
    expect(kept().join('')).toContain('One.');
    first.terminal.type('Two.');
    first.terminal.type(tab);
    await first.sees('↳ Two.');
    await first.leaveNow();
    expect((await first.terminal.all()).join('\n')).toContain('2 queued messages are kept for when you continue.');
    const second = await openIn(built, { kind: 'last' });
    const rows = (await second.sees('/queue shows the queue')).join('\n');
    expect(rows).toMatch(/2 messages from before wait again\.[^]*↳ One\.[^]*↳ Two\./);
    // A view that is closed lets the queue go on in other cases.
    second.terminal.type('/queue\r');
    await second.sees('s sends now');
    second.terminal.type(esc);
    await second.sees(/↳ One\.[^]*Context/);
    expect(built.model.requests).toHaveLength(1);
    second.say('Now.');
    await second.sees(/• Second\.\n\n {2}Worked/);
    expect([1, 2, 3].map((at) => textsOf(inputOf(built.model, at)).at(-1))).toEqual(['Now.', 'One.', 'Two.']);
    expect(kept()).toEqual([]);
  });
});
