import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sampleInput } from '../harness/sample-question.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { openIn, tuiScene } from './tui-scene.ts';

const done = (text: string) => answer({ items: [say(text)], deltas: true });
const command = (cmd: string, more: object = {}) =>
  answer({
    items: [
      callTool('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'Why not.', ...more }),
    ],
  });
const [left, right, tab] = ['\u001B[D', '\u001B[C', '\t'];

describe('a question in the terminal', () => {
  it('shows the diff of a patch, also when it is asked again after a restart', async () => {
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+zwei\n three\n*** End Patch';
    const first = await tuiScene([answer({ items: [callTool('apply_patch', { input: patch })] }), done('Patched.')]);
    const file = `${first.place.workspace}/a.txt`;
    writeFileSync(file, 'zero\none\ntwo\nthree\n');
    await first.sees('Context');
    first.say('/permissions');
    await first.sees('2. Read only');
    first.terminal.type('2');
    await first.sees('from the next turn on');
    first.say('Patch it.');
    await first.sees('May these files be changed?');
    const rows = (await first.sees(/-\s*two\n.*\+\s*zwei/)).join('\n');
    expect(rows).toContain('› 1. yes, once (y)');
    await first.leaveNow();
    const second = await openIn(first, { kind: 'last' });
    await second.sees(/May these files be changed\?[^]*-\s*two\n.*\+\s*zwei/);
    second.terminal.type('y');
    const after = (await second.sees('• Patched.')).join('\n');
    // The numbers of the lines are known once the patch was applied.
    expect(after).toMatch(/Edited a\.txt \(\+1 -1\)\n +2 +one\n +3 -two\n +3 \+zwei\n +4 +three/);
    expect(readFileSync(file, 'utf8')).toContain('zwei');
  });

  it('is answered by no letter that was typed into a list', async () => {
    const built = await scene(
      [
        answer({ items: [callTool('exec_command', { cmd: 'sleep 0.3' })] }),
        command('touch written'),
        command('touch second'),
        done('Ended.'),
      ],
      'approval_policy = "on-request"',
    );
    const pauses = { typed: 300, drawn: 200, next: 300, over: 0 };
    const { sees, say: tell, terminal } = await openIn(built, { kind: 'new' }, 80, { pauses });
    const isThere = (name: string): boolean => existsSync(`${built.place.workspace}/${name}`);
    const later = (milliseconds: number) => new Promise((over) => setTimeout(over, milliseconds));
    await sees('Context');
    tell('Go.');
    await sees('sleep 0.3');
    tell('/theme');
    await sees('Enter');
    for (let at = 0; at < 20; at++) {
      terminal.type('y');
      await later(60);
    }
    expect((await terminal.screen()).join('\n')).not.toContain('$ touch written');
    await sees('$ touch written');
    terminal.type('y');
    await later(50);
    expect(isThere('written')).toBe(false);
    await sees('Press it again.');
    await later(500);
    // The second one is for nothing.
    terminal.type('y');
    await later(30);
    terminal.type('y');
    await sees('$ touch second');
    await later(100);
    expect([isThere('written'), isThere('second')]).toEqual([true, false]);
    await later(500);
    terminal.type('n');
    await sees('• Ended.');
    expect(isThere('second')).toBe(false);
  });

  it('takes a note with a yes and with a no in the same view', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([command('echo one'), command('echo two'), done('Ended.')]);
    await sees('Context');
    tell('Go.');
    await sees('$ echo one');
    await sees('yes, once');
    terminal.type(tab);
    await sees('What should the model know?');
    terminal.type('Only this one.');
    terminal.type('\r');
    await sees('$ echo two');
    await sees('yes, once');
    terminal.type(`${tab}Not that.`);
    terminal.type('\u001B[B'.repeat(2));
    await sees(/› \d\. no \(n\)/);
    terminal.type('\r');
    await sees('• Ended.');
    expect(textsOf(inputOf(model, 1)).join('\n')).toContain('The user says: Only this one.');
    expect(textsOf(inputOf(model, 2)).join('\n')).toContain('The user says: Not that.');
  });

  it('is shown after a resume as it was: what did not run, and what was interrupted', async () => {
    const first = await tuiScene([
      command('echo one'),
      answer({ items: [callTool('exec_command', { cmd: 'sleep 20' })] }),
    ]);
    await first.sees('Context');
    first.say('Go.');
    await first.sees('yes, once');
    first.terminal.type('n');
    await first.sees('Running sleep 20');
    first.terminal.type('\u001B');
    const shown = /✗ You did not allow Capstan to run echo one[^]*Interrupted: sleep 20/;
    await first.sees(shown);
    await first.sees('The turn was interrupted');
    await first.leave();
    const second = await openIn(first, { kind: 'last' });
    const rows = (await second.sees('The turn was interrupted')).join('\n');
    expect(rows).toMatch(shown);
    expect(rows).not.toMatch(/Failed: sleep|Not run/);
  });

  it.each([
    ['Esc', '\u001B'],
    ['an answer', 's'],
  ])('gives words back that wait when %s ends the turn, before what is queued', async (_, key) => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1' }), ...command('echo one').items] }),
      done('Heard.'),
    ]);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep 1');
    terminal.type('Queued.');
    terminal.type(tab);
    await sees('↳ Queued.');
    tell('Steer.');
    await sees('↳ Steer.');
    await sees('$ echo one');
    await sees('yes, once');
    terminal.type(key);
    const rows = (await sees(/› Steer\.\n {2}Queued\./)).join('\n');
    expect(rows.match(/Steer\./g)).toHaveLength(1);
    terminal.type('\r');
    await sees('• Heard.');
    expect(textsOf(inputOf(model, 1)).filter((text) => String(text).includes('Steer.'))).toEqual(['Steer.\nQueued.']);
  });

  it('saves the rule that it shows, which can be made shorter and longer, and revoked', async () => {
    const {
      sees,
      say: tell,
      terminal,
      place,
    } = await tuiScene([
      command('echo a b v1'),
      command('echo a b v2'),
      done('Both ran.'),
      command('echo a b v3'),
      done('Asked again.'),
    ]);
    await sees('Context');
    tell('Go.');
    await sees('$ echo a b v1');
    await sees('begin with ["echo","a","b","v1"]');
    terminal.type(left);
    await sees('begin with ["echo","a","b"] ');
    terminal.type(left);
    terminal.type(right);
    terminal.type(left);
    await sees('begin with ["echo","a"] ');
    terminal.type('p');
    const rows = (await sees('• Both ran.')).join('\n');
    expect(rows).toContain('from now on, by a saved rule');
    const file = `${place.home}/rules/default.rules`;
    expect(readFileSync(file, 'utf8')).toBe('prefix_rule(pattern=["echo", "a"], decision="allow")\n');
    await sees('Worked for');
    tell('/rules');
    await sees('1. echo a …');
    terminal.type('\r');
    await sees('Revoke the rule for echo a …?');
    terminal.type('2');
    await sees('is revoked');
    expect(readFileSync(file, 'utf8')).not.toMatch(/^prefix_rule/m);
    tell('Again.');
    await sees('$ echo a b v3');
    terminal.type('n');
    await sees('• Asked again.');
    expect(existsSync(file)).toBe(true);
  });

  it('asks what the model wants to know: back and forth, with notes, and confirms what stays open', async () => {
    const questions = ['Colour', 'Size'].map((header) => sampleInput(header));
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await tuiScene([answer({ items: [callTool('request_user_input', { questions })] }), done('Thanks.')]);
    await sees('Context');
    tell('/plan What do I want?');
    await sees('Which colour?');
    terminal.type(right);
    await sees('Which size?');
    terminal.type(`${tab}About a metre.`);
    terminal.type('\r');
    await sees('1 question without an answer.');
    terminal.type('\u001B');
    await sees('Which colour?');
    terminal.type('2');
    await sees('Which size?');
    terminal.type('2');
    await sees('• Thanks.');
    const output = textsOf(inputOf(model, 1)).join('\n');
    expect(output).toContain(
      JSON.stringify({
        answers: { colour: { answers: ['Second Colour'] }, size: { answers: ['Second Size', 'About a metre.'] } },
      }),
    );
  });
});
