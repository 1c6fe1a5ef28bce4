import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const picture = { path: 'a.png', dataUrl: 'data:image/png;base64,AAAA' };
const done = () => answer({ items: [say('Done.')] });

async function withModels(): Promise<LiveThread> {
  const live = await LiveThread.in(done);
  const path = join(live.place.root, 'models.json');
  const models = [
    { slug: 'gpt-5.5', input_modalities: ['text', 'image'] },
    { slug: 'blind', input_modalities: ['text'] },
    { slug: 'blind-too', input_modalities: ['text'] },
  ];
  writeFileSync(path, JSON.stringify({ models }));
  await live.open({ config: [`model_catalog_json="${path}"`] });
  return live;
}

const looks = (live: LiveThread, count: number) =>
  live.turn('', {
    input: { author: 'user', text: 'Look.', images: Array.from({ length: count }, () => ({ ...picture })) },
  });

function warned(live: LiveThread): readonly string[] {
  return live.events.flatMap((event) =>
    event.kind === 'warning' && event.outcome.code === 'media-left-out' ? [event.outcome.message] : [],
  );
}

it('the user learns of pictures that the model does not get: once in a turn, and of each of them once', async () => {
  const live = await withModels();
  await looks(live, 1);
  expect(warned(live)).toEqual([]);
  await live.thread.overrideTurnContext({ model: 'blind' });
  await live.turn('What do you see?');
  await live.turn('And now?');
  const one = '1 picture was left out of the request: blind takes no pictures.';
  expect(warned(live)).toEqual([one]);
  await looks(live, 2);
  const two = '2 pictures were left out of the request: blind takes no pictures.';
  expect(warned(live)).toEqual([one, two]);
  await live.thread.overrideTurnContext({ model: 'blind-too' });
  await live.turn('You?');
  const all = '3 pictures were left out of the request: blind-too takes no pictures.';
  expect(warned(live)).toEqual([one, two, all]);
  await live.thread.overrideTurnContext({ model: 'gpt-5.5' });
  await live.turn('Thank you.');
  expect(warned(live)).toEqual([one, two, all]);
});

it('a recording is left out as well', async () => {
  const live = await withModels();
  const content = [{ type: 'input_audio', audio_url: 'data:audio/wav;base64,AAAA' }];
  await live.turn('one');
  await live.rewrite((lines) => [
    ...lines,
    { ...lines.at(-1)!, type: 'response_item', payload: { type: 'message', role: 'user', content } },
  ]);
  await live.turn('What do you hear?');
  expect(warned(live)).toEqual(['1 recording was left out of the request: gpt-5.5 takes no sound.']);
});

it('the user learns of pictures at an address that no provider can use, whatever the model takes', async () => {
  const live = await withModels();
  const content = [{ type: 'input_image', image_url: 'file:///tmp/a.png' }];
  await live.turn('one');
  await live.rewrite((lines) => [
    ...lines,
    { timestamp: lines.at(-1)!.timestamp, type: 'response_item', payload: { type: 'message', role: 'user', content } },
  ]);
  await live.open();
  await live.turn('two');
  expect(warned(live)).toEqual([
    '1 picture or file of the history was left out of the request: its address is neither http(s) nor data.',
  ]);
});
