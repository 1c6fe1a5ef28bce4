import { expect, it } from 'vitest';
import type { ProvisionalEvent } from '../../src/protocol/thread-event.ts';
import { words } from '../../src/protocol/user-input.ts';
import { answer, callTool, cutAfter, reason, say, type Script, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import type { ThreadNews } from '../../src/engine/thread/event-stream.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { WatchedThread } from '../harness/watched-thread.ts';

async function watched(script: Script): Promise<WatchedThread> {
  const model = await startScriptedModel(script);
  whenTestEnds(() => model.close());
  const disk = new SimulatedDisk();
  return new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
}

const signal = (): AbortSignal => new AbortController().signal;

/** The text of each item, as known to a subscriber that takes all it is given. */
function texts(news: readonly ThreadNews[]): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const each of news) {
    if (!('provisional' in each) || each.kind === 'dropped') continue;
    known.set(each.itemId, (known.get(each.itemId) ?? '') + each.text);
  }
  return known;
}

it('text, reasoning and output arrive as previews that name their item; the completed item is the truth', async () => {
  const live = await watched([
    answer({ items: [reason('Let me see.'), callTool('exec_command', { cmd: 'ls' })], deltas: true }),
    answer({ items: [say('Two files, as you said.')], deltas: true }),
  ]);
  const thread = await live.open();
  const news: ThreadNews[] = [];
  thread.subscribe({ event: (event) => news.push(event), provisional: (event) => news.push(event) });
  await thread.run({ input: words('go'), signal: signal() });
  const completed = news.flatMap((each) => (each.kind === 'item-completed' ? [each.item] : []));
  const [thinking, command, message] = ['reasoning', 'command', 'agent-message'].map((kind) =>
    completed.find((item) => item.kind === kind)!,
  );
  expect(Object.fromEntries(texts(news))).toEqual({
    [thinking!.id]: 'Let me see.',
    [command!.id]: 'ran ls',
    [message!.id]: 'Two files, as you said.',
  });
  expect(news.filter(({ kind }) => kind === 'dropped')).toEqual([]);
  // No preview comes after the truth.
  for (const [at, each] of news.entries()) {
    if (!('provisional' in each)) continue;
    expect(news.findIndex((other) => other.kind === 'item-completed' && other.item.id === each.itemId)).toBeGreaterThan(
      at,
    );
  }
});

it('what a broken answer began is dropped, and the next attempt begins anew', async () => {
  const whole = answer({ items: [say('All of it is here.')], deltas: true });
  const live = await watched([cutAfter({ bytes: 700, of: whole }), whole]);
  const thread = await live.open();
  const previews: ProvisionalEvent[] = [];
  thread.subscribe({ provisional: (event) => previews.push(event) });
  expect(await thread.run({ input: words('go'), signal: signal() })).toMatchObject({ kind: 'completed' });
  const begun = new Set(previews.map(({ itemId }) => itemId));
  const dropped = previews.filter(({ kind }) => kind === 'dropped').map(({ itemId }) => itemId);
  const completed = live.events.flatMap((each) => (each.kind === 'item-completed' ? [each.item.id] : []));
  expect(dropped.length).toBe(1);
  expect([...begun].filter((id) => !dropped.includes(id)).every((id) => completed.includes(id))).toBe(true);
});

it('what an interrupted turn began is dropped', async () => {
  const live = await watched([answer({ items: [say('One two three four five.')], deltas: true })]);
  const thread = await live.open();
  const abort = new AbortController();
  const previews: ProvisionalEvent[] = [];
  thread.subscribe({
    provisional(event) {
      previews.push(event);
      abort.abort();
    },
  });
  expect(await thread.run({ input: words('go'), signal: abort.signal })).toMatchObject({ kind: 'aborted' });
  const ends = previews.filter(({ kind }) => kind === 'dropped').length;
  const completed = live.events.filter(({ kind, ...each }) => kind === 'item-completed' && 'item' in each).length;
  expect(ends + completed).toBeGreaterThan(0);
});

it('any number of subscribers follow a thread, and one that left hears nothing', async () => {
  const live = await watched([answer({ items: [say('a')] }), answer({ items: [say('b')] })]);
  const thread = await live.open();
  const heard: [string[], string[]] = [[], []];
  const leave = thread.subscribe({ event: ({ kind }) => heard[0].push(kind) });
  thread.subscribe({ event: ({ kind }) => heard[1].push(kind) });
  await thread.run({ input: words('one'), signal: signal() });
  expect(heard[0]).toEqual(heard[1]);
  leave();
  const before = heard[0].length;
  await thread.run({ input: words('two'), signal: signal() });
  expect(heard[0].length).toBe(before);
  expect(heard[1].length).toBeGreaterThan(before);
});

it('a slow reader gets longer pieces and no holes, and previews of what is complete are gone', async () => {
  const text = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ');
  const live = await watched([answer({ items: [say(text)], deltas: true })]);
  const thread = await live.open();
  const late: ThreadNews[] = [];
  const reader = thread.events();
  const eager: ThreadNews[] = [];
  thread.subscribe({ provisional: (event) => eager.push(event) });
  await thread.run({ input: words('go'), signal: signal() });
  await live.close();
  for await (const each of reader) late.push(each);
  expect([...texts(eager).values()]).toEqual([text]);
  expect(late.filter((each) => 'provisional' in each)).toEqual([]);
  expect(late.flatMap((each) => (each.kind === 'item-completed' ? [each.item.kind] : []))).toEqual(['agent-message']);
  expect(late.at(-1)?.kind).toBe('turn-completed');
});

it('a subscriber may leave and come back in its callback, and gets each event once', async () => {
  const live = await watched([answer({ items: [say('a')] })]);
  const thread = await live.open();
  const heard: string[] = [];
  const subscriber = {
    event({ kind }: { readonly kind: string }): void {
      heard.push(kind);
      leave();
      leave = thread.subscribe(subscriber);
    },
  };
  let leave = thread.subscribe(subscriber);
  await thread.run({ input: words('go'), signal: signal() });
  expect(heard.filter((kind) => kind === 'turn-started')).toEqual(['turn-started']);
  expect(heard.at(-1)).toBe('turn-completed');
});

it('a closed thread has no more events, for readers before and after, and for one that waits', async () => {
  const live = await watched([answer({ items: [say('a')] })]);
  const thread = await live.open();
  const waiting = thread.events()[Symbol.asyncIterator]();
  const next = waiting.next();
  await live.close();
  expect(await next).toEqual({ done: true, value: undefined });
  const late: ThreadNews[] = [];
  for await (const each of thread.events()) late.push(each);
  expect(late).toEqual([]);
  let ended = 0;
  thread.subscribe({ ended: () => void ended++ });
  expect(ended).toBe(1);
});

it('a reader that stops while it waits is done at once', async () => {
  const live = await watched([]);
  const thread = await live.open();
  const reader = thread.events()[Symbol.asyncIterator]();
  const next = reader.next();
  await reader.return!();
  expect(await next).toEqual({ done: true, value: undefined });
});

it('a subscriber cannot change what the thread works with', async () => {
  const live = await watched([answer({ items: [say('a')] })]);
  const thread = await live.open();
  const failures: unknown[] = [];
  thread.subscribe({
    event(event) {
      if (event.kind !== 'usage') return;
      try {
        (event.total as { input: number }).input = 1_000_000;
      } catch (error) {
        failures.push(error);
      }
    },
  });
  await thread.run({ input: words('go'), signal: signal() });
  expect(failures.length).toBe(1);
  expect(thread.state.usage.total.input).toBeLessThan(1_000_000);
});
