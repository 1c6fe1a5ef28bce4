import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { SideConversationChanges } from '../../src/engine/live/side-conversation-changes.ts';
import type { LiveThread } from '../../src/engine/live/live-thread-types.ts';
import { answer, callTool, type ItemDraft, say, type ScriptStep } from '../../src/testing/index.ts';
import { saysLong, talk } from '../compaction/talk.ts';
import { liveScene, opened } from '../live/live-scene.ts';

const patch = (...lines: readonly string[]): ItemDraft => ({
  type: 'custom_tool_call',
  name: 'apply_patch',
  input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});
const writes = (...lines: readonly string[]): ScriptStep => answer({ items: [patch(...lines)] });
const update = (from: string, to: string): readonly string[] => ['*** Update File: app.js', `-${from}`, `+${to}`];
const says = (text: string): ScriptStep => answer({ items: [say(text)] });

/** A main conversation of one turn, and one beside it that changes a file, adds one, deletes one and runs a command. */
async function besideScene() {
  const live = await liveScene(
    talk([
      saysLong(),
      writes(...update('one', 'two'), '*** Add File: new.txt', '+new'),
      writes(...update('two', 'three'), '*** Delete File: old.txt'),
      answer({ items: [callTool('exec_command', { cmd: 'true' })] }),
      says('Written.'),
      saysLong(),
    ]),
  );
  const root = live.cwd;
  writeFileSync(join(root, 'app.js'), 'one\n');
  writeFileSync(join(root, 'old.txt'), 'old\n');
  const main = await live.start({ sandbox: 'danger-full-access' });
  await main.submit({ input: words('Build the parser.') });
  const side = await opened(live.threads.fork(main.id, { kind: 'latest' }, { ephemeral: true }));
  const beside = new SideConversationChanges(main, side);
  await side.submit({ input: words('Write files.') });
  expect(readFileSync(join(root, 'app.js'), 'utf8')).toBe('three\n');
  return { ...live, root, main, side, beside };
}

type Scene = Awaited<ReturnType<typeof besideScene>>;

/** The texts in the newest request about files that others changed, each once. */
function told({ scene: { model } }: Pick<Scene, 'scene'>): readonly string[] {
  const input = JSON.stringify(model.requests.at(-1)!.body['input']);
  const found = input.match(/<files_changed_beside>.*?<\/files_changed_beside>/g);
  return (found ?? []).map((text) => JSON.parse(`"${text}"`) as string);
}

const text = (root: string): string =>
  [
    '<files_changed_beside>',
    'The user held a side conversation, which you do not see. It changed these files: what you know of their content may be old. Read a file again before you rely on it.',
    `Added: "${root}/new.txt"`,
    `Changed: "${root}/app.js"`,
    `Deleted: "${root}/old.txt"`,
    'It also ran 1 command; which files that changed is not known.',
    '</files_changed_beside>',
  ].join('\n');

const go = (thread: LiveThread, message: string) => thread.submit({ input: words(message) });

describe('files that a side conversation changed', () => {
  it('the main model reads them with its next request, once, and before the words', async () => {
    const scene = await besideScene();
    const { main, side, beside, root } = scene;
    await side.close();
    await beside.over;
    expect([beside.files, beside.commands]).toEqual([
      ['app.js', 'new.txt', 'old.txt'].map((name) => `${root}/${name}`),
      1,
    ]);
    await go(main, 'Go on.');
    expect(told(scene)).toEqual([text(root)]);
    const input = scene.scene.model.requests.at(-1)!.body['input'];
    expect(JSON.stringify(input)).toMatch(/files_changed_beside>.*Go on\./);
    await go(main, 'And on.');
    expect(told(scene)).toHaveLength(1);
    const id = main.id;
    const changes = await scene.scene.place.run('context', id, '--changes');
    expect(changes.stdout).toContain('+ files_changed_beside');
    expect(JSON.parse((await scene.scene.place.run('replay', id, '--json')).stdout)).toMatchObject({
      counts: { same: 3, different: 0 },
    });
  });

  it('the thread records them when a turn of it ends, so that a process after a kill has them', async () => {
    const scene = await besideScene();
    const { main, root } = scene;
    await expect.poll(() => main.waiting).toHaveLength(1);
    await main.leave();
    await go(main, 'Go on.');
    expect(told(scene)).toEqual([text(root)]);
  });

  it('are listed by a checkpoint, and told again where only the turn that was told goes back', async () => {
    const scene = await besideScene();
    const { main, side, beside, root, threads, engine } = scene;
    await side.close();
    await beside.over;
    await go(main, 'Go on.');
    await threads.whole(main.id, (stored) => stored.rollback(main.id, { turns: 1 }));
    await go(main, 'Go on otherwise.');
    expect(told(scene)).toEqual([text(root)]);
    await threads.whole(main.id, (stored) => stored.rollback(main.id, { turns: 1 }));
    const fork = await opened(threads.fork(main.id, { kind: 'latest' }));
    await go(fork, 'In the fork.');
    expect(told(scene)).toEqual([text(root)]);
    await fork.compact({});
    await go(fork, 'After it.');
    expect(JSON.stringify(scene.scene.model.requests.at(-1)!.body['input'])).toContain(
      `- changed ${root}/app.js\\n- added ${root}/new.txt\\n- deleted ${root}/old.txt`,
    );
    await engine.close();
  });

  it('a fork before a turn says them as a rollback to there does', async () => {
    const scene = await liveScene(talk([says('Done.')]));
    const { threads, engine } = scene;
    const main = await scene.start();
    for (const message of ['One.', 'Two.']) await go(main, message);
    await main.tellChangedBeside({ changes: [{ path: '/repo/app.js', kind: 'update' }] });
    await go(main, 'Three.');
    const turnId = (await engine.stored.turns(main.id))[1]!.id;
    const fork = await opened(threads.fork(main.id, { kind: 'before', turnId }));
    await go(fork, 'In the fork.');
    expect(told(scene)).toEqual([expect.stringContaining('"/repo/app.js"')]);
    await go(fork, 'And on.');
    expect(told(scene)).toHaveLength(1);
    await threads.whole(main.id, (stored) => stored.rollback(main.id, { turns: 2 }));
    await go(main, 'After the rollback.');
    expect(told(scene)).toEqual([expect.stringContaining('"/repo/app.js"')]);
    await engine.close();
  });

  it('the model reads them again where an undone rollback takes back the turn that said them', async () => {
    const scene = await liveScene(talk([says('Done.')]));
    const { threads, engine } = scene;
    const main = await scene.start();
    for (const message of ['One.', 'Two.']) await go(main, message);
    await threads.whole(main.id, (stored) => stored.rollback(main.id, { turns: 1 }));
    await main.tellChangedBeside({ changes: [{ path: '/repo/later.js', kind: 'update' }] });
    await go(main, 'Otherwise.');
    const undo = () => threads.whole(main.id, (stored) => stored.undoRollback(main.id, { force: true }));
    await undo();
    await go(main, 'After it.');
    expect(told(scene)).toEqual([expect.stringContaining('"/repo/later.js"')]);
    await undo();
    await go(main, 'Back again.');
    expect(told(scene)).toHaveLength(1);
    await engine.close();
  });
});
