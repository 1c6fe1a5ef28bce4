import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/index.ts';
import { answer, type ItemDraft, type ScriptStep } from '../../src/testing/index.ts';
import { saysLong, says, talk } from '../compaction/talk.ts';
import { LiveThread } from '../harness/live-thread.ts';

const patch = (...lines: readonly string[]): ItemDraft => ({
  type: 'custom_tool_call',
  name: 'apply_patch',
  input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});
const writes = (...lines: readonly string[]): ScriptStep => answer({ items: [patch(...lines)] });
const update = (from: string, to: string): readonly string[] => ['*** Update File: app.js', `-${from}`, `+${to}`];

const title =
  'Files that the user put back to an earlier state, which undid what had been done to them. They may have changed since: look before you rely on this, and repeat nothing unless the user asks:';

/** A turn of talk, and one that changes a file and adds another. The thread is closed. */
async function twoTurns(...more: readonly ScriptStep[]) {
  const steps = [saysLong(), writes(...update('one', 'two'), '*** Add File: new.txt', '+new'), says('Wrote files.')];
  const live = await LiveThread.in(talk([...steps, ...more, says('Yes.')]));
  writeFileSync(join(live.place.workspace, 'app.js'), 'one\n');
  await live.turn('Build the parser.');
  await live.turn('Write files.');
  await live.close();
  const engine = await live.engine();
  const back = async (number: number) => {
    const turn = (await engine.stored.turns(live.id))[number - 1];
    return engine.restoreFiles(live.id, { beforeTurn: turn!.id }, { dryRun: false, force: false });
  };
  return { live, engine, back, root: live.place.workspace };
}

const undoFiles = (engine: Engine, live: LiveThread) =>
  engine.restoreFiles(live.id, { beforeRestore: 'last' }, { dryRun: false, force: false });

/** The texts in the newest request about files that were put back, each once. */
function told({ model }: LiveThread): readonly string[] {
  const found = JSON.stringify(model.requests.at(-1)!.body['input']).match(/<files_put_back>.*?<\/files_put_back>/g);
  return (found ?? []).map((text) => JSON.parse(`"${text}"`) as string);
}

/** The records of a checkpoint in the newest request. */
function records({ model }: LiveThread): string {
  const input = JSON.stringify(model.requests.at(-1)!.body['input']);
  return /<checkpoint_records>(.*?)<\/checkpoint_records>/.exec(input)?.[1]?.replaceAll('\\n', '\n') ?? '';
}

const since =
  'What was done to them since then is undone; the conversation goes on. Do not repeat it unless the user asks. Read a file again before you rely on what you know of it.';
const putBack = (root: string): string =>
  [
    '<files_put_back>',
    `The user put these files back to what they were before turn 2 ("Write files."). ${since}`,
    `With their earlier content: "${root}/app.js"`,
    `Deleted: "${root}/new.txt"`,
    '</files_put_back>',
  ].join('\n');

