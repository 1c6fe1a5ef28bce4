import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { answer, callTool, hang, reason, say } from '../../src/testing/index.ts';
import { Listener, liveScene, opened, until } from './live-scene.ts';

const runs = answer({ items: [reason('hm'), say('I look.'), callTool('exec_command', { cmd: 'echo hello' })] });
const done = answer({ items: [say('done')] });

it('one who was away reads what those got who listened, from any place on', async () => {
  const { start } = await liveScene([runs, done, done]);
  const thread = await start();
  const there = new Listener(thread);
  await thread.submit({ input: words('go') });
  await thread.override({ effort: 'low' });
  await thread.submit({ input: words('again') });
  await there.sees('turn-completed', 2);
  const kinds = there.recorded.map(({ event }) => event.kind);
  expect(kinds.filter((kind, index) => kind !== 'context' || kinds[index - 1] !== 'context')).toEqual([
    'turn-started',
    'context',
    'item-completed',
    'item-completed',
    'usage',
    'item-completed',
    'item-completed',
    'usage',
    'turn-completed',
    'settings',
    'turn-started',
    'context',
    'item-completed',
    'usage',
    'turn-completed',
  ]);
  for (const { ordinal } of [{ ordinal: -1 as const }, ...there.recorded]) {
    const later = new Listener(thread, { after: ordinal });
    const rest = there.story.filter((_, index) => there.recorded[index]!.ordinal > ordinal);
    await until(() => later.story.length >= rest.length);
    expect(later.story).toEqual(rest);
    await later.leave();
  }
  expect(thread.place).toBe(there.recorded.at(-1)!.ordinal);
  const away = new Listener(thread, { after: -1 });
  await until(() => away.recorded.length === there.recorded.length);
  const outputs = away.recorded.flatMap(({ event }) =>
    event.kind === 'item-completed' && event.item.kind === 'command' ? [event.item.output] : [],
  );
  expect(outputs).toEqual(['hello\n']);
});

it('one who is too slow reads on from the rollout, and is told what it missed', async () => {
  const { start } = await liveScene([runs, done, runs, done, done]);
  const thread = await start();
  const fast = new Listener(thread);
  let go = Promise.withResolvers<void>();
  const slow = new Listener(thread, { limit: 3 }, () => go.promise);
  for (const text of ['one', 'two']) await thread.submit({ input: words(text) });
  await fast.sees('turn-completed', 2);
  expect(slow.seen.length).toBeLessThanOrEqual(1);
  go.resolve();
  await until(() => slow.story.length === fast.story.length);
  expect(slow.story).toEqual(fast.story);
  await slow.sees('missed');
  const missed = slow.seen.find(({ kind }) => kind === 'missed')!;
  const passing = (listener: Listener): number => listener.seen.filter(({ kind }) => kind === 'passing').length;
  expect(missed).toMatchObject({ passing: passing(fast) - passing(slow) });
  go = Promise.withResolvers<void>();
  go.resolve();
  await thread.submit({ input: words('three') });
  await Promise.all([slow.sees('turn-completed', 3), fast.sees('turn-completed', 3)]);
  expect(slow.story).toEqual(fast.story);
});

it('a rollback is told to those who follow, and so is its end', async () => {
  const { threads, start } = await liveScene([done, done, done]);
  const thread = await start();
  const listener = new Listener(thread);
  await thread.submit({ input: words('one') });
  const place = thread.place!;
  await thread.submit({ input: words('two') });
  await listener.sees('turn-completed', 2);
  const told = listener.story;
  expect(await threads.whole(thread.id, (stored) => stored.rollback(thread.id, { turns: 1 }))).toMatchObject({
    kind: 'rolled-back',
  });
  await listener.sees('rewound');
  expect(listener.story).toEqual([...told, `rewound ${place}`]);
  expect(await threads.whole(thread.id, (stored) => stored.undoRollback(thread.id))).toMatchObject({
    kind: 'rollback-undone',
  });
  await listener.sees('turn-completed', 3);
  expect(listener.story.slice(told.length + 2)).toEqual(
    told.slice(told.length - (listener.story.length - told.length - 2)),
  );
  await thread.submit({ input: words('three') });
  await listener.sees('turn-completed', 4);
  const later = new Listener(thread, { after: -1 });
  await later.sees('turn-completed', 3);
  expect(later.recorded.filter(({ event }) => event.kind === 'turn-started')).toHaveLength(3);
});

it('one who breaks off or is told to stop leaves, and a thread without followers can be given up', async () => {
  const { engine, start } = await liveScene([done], { idleMs: 20 });
  const thread = await start();
  const seen: string[] = [];
  const following = (async () => {
    for await (const { kind } of thread.follow()) {
      seen.push(kind);
      if (kind === 'recorded') break;
    }
  })();
  const other = new Listener(thread);
  await thread.submit({ input: words('go') });
  await following;
  expect(seen.at(-1)).toBe('recorded');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(engine.threads).toHaveLength(1);
  await other.leave();
  await until(() => engine.threads.length === 0);
});

it('what another program wrote while a thread was given up comes to those who follow when it is loaded again', async () => {
  const { scene, threads, start } = await liveScene([done, done, done]);
  const thread = await start();
  const listener = new Listener(thread);
  await thread.submit({ input: words('one') });
  await threads.whole(thread.id, async () => {
    const other = await (await scene.engine()).resume(thread.id, {});
    if (other.kind === 'refused') throw new Error(other.outcome.message);
    await other.thread.run({ input: words('elsewhere'), signal: new AbortController().signal });
    await other.thread.close();
  });
  await listener.sees('turn-completed', 2);
  await thread.submit({ input: words('three') });
  await listener.sees('turn-completed', 3);
  const all = new Listener(await opened(threads.load(thread.id)), { after: -1 });
  await all.sees('turn-completed', 3);
  expect(listener.story).toEqual(all.story);
});

it('pieces of previews are the completed item, or it is dropped', async () => {
  const long = 'a word '.repeat(300);
  const spoken = answer({ items: [say(long)], deltas: true, chunkBytes: 700 });
  const { start } = await liveScene([hang({ afterBytes: 20_000, of: spoken }), spoken, spoken]);
  const thread = await start();
  const listeners = [
    new Listener(thread),
    new Listener(thread, { limit: 1 }, () => new Promise((resolve) => setTimeout(resolve, 3))),
  ];
  const first = thread.submit({ input: words('one') });
  await listeners[0]!.sees('preview');
  await thread.interrupt();
  expect(await first).toMatchObject({ kind: 'aborted' });
  await thread.submit({ input: words('two') });
  await thread.submit({ input: words('three') });
  for (const listener of listeners) {
    await listener.sees('turn-completed', 2);
    const pieces = new Map<string, string>();
    const completed: string[] = [];
    for (const news of listener.seen) {
      if (news.kind === 'preview') {
        const { event } = news;
        if (event.kind === 'dropped') pieces.delete(event.itemId);
        else pieces.set(event.itemId, `${pieces.get(event.itemId) ?? ''}${'text' in event ? event.text : ''}`);
      }
      if (news.kind !== 'recorded' || news.event.kind !== 'item-completed') continue;
      const { item } = news.event;
      if (item.kind !== 'agent-message') continue;
      completed.push(item.id);
      expect(pieces.get(item.id) ?? long).toBe(long);
      pieces.delete(item.id);
    }
    expect(completed).toHaveLength(2);
    expect([...pieces]).toEqual([]);
  }
});
