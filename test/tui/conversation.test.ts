import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { textsOf, inputOf } from '../harness/scene.ts';
import { openIn, tuiScene } from './tui-scene.ts';

const escalated = { cmd: 'echo out', sandbox_permissions: 'require_escalated', justification: 'It has to leave.' };

describe('a conversation in the terminal', () => {
  it('shows words, answers and the way back, and leaves alone what was there before', async () => {
    const {
      terminal,
      sees,
      say: tell,
      leave,
    } = await tuiScene([answer({ items: [say('# Hi\n\nAll **done**.')], deltas: true })]);
    await sees('Context 100% left');
    tell('Say hi.');
    await sees('Worked for');
    const rows = await leave();
    expect(rows.slice(0, 2)).toEqual(['$ echo before', 'before']);
    const text = rows.join('\n');
    expect(text).toMatch(/\n› Say hi\.\n\n• # Hi\n\n {2}All done\.\n\n {2}Worked for \S+ · \d\d:\d\d\n/);
    expect(text).toMatch(/\n90 tokens used\.\nTo continue: capstan resume [\w-]{36}$/);
    expect(terminal.written).not.toMatch(/\u001B\[[23]J/);
  });

  it('says what a turn cost where a price is known, and what the thread cost', async () => {
    const usage = { input: 1000, output: 500, total: 1500 };
    const prices = 'model_prices = { "scripted/gpt-5.5" = { input = 2, output = 10 } }';
    const { sees, say: tell } = await tuiScene(
      [answer({ items: [say('One.')], usage }), answer({ items: [say('Two.')], usage })],
      prices,
    );
    await sees('Context');
    tell('First.');
    await sees(/Worked for \S+ · \d\d:\d\d · \$0\.0070/);
    tell('Second.');
    await sees(/• Two\.[^]*Worked for \S+ · \d\d:\d\d · \$0\.0070/);
    expect((await sees('$0.014')).join('\n')).toMatch(/Context \d+% left · \$0\.014/);
  });

  it('takes messages before the engine is there', async () => {
    const { sees, say: tell, model } = await tuiScene([answer({ items: [say('Early.')], deltas: true })]);
    tell('At once.');
    await sees('• Early.');
    expect(textsOf(inputOf(model, 0)).at(-1)).toBe('At once.');
  });

  it('asks before a command leaves the sandbox, and runs it on y', async () => {
    const {
      sees,
      say: tell,
      terminal,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', escalated)] }),
      answer({ items: [say('It ran.')], deltas: true }),
    ]);
    await sees('Context');
    tell('Run it.');
    const rows = (await sees('May this command run?')).join('\n');
    expect(rows).toContain('The model says: It has to leave.');
    expect(rows).toContain('$ echo out');
    expect(rows).toContain('› 1. yes, once (y)');
    terminal.type('y');
    const after = (await sees('• It ran.')).join('\n');
    expect(after).toContain('✔ You allowed Capstan to run echo out');
    expect(after).toMatch(/• Ran \[outside the sandbox\] echo out/);
  });

  it('a question waits for a pause in what the user types, and a no has a note', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', escalated)] }),
      answer({ items: [say('I see.')], deltas: true }),
    ]);
    await sees('Context');
    tell('Run it.');
    terminal.type('yyy');
    await model.request(0);
    await sees('› yyy');
    await sees('May this command run?');
    // None of the letters was an answer.
    terminal.type('t');
    await sees('What should the model know?');
    terminal.type('Use another way.');
    terminal.type('\r');
    const rows = (await sees('• I see.')).join('\n');
    expect(rows).toContain('✗ You did not allow Capstan to run echo out');
    expect(textsOf(inputOf(model, 1)).join('\n')).toContain('Use another way.');
    expect(rows).toContain('› yyy');
  });

  it('Enter steers, Tab queues, Esc interrupts', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1.5' })] }),
      answer({ items: [say('Steered.')], deltas: true }),
      answer({ items: [say('From the queue.')], deltas: true }),
      hang({ afterBytes: 0, of: answer({ items: [say('never')] }) }),
    ]);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep 1.5');
    tell('And this.');
    await sees('sends them now)\n  ↳ And this.');
    terminal.type('Then that.');
    terminal.type('\t');
    await sees('↳ Then that.');
    await sees('• From the queue.');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('And this.');
    expect(textsOf(inputOf(model, 2)).at(-1)).toBe('Then that.');
    tell('Hang.');
    await model.request(3);
    terminal.type('\u001B');
    const rows = (await sees('The turn was interrupted.')).join('\n');
    expect(rows).not.toContain('Working (');
  });

  it('nothing that a model or a command says steers the terminal', async () => {
    const hostile = '\u001B]0;owned\u0007\u001B[2J\u001B[31mred\u202Etxt\u009B3J';
    const {
      sees,
      say: tell,
      terminal,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: String.raw`printf '\033]0;owned\007\033[2Jshown\n'` })] }),
      answer({ items: [say(`Done ${hostile} end`)], deltas: true }),
    ]);
    await sees('Context');
    tell(`Go \u202E.`);
    await sees('end');
    await sees('shown');
    const own = /\u001B\](?:133;[A-D]|0;[^\u0000-\u001F\u007F-\u009F\u202A-\u202E]*)\u0007/g;
    expect(terminal.written.replaceAll(own, '')).not.toMatch(/\u001B\]|\u0007|\u001B\[[23]J|\u001B\[31m|\u009B|\u202E/);
  });

  it('a resumed conversation is on the screen again, with its words to recall', async () => {
    // Its own words: a file with those of all conversations is not kept.
    const first = await tuiScene(
      [answer({ items: [say('One.')], deltas: true }), answer({ items: [say('Two.')], deltas: true })],
      '[history]\npersistence = "none"',
    );
    await first.sees('Context');
    first.say('First words.');
    await first.sees('• One.');
    await first.leave();
    expect(existsSync(join(first.place.home, 'history.jsonl'))).toBe(false);
    const second = await openIn(first, { kind: 'last' });
    await second.sees('• One.');
    second.terminal.type('\u001B[A');
    await second.sees(/› First words\.\n\n\s+gpt/);
    second.terminal.type('\r');
    const rows = (await second.sees('• Two.')).join('\n');
    expect(rows).toMatch(/› First words\.\n\n• One\.\n\n  Worked for .*\n\n› First words\.\n\n• Two\./);
  });

  it('a long one that is resumed while the size changes is printed once, and no more than its last rows', async () => {
    const lines = Array.from({ length: 700 }, (_, at) => `line ${at}`).join('\n\n');
    const first = await tuiScene([answer({ items: [say('Old answer.')] }), answer({ items: [say(lines)] })]);
    await first.sees('Context');
    first.say('Old words.');
    await first.sees('Worked for');
    first.say('Talk.');
    await first.sees(/line 699\n\n {2}Worked for/);
    await first.leave();
    const { sees, terminal } = await openIn(first, { kind: 'last' });
    terminal.resize(50, 18);
    const resizing = setInterval(() => terminal.resize(40 + (terminal.columns % 7), 18), 1);
    await sees('Worked for').finally(() => clearInterval(resizing));
    terminal.resize(60, 20);
    const rows = await sees(/line 699\n+ {2}Worked for .*\n+› Ask[^]*Context 100% left/);
    const shown = rows.filter((row) => row.startsWith('  line '));
    expect(shown).toEqual([...new Set(shown)]);
    expect(rows.join('\n')).not.toContain('Old answer.');
    expect(rows.slice(0, 2)).toEqual(['$ echo before', 'before']);
  });

  it('is drawn anew at another width, without losing or repeating a row', async () => {
    const {
      sees,
      say: tell,
      terminal,
    } = await tuiScene([answer({ items: [say('Some words that will be broken at a narrow width.')], deltas: true })]);
    await sees('Context');
    tell('Go.');
    await sees('Worked for');
    terminal.type('a draft that is being written');
    terminal.resize(40, 20);
    terminal.resize(90, 24);
    terminal.resize(50, 18);
    const rows = (await sees('› a draft that')).join('\n');
    expect(rows.match(/a draft that is/g)).toHaveLength(1);
    expect(rows).toMatch(/^\$ echo before\nbefore\n/);
    expect(rows.match(/Context 100% left/g)).toHaveLength(1);
  });
});
