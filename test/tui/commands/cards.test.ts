import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, hang, say } from '../../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../../harness/scene.ts';
import { openIn, tuiScene } from '../tui-scene.ts';

describe('/status', () => {
  it('shows what is in force, what counts, and what it has cost', async () => {
    const { sees, say: tell, place } = await tuiScene([answer({ items: [say('Hi.')] })]);
    writeFileSync(join(place.workspace, 'AGENTS.md'), '# Rules\n');
    await sees('Context 100% left');
    tell('Hello.');
    await sees('• Hi.');
    tell('/status');
    const text = (await sees(/ {2}Cost +\S/)).join('\n');
    const names = [...text.slice(text.indexOf('\nStatus\n')).matchAll(/^ {2}([A-Z][\w.]*(?: \w+)?) {2,}\S/gm)].map(
      ([, name]) => name,
    );
    expect(names).toEqual([
      'Model',
      'Provider',
      'Folder',
      'Permissions',
      'AGENTS.md',
      'Account',
      'Mode',
      'Thread',
      'Tokens',
      'Context',
      'Cost',
    ]);
    expect(text).toMatch(/Provider {5}scripted \(http:\/\/127\.0\.0\.1:\d+\/\w+\/v1\)/);
    expect(text.replaceAll(/\s/g, '')).toContain('workspace/AGENTS.md');
    expect(text).toContain('Tokens       90 used: 100 input (20 cached), 10 output');
    expect(text).toMatch(/ {2}Cost +unknown/);
  });
});

describe('/cd and /pwd', () => {
  it('another folder holds from the next turn on, and one that is not there is refused', async () => {
    const { sees, say: tell, place, model, terminal } = await tuiScene([answer({ items: [say('There.')] })]);
    mkdirSync(join(place.workspace, 'inner'));
    await sees('Context 100% left');
    tell('/cd nowhere');
    await sees(/■ The folder [^]*nowhere does not exist\.\s+Name a\s+folder that is there/);
    await sees('› /cd nowhere');
    terminal.type('\u0003');
    tell('/cd inner');
    await sees('The next turn works in');
    tell('/pwd');
    await sees('• /');
    tell('Go.');
    await sees('• There.');
    expect(textsOf(inputOf(model, 0)).join('\n')).toContain(`<cwd>${realpathSync(place.workspace)}/inner</cwd>`);
  });
});

describe('/goal', () => {
  it('says how to switch goals on', async () => {
    const { sees, say: tell } = await tuiScene([]);
    await sees('Context 100% left');
    tell('/goal');
    expect((await sees('Goals are off.')).join(' ')).toContain('capstan features enable goals');
  });

  it('sets a goal in words, shows it, and puts it into the draft', async () => {
    const {
      sees,
      say: tell,
      model,
    } = await tuiScene(
      [
        answer({ items: [callTool('create_goal', { objective: 'All tests pass.' })] }),
        answer({ items: [callTool('update_goal', { status: 'blocked' })] }),
        answer({ items: [say('I need you.')] }),
        answer({ items: [say('Again.')] }),
      ],
      '[features]\ngoals = true',
    );
    await sees('Context 100% left');
    tell('/goal');
    await sees('This conversation has no goal. /goal WORDS sets one.');
    tell('/goal All tests pass.');
    await sees('• I need you.');
    expect(textsOf(inputOf(model, 0)).at(-1)).toMatch(/^Set a goal for this conversation.*: All tests pass\.$/);
    await sees('Worked for');
    tell('/goal');
    expect((await sees('sets another one.')).join('\n')).toMatch(
      /Goal\n {2}Objective {2}All tests pass\.\n {2}Status {5}goal blocked\n {2}Cost/,
    );
    tell('/goal resume');
    await sees('• Again.');
    expect(textsOf(inputOf(model, 3)).join('\n')).toContain('Resume the goal.');
    tell('/goal edit');
    await sees('› /goal All tests pass.');
  });

  it('pauses the goal of a turn that runs by ending the turn, and says nothing to the model', async () => {
    const {
      sees,
      say: tell,
      model,
    } = await tuiScene(
      [
        answer({ items: [callTool('create_goal', { objective: 'All tests pass.' })] }),
        hang({ afterBytes: 0, of: answer({ items: [say('never')] }) }),
      ],
      '[features]\ngoals = true',
    );
    await sees('Context 100% left');
    tell('/goal All tests pass.');
    await model.request(1);
    tell('/goal pause');
    await sees('The turn was interrupted.');
    tell('/goal');
    await sees(/Status {5}goal paused/);
    expect(model.requests).toHaveLength(2);
  });
});

