import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { ownSeconds, processesWith } from '../harness/process-table.ts';
import { tuiScene } from './tui-scene.ts';

const escalated = { cmd: 'echo out', sandbox_permissions: 'require_escalated', justification: 'Why not.' };

describe('a side conversation', () => {
  it('reports a paste that is too long once, and where it was pasted', async () => {
    const { terminal, sees, say: tell } = await tuiScene([answer({ items: [say('Started.')], deltas: true })]);
    await sees('Context 100% left');
    tell('Hello.');
    await sees(/Started\.\n\n {2}Worked/);
    tell('/side');
    await sees('A side conversation: it knows');
    terminal.type(`\u001B[200~${'n'.repeat(4 * 1024 * 1024 + 1)}\u001B[201~`);
    await sees('The paste is too long');
    terminal.type('\u0003\u0003');
    expect((await sees('› Ask Capstan')).join('\n')).not.toContain('The paste is too long');
  });

  it('runs beside the main one, says when that asks, and leaves nothing behind', async () => {
    const {
      terminal,
      sees,
      say: tell,
      model,
      place,
    } = await tuiScene([
      answer({ items: [say('Started.')], deltas: true }),
      answer({ items: [callTool('exec_command', { cmd: 'sleep 3' })] }),
      answer({ items: [say('It means this.')], deltas: true }),
      answer({ items: [callTool('exec_command', escalated)] }),
      answer({ items: [say('Main done.')], deltas: true }),
    ]);
    await sees('Context 100% left');
    tell('/side');
    await sees('Send a message first.');
    tell('Hello.');
    await sees(/Started\.\n\n {2}Worked/);
    tell('Work.');
    await sees('Running sleep 3');
    tell('/side What does it mean?');
    const side = (await sees('It means this.')).join('\n');
    expect(side).toContain('› What does it mean?');
    expect(side).toMatch(/Side conversation · the main conversation (?:runs|waits)/);
    expect(textsOf(inputOf(model, 2))).toEqual(expect.arrayContaining(['Hello.', 'Work.', 'What does it mean?']));
    for (const name of ['rewind', 'new', 'permissions', 'context', 'side']) {
      tell(`/${name}`);
      await sees(`/${name} does not work in a side conversation.`);
    }
    tell('/ps');
    await sees('No commands run in the background.');
    // The list offers what works here.
    terminal.type('/re');
    await sees(/› \/re\n/);
    terminal.type('\u0015/mo');
    expect((await sees('choose the model')).join('\n')).not.toContain('/memories');
    terminal.type('\u0003\u001B\u001B');
    expect((await sees('Ask something beside')).join('\n')).not.toContain('earlier message');
    await sees('the main conversation waits for your answer');
    for (const help of ['?', '/help\r']) {
      terminal.type(help);
      await sees('Keys and commands');
      terminal.type('G');
      const listed = (await sees(/\/quit +leave/)).join('\n');
      expect(listed.slice(listed.indexOf('Commands')).match(/^ {2}\/[\w-]+/gm)).toEqual(
        ['model', 'queue', 'copy', 'raw', 'diff', 'ps', 'stop', 'status', 'help', 'quit'].map((name) => `  /${name}`),
      );
      terminal.type('q');
      await sees('Ask something beside');
    }
    terminal.type('\u0003');
    await sees('May this command run?');
    terminal.type('y');
    const rows = (await sees(/Main done\.\n\n {2}Worked/)).join('\n');
    expect(rows).not.toContain('It means this.');
    expect(textsOf(inputOf(model, 4))).not.toContain('What does it mean?');
    expect(place.rollouts()).toHaveLength(1);
    expect(rows).not.toContain('The side conversation ');
  });

  it('takes neither the main conversation nor itself for an agent', async () => {
    const {
      terminal,
      sees,
      say: tell,
    } = await tuiScene([
      answer({ items: [say('Started.')], deltas: true }),
      answer({ items: [callTool('exec_command', { cmd: 'sleep 30' })] }),
      answer({ items: [say('It means this.')], deltas: true }),
      answer({ items: [callTool('exec_command', { cmd: 'sleep 31' })] }),
    ]);
    await sees('Context 100% left');
    tell('Hello.');
    await sees(/Started\.\n\n {2}Worked/);
    tell('Work.');
    await sees('Running sleep 30');
    tell('/side What does it mean?');
    expect((await sees(/It means this\.\n\n {2}Worked[^]*› Ask/)).join('\n')).not.toContain('agent');
    tell('Sleep.');
    await sees('Running sleep 31');
    terminal.type('\u0003\u0004');
    expect((await sees('To continue')).join('\n')).not.toContain('agent');
  });

  it('says which files it changed when it ends', async () => {
    const patch = ['*** Begin Patch', '*** Add File: side.txt', '+from the side', '*** End Patch'].join('\n');
    const {
      terminal,
      sees,
      say: tell,
      model,
      place,
    } = await tuiScene([
      answer({ items: [say('Started.')], deltas: true }),
      answer({ items: [{ type: 'custom_tool_call', name: 'apply_patch', input: patch }] }),
      answer({ items: [callTool('exec_command', { cmd: 'echo more > other.txt' })] }),
      answer({ items: [say('Written.')], deltas: true }),
      answer({ items: [say('I know.')], deltas: true }),
    ]);
    await sees('Context 100% left');
    tell('Hello.');
    await sees(/Started\.\n\n {2}Worked/);
    tell('/side Write a file.');
    await sees(/Written\.\n\n {2}Worked/);
    terminal.type('\u0003');
    const rows = (await sees('The side conversation changed')).join(' ').replaceAll(/\s+/g, ' ');
    expect(rows).toContain(
      'The side conversation changed side.txt and ran 1 command. Files stay as it left them: the main model reads which file it changed, but not what the command did, and /rewind does not take that back.',
    );
    tell('What do you know?');
    await sees(/I know\.\n\n {2}Worked/);
    const told = textsOf(inputOf(model, 4)).find((text) => String(text).includes('files_changed_beside'));
    expect(told).toContain(`Added: "${place.workspace}/side.txt"`);
    expect(told).toContain('It also ran 1 command');
  });

  it('ends with what it runs when it is closed', async () => {
    const seconds = ownSeconds(20_000);
    const {
      terminal,
      sees,
      say: tell,
    } = await tuiScene([
      answer({ items: [say('Started.')], deltas: true }),
      answer({ items: [callTool('exec_command', { cmd: `sleep ${seconds}` })] }),
    ]);
    await sees('Context 100% left');
    tell('Hello.');
    await sees(/Started\.\n\n {2}Worked/);
    tell('/side Wait.');
    await sees(`Running sleep ${seconds}`);
    await expect.poll(() => processesWith(seconds)).not.toEqual([]);
    terminal.type('\u0003');
    await sees('› Ask Capstan');
    await expect.poll(() => processesWith(seconds)).toEqual([]);
  });

  it('sends no line of a paste that the terminal does not mark, and runs none', async () => {
    const { terminal, sees, say: tell, model, place } = await tuiScene(() => answer({ items: [say('Ok.')] }));
    await sees('Context 100% left');
    tell('Hello.');
    await sees('Worked for');
    tell('/side');
    await sees('Side conversation');
    terminal.marksPastes = false;
    for (const piece of ['the notes ', 'say:\r', '!touch ran', '\r', 'and so on\r']) terminal.type(piece);
    await sees(/› the notes say:\n {2}!touch ran\n {2}and so on/);
    await new Promise((over) => setTimeout(over, 500));
    expect([model.requests.length, existsSync(join(place.workspace, 'ran'))]).toEqual([1, false]);
  });
});
