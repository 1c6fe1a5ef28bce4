import { expect, inject, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { LiveThread } from '../../src/engine/live/live-thread-types.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { Listener, liveScene, until } from './live-scene.ts';

const factor = inject('runFactor');
const [loaded, running] = [25 * factor, 5 * factor];

const step = answer({ items: [say('I look.'), callTool('update_plan', { plan: [] })], deltas: true });
const done = answer({ items: [say('done')], deltas: true });

it('many threads with many followers, one of whom stands still: no one else misses anything', async () => {
  const { threads, start } = await liveScene((request) =>
    JSON.stringify(request.body['input']).includes('function_call_output') ? done : step,
  );
  const all: LiveThread[] = [];
  for (let count = 0; count < loaded; count++) all.push(await start());
  const never = new Promise<void>(() => {});
  const followed = all.map((thread) => ({
    thread,
    listeners: [new Listener(thread), new Listener(thread, { provisional: false })],
    still: new Listener(thread, { limit: 5 }, () => never),
  }));
  for (let at = 0; at < loaded; at += running) {
    const group = followed.slice(at, at + running);
    await Promise.all(group.map(({ thread }) => thread.submit({ input: words(`go ${at}`) })));
  }
  expect(threads.loaded).toHaveLength(loaded);
  for (const { thread, listeners, still } of followed) {
    const [first, second] = listeners;
    await Promise.all(listeners.map((listener) => listener.sees('turn-completed')));
    expect(second!.story).toEqual(first!.story);
    expect(still.seen).toHaveLength(1);
    const places = first!.recorded.map(({ ordinal }) => ordinal);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const away = new Listener(thread, { after: -1 });
    await until(() => away.story.length === first!.story.length);
    expect(away.story).toEqual(first!.story);
    expect(second!.seen.filter(({ kind }) => kind === 'preview' || kind === 'missed')).toEqual([]);
    const text = first!.seen.flatMap((news) =>
      news.kind === 'preview' && news.event.kind === 'text' ? [news.event.text] : [],
    );
    expect('I look.done'.includes(text.join(''))).toBe(true);
  }
}, 300_000);
