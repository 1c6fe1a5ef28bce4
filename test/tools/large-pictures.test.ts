import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { largePng } from '../harness/large-png.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';

test('the model reads that a picture was resized, and a resumed thread sends the same bytes', async () => {
  const { model, place } = await scene([
    answer({ items: [callTool('view_image', { path: 'a.png' })] }),
    answer({ items: [say('ok')] }),
    answer({ items: [say('ok')] }),
  ]);
  const large = largePng(2500, 40);
  writeFileSync(join(place.workspace, 'a.png'), large);
  const run = await place.run('exec', '--json', '-i', 'a.png', 'look');
  expect(run.code).toBe(0);
  expect(textsOf(inputOf(model, 0)).slice(-3)).toEqual([
    '</image>',
    'look',
    '<image_resize_notice>\n[Image #1] was resized from 2500x40 to 2048x32 pixels.\n</image_resize_notice>',
  ]);
  const shown = inputOf(model, 1).at(-1);
  expect(shown?.['output']).toEqual([
    { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png;base64,/), detail: 'high' },
    { type: 'input_text', text: 'The image was resized from 2500x40 to 2048x32 pixels.' },
  ]);
  expect(JSON.stringify(inputOf(model, 1))).not.toContain(large.toString('base64'));
  writeFileSync(join(place.workspace, 'a.png'), 'gone');
  await place.run('exec', '--json', 'resume', threadId(run), 'again');
  expect(inputOf(model, 2).slice(0, inputOf(model, 1).length)).toEqual(inputOf(model, 1));
});