describe('/debug-config and /logout', () => {
  it('shows the layers and where values come from; says that there is no login', async () => {
    const { sees, say: tell, terminal } = await tuiScene([]);
    await sees('Context 100% left');
    tell('/debug-config');
    const rows = (await sees('Layers, the one that wins first')).join('\n');
    expect(rows).toMatch(/user {6}\/\S+\/config\.toml/);
    expect(rows).toMatch(/model = "gpt-5\.5" {2}# user/);
    terminal.type('q');
    tell('/logout');
    await sees('You were not signed in.');
  });
});

describe('/permissions', () => {
  it('marks what the turn that runs has, and what the next one will have', async () => {
    const slow = answer({ items: [callTool('exec_command', { cmd: 'sleep 20' })] });
    const { sees, say: tell, terminal } = await tuiScene([slow]);
    await sees('Context');
    tell('Go.');
    await sees('Running sleep 20');
    tell('/permissions read only');
    await sees('Permissions: Read only.');
    tell('/permissions');
    const rows = (await sees(/1\. Ask[^]*4\. Reviewed/)).join('\n');
    expect(rows).toMatch(/Ask +\(current\) work in this folder[^]*Read only +\(next turn\) ask before every change/);
    terminal.type('\u001B');
    await sees('esc to interrupt');
  });

  it('asks again before full access, with No as the first answer', async () => {
    const { sees, say: tell, terminal } = await tuiScene([]);
    await sees('Context 100% left');
    tell('/permissions');
    await sees(/1\. Ask +\(current\)/);
    terminal.type('3');
    await sees('Full access?');
    terminal.type('\r');
    expect((await sees(/ Ask\n/)).join('\n')).not.toContain('Permissions: Full access');
    tell('/permissions');
    await sees('3. Full access');
    terminal.type('3');
    await sees('Full access?');
    terminal.type('2');
    await sees('Permissions: Full access. They hold from the next turn on.');
    await sees(/ Full access\n/);
  });
});

describe('/compact', () => {
  it('says so where there is nothing to compact', async () => {
    const { sees, say: tell, model } = await tuiScene([]);
    await sees('Context 100% left');
    tell('/compact');
    await sees('Nothing to compact yet.');
    expect(model.requests).toEqual([]);
  });

  it('says the same of a short conversation, and asks no model: live, from the shell, and after a resume', async () => {
    const first = await tuiScene([answer({ items: [say('Hello.')] })]);
    await first.sees('Context 100% left');
    first.say('Hi.');
    await first.sees('Hello.');
    first.say('/compact');
    await first.sees('Nothing to compact yet.');
    await first.leave();
    // A command that nobody attends has other permissions to tell the model.
    const { code, stderr } = await first.place.run('threads', 'compact', '--last');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing to compact yet.')]);
    const again = await openIn(first, { kind: 'last' });
    await again.sees('Hello.');
    again.say('/compact');
    await again.sees('Nothing to compact yet.');
    expect(first.model.requests).toHaveLength(1);
  });

  it('from the terminal, too, of a short thread of a command', async () => {
    const built = await scene([answer({ items: [say('Hello.')] })]);
    await built.place.run('exec', 'Hi.');
    const { sees, say: tell } = await openIn(built, { kind: 'last' });
    await sees('Hello.');
    tell('/compact');
    await sees('Nothing to compact yet.');
    expect(built.model.requests).toHaveLength(1);
  });
});
