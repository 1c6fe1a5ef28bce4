import { globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { openIn } from './tui-scene.ts';

const script = [
  answer({ items: [say('First answer.')], deltas: true }),
  answer({ items: [say('Second answer.')], deltas: true }),
  answer({ items: [say('Third answer.')], deltas: true }),
];

describe('a thread that another program writes', () => {
  it('can be watched, and is continued here when that program has ended', async () => {
    const built = await scene(script, 'approval_policy = "on-request"');
    const writer = await openIn(built, { kind: 'new' }, 100);
    await writer.sees('Context 100% left');
    writer.say('One.');
    await writer.sees('Worked for');
    const watcher = await openIn(built, { kind: 'last' }, 120);
    const asked = (await watcher.sees('is being written by')).join('\n');
    expect(asked).toContain(`process ${process.pid}, since `);
    watcher.terminal.type('1');
    await watcher.sees('Watching only: capstan');
    const shown = (await watcher.sees('• First answer.')).join('\n');
    expect(shown).toMatch(/gpt-5\.5 via scripted · \S*workspace · workspace-write, on-request/);
    writer.say('!echo in-the-other-window');
    await watcher.sees(/You ran echo in-the-other-window\n {2}└ in-the-other-window/);
    writer.say('Two.');
    await watcher.sees('• Second answer.');
    watcher.say('Three, later.');
    await writer.leave();
    await watcher.sees('has ended');
    // A key that is pressed at once is not meant for the question.
    watcher.terminal.type('1');
    await watcher.sees('• Third answer.');
    const rows = (await watcher.leave()).join('\n');
    for (const text of ['First answer.', 'You ran', 'Second answer.', 'Third answer.'])
      expect(rows.split(text)).toHaveLength(2);
    expect(rows).toContain('› Three, later.');
  });

  it.each(['/pin a note', '/checkpoint undo'])(
    'is still held by the window in which %s was typed, and can be forked',
    async (command) => {
      const built = await scene(script, 'approval_policy = "on-request"');
      const writer = await openIn(built, { kind: 'new' }, 100);
      await writer.sees('Context 100% left');
      writer.say('One.');
      await writer.sees('Worked for');
      writer.say(command);
      await writer.sees(/Pinned as note 1|no rollback/);
      const other = await openIn(built, { kind: 'last' }, 120);
      expect((await other.sees('is being written by')).join('\n')).toContain(`process ${process.pid}, since `);
      expect((await other.sees('2. Fork it')).join('\n')).not.toContain('First answer.');
      other.terminal.type('2');
      expect((await other.sees('• First answer.')).join('\n')).not.toContain('Watching only');
      expect(built.place.rollouts()).toHaveLength(2);
    },
  );

  it('when the window has lost its conversation, the next message asks what to do, and is not lost', async () => {
    const built = await scene(script, 'approval_policy = "on-request"');
    const first = await openIn(built, { kind: 'new' }, 100);
    await first.sees('Context 100% left');
    first.say('One.');
    await first.sees('Worked for');
    // As on a file system without locks.
    for (const path of globSync('**/*.lock*', { cwd: built.place.home }))
      rmSync(join(built.place.home, path), { recursive: true });
    const second = await openIn(built, { kind: 'last' }, 120);
    await second.sees('• First answer.');
    first.say('Two.');
    await first.sees('took over');
    first.terminal.type('\r');
    expect((await first.sees('is being written by')).join('\n')).toContain('1. Watch it here');
    first.terminal.type('1');
    await first.sees('Watching only: capstan');
  });

  it('an archived one is brought back after a yes', async () => {
    const built = await scene(script);
    const { events } = await built.place.run('exec', '--json', 'One.');
    const id = events[0]!['thread_id'] as string;
    await built.place.run('threads', 'archive', id);
    const shown = await openIn(built, { kind: 'named', name: id });
    await shown.sees('This conversation is archived.');
    shown.terminal.type('1');
    expect((await shown.sees('• First answer.')).join('\n')).toContain('› One.');
  });

  it('one of another folder continues in either', async () => {
    const built = await scene(script);
    const other = join(built.place.root, 'other');
    mkdirSync(other);
    const { events } = await built.place.runWith({ cwd: other }, 'exec', '--json', '--skip-git-repo-check', 'One.');
    const shown = await openIn(built, { kind: 'named', name: events[0]!['thread_id'] as string }, 120);
    await shown.sees('belongs to another folder');
    shown.terminal.type('2');
    await shown.sees('• First answer.');
    shown.say('/status');
    expect((await shown.sees(/Folder|folder/)).join('\n')).toContain(built.place.workspace);
  });

  it('inside another conversation it is watched over it, and left or continued', async () => {
    const built = await scene(script, 'approval_policy = "on-request"');
    const writer = await openIn(built, { kind: 'new' }, 100);
    await writer.sees('Context 100% left');
    writer.say('One.');
    await writer.sees('Worked for');
    writer.say('/rename the other');
    await writer.sees('the other');
    const pauses = { typed: 50, drawn: 0, next: 0, over: 0 };
    const watcher = await openIn(built, { kind: 'new' }, 120, { pauses });
    await watcher.sees('Context 100% left');
    watcher.say('/resume the other');
    expect((await watcher.sees('is being written by')).join('\n')).toContain('Stay in this conversation');
    watcher.terminal.type('1');
    await watcher.sees('Watching only: capstan');
    await watcher.sees('• First answer.');
    watcher.terminal.type('\u0003');
    await watcher.sees(/Ask Capstan to do anything/);
    watcher.say('/resume the other');
    await watcher.sees('is being written by');
    watcher.terminal.type('1');
    await watcher.sees('• First answer.');
    watcher.terminal.type('\u001B');
    await watcher.sees(/Ask Capstan to do anything/);
    watcher.say('/resume the other');
    await watcher.sees('is being written by');
    watcher.terminal.type('1');
    await watcher.sees('• First answer.');
    await writer.leave();
    await watcher.sees('has ended');
    watcher.terminal.type('2');
    await watcher.sees('Watching only: no program writes it.');
    const next = await openIn(built, { kind: 'last' }, 100);
    await next.sees('• First answer.');
    next.say('Two.');
    expect((await watcher.sees('• Second answer.')).join('\n')).not.toContain('has ended');
    await next.leave();
    await watcher.sees('has ended');
    watcher.terminal.type('1');
    await watcher.sees('Ask Capstan to do anything');
    watcher.say('Go on.');
    const rows = (await watcher.sees('• Third answer.')).join('\n');
    expect(rows).toContain('› One.');
  });
});
