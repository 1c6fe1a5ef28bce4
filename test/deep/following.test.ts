import { expect, it } from 'vitest';
import { type FollowOptions, words } from '../../src/index.ts';
import type { Ordinal } from '../../src/protocol/ids.ts';
import { answer, callTool, hang, reason, say } from '../../src/testing/index.ts';
import { Listener, liveScene, opened, until } from '../live/live-scene.ts';

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
    'prefix-broken',
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

it('one who is too slow reads on from the rollout, and gets the number of what it missed', async () => {
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

it('what waits in memory is bounded, also with the limit 1', async () => {
  const { start } = await liveScene([runs, done]);
  const thread = await start();
  const go = Promise.withResolvers<void>();
  const [fast, slow] = [new Listener(thread), new Listener(thread, { limit: 1 }, () => go.promise)];
  await thread.submit({ input: words('one') });
  await fast.sees('turn-completed');
  go.resolve();
  await slow.sees('turn-completed');
  expect(slow.story).toEqual(fast.story);
  expect(slow.seen.map(({ kind }) => kind)).toContain('missed');
});

it('followers hear of a rollback, and of its end', async () => {
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

it('one who breaks off or whose signal aborts leaves, and a thread without followers can be given up', async () => {
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

it('a rollback of another program while the thread was closed comes to those who follow when it is loaded again', async () => {
  const { scene, engine, start } = await liveScene([done, done, done]);
  const thread = await start();
  const listener = new Listener(thread);
  await thread.submit({ input: words('one') });
  const place = thread.place!;
  await thread.submit({ input: words('two') });
  await listener.sees('turn-completed', 2);
  await engine.thread(thread.id)?.close();
  await (await scene.engine()).stored.rollback(thread.id, { turns: 1 });
  await thread.submit({ input: words('three') });
  await listener.sees('turn-completed', 3);
  expect(listener.story.filter((news) => news.startsWith('rewound'))).toEqual([`rewound ${place}`]);
  const later = new Listener(thread, { after: -1 });
  await later.sees('turn-completed', 2);
  expect(listener.story.slice(-3)).toEqual(later.story.slice(-3));
});

it.each([{}, { ephemeral: true }])('the first who follows may come in the middle of a turn: %j', async (request) => {
  const text = 'a word '.repeat(50);
  const spoken = answer({ items: [say(text)], deltas: true });
  const { start } = await liveScene([answer({ items: [say('I look.'), callTool('look', {})] }), spoken]);
  const comes = Promise.withResolvers<Listener>();
  const look = {
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object' },
    run: () => Promise.resolve(comes.resolve(new Listener(thread))).then(() => 'seen'),
  };
  const thread = await start({ ...request, tools: [look] });
  await thread.submit({ input: words('go') });
  const listener = await comes.promise;
  await listener.sees('turn-completed');
  // The call runs while the count of the answer is on its way to the disk.
  const [called, ...rest] = listener.recorded.slice(-4);
  expect(called!.event).toMatchObject({ kind: 'item-completed', item: { kind: 'tool-call', tool: 'look' } });
  expect(rest.map(({ event }) => event.kind)).toEqual(['item-completed', 'usage', 'turn-completed']);
  expect(listener.recorded.at(-1)!.ordinal).toBe(thread.place);
  expect(piecesOf(listener)).toBe(text);
});

it('one who comes in the middle of an item sees no piece of it', async () => {
  const text = 'a word '.repeat(200);
  const slow = answer({ items: [say(text)], deltas: true, delayMs: 1 });
  const { start } = await liveScene([slow, slow]);
  const thread = await start();
  const turn = thread.submit({ input: words('go') });
  await until(() => thread.turnId !== undefined);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const listener = new Listener(thread);
  await turn;
  await listener.sees('turn-completed');
  expect(['', text]).toContain(piecesOf(listener));
  await thread.submit({ input: words('again') });
  await listener.sees('turn-completed', 2);
  expect(piecesOf(listener).endsWith(text)).toBe(true);
});

function piecesOf({ seen }: Listener): string {
  return seen.map((news) => (news.kind === 'preview' && news.event.kind === 'text' ? news.event.text : '')).join('');
}

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

it('one who was away over a rollback gets `rewound`, though its ordinals are used again', async () => {
  const { threads, start } = await liveScene(Array.from({ length: 12 }, () => done));
  const thread = await start();
  const back = (turns: number) => threads.whole(thread.id, (stored) => stored.rollback(thread.id, { turns }));
  const storyAfter = async (after: FollowOptions['after'] & {}): Promise<readonly string[]> => {
    const listener = new Listener(thread, { after, provisional: false });
    const all = new Listener(thread, { after: -1, provisional: false });
    await until(() => all.recorded.at(-1)?.ordinal === thread.place);
    if (after !== thread.cursor) await until(() => listener.recorded.at(-1)?.ordinal === thread.place);
    await Promise.all([listener.leave(), all.leave()]);
    return listener.story;
  };
  const rest = async (place: number): Promise<readonly string[]> =>
    (await storyAfter(-1)).filter((line) => Number.parseInt(line) > place);
  await thread.submit({ input: words('one') });
  const [one, oneCursor] = [thread.place!, thread.cursor!];
  await thread.submit({ input: words('two') });
  const [two, twoCursor] = [thread.place!, thread.cursor!];
  expect(twoCursor).toMatch(new RegExp(`^${two}@`));
  await back(1);
  for (const text of ['three', 'four']) await thread.submit({ input: words(text) });
  expect(thread.place).toBeGreaterThan(two);
  for (const after of [two, twoCursor]) {
    expect(await storyAfter(after)).toEqual([`rewound ${one}`, ...(await rest(one))]);
  }
  for (const after of [one, oneCursor]) expect(await storyAfter(after)).toEqual(await rest(one));
  // Lines recorded since the rollback stand: a cursor shows it.
  const later = new Listener(thread, { after: oneCursor });
  await until(() => later.recorded.at(-1)?.ordinal === thread.place);
  const inside = later.recorded[later.recorded.length - 3]!;
  expect(await storyAfter(inside.cursor)).toEqual(await rest(inside.ordinal));
  expect(await storyAfter(thread.cursor!)).toEqual([]);
  // A rollback of the rollback's turns that ends behind the place.
  const [three] = later.recorded.filter(({ event }) => event.kind === 'turn-completed');
  await back(1);
  await thread.submit({ input: words('five') });
  expect(await storyAfter(twoCursor)).toEqual([`rewound ${one}`, ...(await rest(one))]);
  expect(await storyAfter(three!.cursor)).toEqual(await rest(three!.ordinal));
  expect(await storyAfter(two)).toEqual([`rewound ${one}`, ...(await rest(one))]);
  expect(() => thread.follow({ after: Number.NaN as Ordinal })).toThrow(RangeError);
});

it('a slow reader gets all pieces of an item or that they are dropped, and what it missed before the item', async () => {
  const text = Array.from({ length: 400 }, (_, index) => `w${index}`).join(' ');
  const spoken = answer({ items: [say(text)], deltas: true, delayMs: 1 });
  const { start } = await liveScene([done, spoken, spoken, spoken]);
  const thread = await start();
  await thread.submit({ input: words('first') });
  const slow = [1, 3, 7].map(
    (limit, index) =>
      new Listener(thread, { limit }, () => new Promise((resolve) => setTimeout(resolve, 10 + 10 * index))),
  );
  for (const each of ['one', 'two', 'three']) await thread.submit({ input: words(each) });
  for (const listener of slow) {
    await listener.sees('turn-completed', 3);
    let pieces = '';
    let isWhole = true;
    for (const news of listener.seen) {
      if (news.kind === 'missed' && news.previews > 0) isWhole = false;
      if (news.kind === 'preview') pieces = news.event.kind === 'dropped' ? '' : pieces + news.event.text;
      if (news.kind !== 'recorded' || news.event.kind !== 'item-completed') continue;
      expect(pieces).toBe(pieces === '' ? '' : text);
      expect(isWhole || pieces === '').toBe(true);
      [pieces, isWhole] = ['', true];
    }
  }
});

it('one who was away over any row of rollbacks and undos is rewound to what it still has, and gets the rest', async () => {
  const { threads, engine, start } = await liveScene(Array.from({ length: 40 }, () => done));
  const thread = await start();
  /** The knowledge of a reader at each time: the cursor, and the lines up to there. */
  const times: { readonly cursor: NonNullable<typeof thread.cursor>; readonly known: readonly string[] }[] = [];
  const linesNow = async (): Promise<readonly string[]> => {
    const { lines } = await engine.stored.read(thread.id);
    return lines.filter(({ type }) => type !== 'session_meta').map((line) => JSON.stringify(line));
  };
  const said = async (text: string): Promise<void> => {
    await thread.submit({ input: words(text) });
    times.push({ cursor: thread.cursor!, known: await linesNow() });
  };
  const whole = async (work: Parameters<typeof threads.whole>[1]): Promise<void> => {
    const result = await threads.whole(thread.id, work);
    expect(result).not.toMatchObject({ kind: 'refused' });
  };
  const back = (turns: number) => whole((stored) => stored.rollback(thread.id, { turns }));
  const undo = () => whole((stored) => stored.undoRollback(thread.id, { force: true }));
  for (const text of ['one', 'two', 'three']) await said(text);
  const steps = [() => back(1), () => back(1), undo, () => back(2), undo, undo, () => back(1), () => back(1)];
  for (const [at, step] of steps.entries()) {
    await step();
    await said(`after ${at}`);
    const all = await linesNow();
    for (const { cursor, known } of times) {
      const listener = new Listener(thread, { after: cursor, provisional: false });
      if (cursor !== thread.cursor) await until(() => listener.recorded.at(-1)?.ordinal === thread.place);
      await listener.leave();
      const first = listener.seen[0];
      const place = Number.parseInt(cursor, 10);
      const kept = first?.kind === 'rewound' ? first.to : place;
      const placeOfLine = (line: string): number => Number((JSON.parse(line) as { ordinal: number }).ordinal);
      const common = known.filter((line) => all.includes(line)).map(placeOfLine);
      expect(kept, `step ${at}, ${cursor}`).toBe(Math.max(-1, ...common));
      expect(listener.recorded.every(({ ordinal }) => ordinal > kept)).toBe(true);
    }
  }
});
