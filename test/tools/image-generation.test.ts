import { lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { itemTokens } from '../../src/core/history/token-counts.ts';
import { saveGeneratedImage } from '../../src/engine/workspace/save-generated-image.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { says, saysLong, talk, task } from '../compaction/talk.ts';
import { inputOf, textsOf } from '../harness/scene.ts';

const gate = '[features]\nimage_generation = true\n';
const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const image = {
  type: 'image_generation_call',
  id: 'ig_1',
  status: 'completed',
  revised_prompt: 'A red dot.',
  result: base64,
};
const done = answer({ items: [say('Done.')] });

const offered = (live: LiveThread): unknown =>
  (live.model.requests[0]!.body['tools'] as { type: string }[]).filter(({ type }) => type === 'image_generation');

describe('images that the provider generates', () => {
  it('are saved for the user alone, shown, kept in history, and the model learns where they are', async () => {
    const live = await LiveThread.in([answer({ items: [image, say('A dot.')] }), done], gate);
    await live.turn('draw');
    expect(offered(live)).toEqual([{ type: 'image_generation', output_format: 'png' }]);
    const folder = join(live.place.home, 'generated_images', live.id);
    const path = join(folder, 'ig_1.png');
    expect(readFileSync(path).toString('base64')).toBe(base64);
    expect([folder, path].map((each) => lstatSync(each).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(live.told('item-completed').map(({ item }) => item)).toContainEqual({
      kind: 'image-generation',
      id: 'ig_1',
      status: 'completed',
      prompt: 'A red dot.',
      path,
    });
    // The bytes stand in the item alone.
    expect(JSON.stringify(live.place.lines()).split(base64)).toHaveLength(2);
    await live.open();
    await live.turn('again');
    expect(inputOf(live.model, 1)).toContainEqual(image);
    expect(textsOf(inputOf(live.model, 1)).join('\n')).toContain(path);
    expect(live.thread.state.work.files).toEqual([{ path, kind: 'add', generated: true }]);
    await live.close();
    expect((await live.place.run('replay', live.id)).code).toBe(0);
  });

  it('leave their path in a checkpoint, and not their bytes', async () => {
    const draws = answer({ items: [image, say('A dot.')], usage: 'none' });
    const live = await LiveThread.in(talk([draws, saysLong(), says('Done.')]), gate);
    await live.turn(task);
    await live.turn('more');
    const compacted = await live.thread.compact({ signal: new AbortController().signal });
    expect(compacted.kind).toBe('installed');
    await live.turn('go on');
    const sent = JSON.stringify(inputOf(live.model, live.model.requests.length - 1));
    expect([sent.includes('generated_images'), sent.includes(base64)]).toEqual([true, false]);
    expect(sent).toContain('Images that you generated, oldest first:');
  });

  it.each([
    ['no image', { ...image, result: 'bm90IGFuIGltYWdl' }, 'completed'],
    ['nothing', { ...image, result: '', status: 'failed' }, 'failed'],
  ])('that turn out to be %s are shown as such', async (_name, item, status) => {
    const live = await LiveThread.in([answer({ items: [item, say('Hm.')] })], gate);
    expect(await live.turn('draw')).toMatchObject({ kind: 'completed' });
    const shown = live.told('item-completed').map((event) => event.item);
    expect(shown).toContainEqual(expect.objectContaining({ kind: 'image-generation', status }));
    expect(shown.every((each) => !('path' in each))).toBe(true);
  });

  it('are not offered unless the gate is open, nor to a model without eyes', async () => {
    const live = await LiveThread.in([done]);
    await live.turn('go');
    expect(offered(live)).toEqual([]);
  });

  it('weigh as pictures, however many bytes they have', () => {
    expect(itemTokens({ ...image, result: 'A'.repeat(4_000_000) })).toBeLessThan(3000);
  });

  it('are saved under safe names, never over another file, and through no link', async () => {
    const live = await LiveThread.in([]);
    const { home, root } = live.place;
    const save = (id: string) => saveGeneratedImage(home, { threadId: '../x' as never, id, base64 });
    const [one, two] = [save('../../evil'), save('../../evil')] as [{ path: string }, { path: string }];
    const parent = join(home, 'generated_images');
    expect([one.path, two.path].every((path) => path.startsWith(`${parent}/image-`))).toBe(true);
    expect(one.path).not.toBe(two.path);
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(parent, 'linked'));
    expect(saveGeneratedImage(home, { threadId: 'linked' as never, id: 'a', base64 })).toHaveProperty('problem');
  });
});