describe('files that the user put back', () => {
  it('are told to the model with the next request, once, and before the words', async () => {
    const { live, back, root } = await twoTurns();
    expect(await back(2)).toMatchObject({ kind: 'restored', restored: ['app.js'], deleted: ['new.txt'] });
    await live.turn('Go on.');
    expect(live.notices).toEqual([]);
    expect(told(live)).toEqual([putBack(root)]);
    expect(live.layout(3).slice(-2)).toEqual([
      ['developer', 'files-put-back'],
      ['user', 'Go on.'],
    ]);
    await live.turn('And on.');
    expect(told(live)).toHaveLength(1);
  });

  it('are not called added or changed by a checkpoint, before they are told and after', async () => {
    const { live, back, root } = await twoTurns(saysLong());
    await back(2);
    await live.open();
    await live.thread.compact({ signal: new AbortController().signal });
    const listed = [
      '',
      'Recorded by the tools while they worked.',
      title,
      `- ${root}/app.js: got its earlier content, as before turn 2`,
      `- ${root}/new.txt: was deleted, as before turn 2`,
      '',
    ].join('\n');
    await live.turn('Go on.');
    expect([records(live), told(live)]).toEqual([listed, [putBack(root)]]);
    // Another process folds from the checkpoint.
    await live.open();
    await live.thread.compact({ signal: new AbortController().signal });
    await live.turn('And on.');
    expect([records(live), told(live)]).toEqual([listed, []]);
  });

  it('are the work of the model again once it changed them again', async () => {
    const { live, back, root } = await twoTurns(writes(...update('one', 'three')), says('Done.'));
    await back(2);
    await live.turn('Only the first.');
    await live.thread.compact({ signal: new AbortController().signal });
    await live.turn('Go on.');
    expect(records(live).split('\n')).toEqual([
      '',
      'Recorded by the tools while they worked.',
      'Files that patches changed, oldest change first (what commands changed is not listed):',
      `- changed ${root}/app.js`,
      title,
      `- ${root}/new.txt: was deleted, as before turn 2`,
      '',
    ]);
  });

  it('can come again, and the model reads that, too', async () => {
    const { live, engine, back, root } = await twoTurns();
    await back(2);
    await undoFiles(engine, live);
    expect(readFileSync(join(root, 'new.txt'), 'utf8')).toBe('new\n');
    await live.turn('Go on.');
    expect(told(live)).toEqual([
      putBack(root),
      [
        '<files_put_back>',
        'The user had put files back to an earlier state and undid that: these are again what they were before they went back. Read a file again before you rely on what you know of it.',
        `With the content that they had then: "${root}/app.js", "${root}/new.txt"`,
        '</files_put_back>',
      ].join('\n'),
    ]);
    await live.thread.compact({ signal: new AbortController().signal });
    await live.turn('And on.');
    expect(records(live)).toContain(`- changed ${root}/app.js\n- added ${root}/new.txt`);
    await live.close();
    await undoFiles(engine, live);
    expect(existsSync(join(root, 'new.txt'))).toBe(false);
    await live.turn('Again.');
    expect(told(live)).toEqual([putBack(root)]);
  });

  it('need no telling where the conversation goes back to the same place', async () => {
    const { live, engine, back, root } = await twoTurns();
    await back(2);
    await engine.stored.rollback(live.id, { turns: 1 });
    await live.turn('Go on.');
    expect(told(live)).toEqual([]);
    await live.close();
    await engine.stored.undoRollback(live.id, { force: true });
    await live.turn('Go on after all.');
    expect(told(live)).toEqual([putBack(root)]);
  });

  it('are told again where only the turn that was told goes back', async () => {
    const { live, engine, back, root } = await twoTurns();
    await back(2);
    await live.turn('Go on.');
    await live.close();
    await engine.stored.rollback(live.id, { turns: 1 });
    await live.turn('Go on otherwise.');
    expect(told(live)).toEqual([putBack(root)]);
    await live.close();
    await engine.stored.undoRollback(live.id, { force: true });
    await live.turn('The first again.');
    expect(told(live)).toEqual([putBack(root)]);
  });

  it('are told again where the conversation goes further back than the moment, and not as far as the files', async () => {
    const { live, engine, back, root } = await twoTurns();
    await live.turn('Turn 3.');
    await live.close();
    await back(2);
    await live.turn('Turn 4.');
    await live.close();
    await engine.stored.rollback(live.id, { turns: 2 });
    await live.turn('Turn 3, otherwise.');
    expect(told(live)).toEqual([putBack(root)]);
    await live.close();
    await engine.stored.undoRollback(live.id, { force: true });
    await live.turn('Turn 5.');
    expect(told(live)).toEqual([putBack(root)]);
  });

  it('come again by an undo after a kill in the middle, which no line tells', async () => {
    const { live, engine, back, root } = await twoTurns();
    await back(2);
    // As a kill leaves it: files went back, and no line says so but that a restore began.
    await live.rewrite((lines) => {
      const began = lines.findLastIndex(
        ({ type, payload }) => type === 'capstan_snapshot' && payload['when'] === 'before',
      );
      expect(lines.slice(began + 1).map(({ type }) => type)).toEqual(['capstan_snapshot', 'capstan_waiting']);
      return lines.slice(0, began + 1);
    });
    const restored = ['app.js', 'new.txt'];
    expect(await undoFiles(engine, live)).toMatchObject({ kind: 'restored', restored, kept: [] });
    expect(readFileSync(join(root, 'app.js'), 'utf8')).toBe('two\n');
  });

  it('are told to a fork', async () => {
    const { live, engine, back, root } = await twoTurns();
    await back(2);
    const forked = await engine.fork(live.id, { kind: 'latest' }, {});
    if (forked.kind === 'refused') throw new Error(forked.outcome.message);
    const { thread } = forked;
    await thread.run({ input: { author: 'user', text: 'Go on.', images: [] }, signal: new AbortController().signal });
    await thread.close();
    expect(told(live)).toEqual([putBack(root)]);
  });
});
