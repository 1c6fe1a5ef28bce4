import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import type { LiveThread, LiveThreads } from '../../src/engine/live/live-thread-types.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { Listener, liveScene } from './live-scene.ts';

const done = answer({ items: [say('done')] });

const rollBack = (threads: LiveThreads, id: ThreadId) =>
  threads.whole(id, (stored) => stored.rollback(id, { turns: 1 }));

async function userWords(thread: LiveThread): Promise<readonly string[]> {
  const listener = new Listener(thread, { after: -1, provisional: false });
  const last = thread.place;
  await expect.poll(() => listener.recorded.at(-1)?.ordinal).toBe(last);
  await listener.leave();
  return listener.recorded.flatMap(({ event }) =>
    event.kind === 'context' && event.cause === 'user' ? [event.text] : [],
  );
}

it('what is asked of a thread after a rollback waits for it, however soon it is asked', async () => {
  const { threads, start } = await liveScene(Array.from({ length: 20 }, () => done));
  const thread = await start();
  await thread.submit({ input: words('first') });
  for (const ticks of [0, 1, 2, 5, 10, 30]) {
    await thread.submit({ input: words(`gone ${ticks}`) });
    const rolledBack = rollBack(threads, thread.id);
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    const [one, overridden, two] = [
      thread.submit({ input: words(`one ${ticks}`) }),
      thread.override({ effort: ticks === 0 || ticks === 2 ? 'low' : 'high' }),
      thread.submit({ input: words(`two ${ticks}`) }),
    ];
    expect(await rolledBack).toMatchObject({ kind: 'rolled-back' });
    expect(await one).toMatchObject({ kind: 'completed' });
    expect(await overridden).toMatchObject({ kind: 'changed' });
    expect(await two).toMatchObject({ kind: 'completed' });
  }
  const kept = [0, 1, 2, 5, 10, 30].flatMap((ticks) => [`one ${ticks}`, `two ${ticks}`]);
  expect(await userWords(thread)).toEqual(['first', ...kept]);
});

it('a thread that is not loaded is held as well, and several works on the whole come one after the other', async () => {
  const { engine, threads, start } = await liveScene([done, done, done, done]);
  const thread = await start();
  for (const text of ['one', 'two', 'three']) await thread.submit({ input: words(text) });
  await engine.thread(thread.id)!.close();
  const all = [
    rollBack(threads, thread.id),
    threads.load(thread.id),
    rollBack(threads, thread.id),
    thread.submit({ input: words('four') }),
  ] as const;
  expect(await rollBack(threads, thread.id)).toMatchObject({ outcome: { code: 'thread-busy' } });
  expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(['rolled-back', 'live', 'rolled-back', 'completed']);
  expect(await userWords(thread)).toEqual(['one', 'four']);
});

it('work on a thread as a whole that uses the thread itself is refused, and holds up no one', async () => {
  const { threads, start } = await liveScene([done, done]);
  const thread = await start();
  await thread.submit({ input: words('one') });
  const held = { kind: 'refused', outcome: { code: 'thread-held' } };
  const inside = await threads.whole(thread.id, async () => [
    await threads.whole(thread.id, async () => 'never'),
    await thread.submit({ input: words('never') }),
    await threads.load(thread.id),
  ]);
  expect(inside).toMatchObject([held, held, held]);
  await expect(threads.whole(thread.id, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
  expect(await thread.submit({ input: words('two') })).toMatchObject({ kind: 'completed' });
});

it.each(['whole', 'submit'] as const)('works on two threads that cross do not wait for each other: %s', async (how) => {
  const { threads, start } = await liveScene(() => done);
  const pair = [await start(), await start()] as const;
  for (const thread of pair) await thread.submit({ input: words('one') });
  const inside = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const cross = (own: 0 | 1) =>
    threads.whole(pair[own].id, async () => {
      inside[own].resolve();
      await Promise.all(inside.map(({ promise }) => promise));
      const other = pair[own === 0 ? 1 : 0];
      if (how === 'submit') return other.submit({ input: words('two') });
      return threads.whole(other.id, async () => ({ kind: 'done' }) as const);
    });
  const ended = await Promise.all([cross(0), cross(1)]);
  // The one that would have closed the circle is refused, and the other goes on after it.
  const refused = ended.filter(({ kind }) => kind === 'refused');
  expect(refused).toMatchObject([{ outcome: { code: 'thread-held' } }]);
  expect(ended.map(({ kind }) => kind)).toContain(how === 'whole' ? 'done' : 'completed');
  for (const thread of pair)
    expect(await thread.submit({ input: words('three') })).toMatchObject({ kind: 'completed' });
});

it('an ephemeral thread is not given up for work on the whole', async () => {
  const { threads, start } = await liveScene([done, done]);
  const thread = await start({ ephemeral: true });
  await thread.submit({ input: words('one') });
  expect(await rollBack(threads, thread.id)).toMatchObject({ outcome: { code: 'thread-ephemeral' } });
  expect(await thread.submit({ input: words('two') })).toMatchObject({ kind: 'completed' });
});

it('an ephemeral thread that is left ends what runs and waits in it, and stays', async () => {
  const inBackground = answer({ items: [callTool('exec_command', { cmd: 'sleep 60', yield_time_ms: 250 })] });
  const never = hang({ afterBytes: 0, of: done });
  const { scene, start } = await liveScene([inBackground, never, done]);
  const thread = await start({ ephemeral: true, sandbox: 'danger-full-access' });
  const turns = [thread.submit({ input: words('one') }), thread.submit({ input: words('two') })];
  await scene.model.request(1);
  expect(thread.sessions).toHaveLength(1);
  await thread.leave();
  expect(await Promise.all(turns)).toMatchObject([{ kind: 'aborted' }, { kind: 'aborted' }]);
  expect(thread.sessions).toEqual([]);
  expect(await thread.submit({ input: words('three') })).toMatchObject({ kind: 'completed' });
});

it('a thread that is being closed is loaded when it is closed', async () => {
  const { threads, start } = await liveScene([done, hang({ afterBytes: 0, of: done }), done]);
  const thread = await start();
  await thread.submit({ input: words('one') });
  const running = thread.submit({ input: words('two') });
  const closing = thread.close();
  const [again, also] = await Promise.all([threads.load(thread.id), threads.load(thread.id)]);
  expect(again).toMatchObject({ kind: 'live', id: thread.id });
  expect([again === thread, also === again]).toEqual([false, true]);
  await Promise.all([closing, running]);
  expect(threads.loaded).toEqual([again]);
});

it.each([true, false])(
  'a thread that is closed is forgotten, and followers know (ephemeral: %s)',
  async (ephemeral) => {
    const { engine, threads, start } = await liveScene([done, hang({ afterBytes: 0, of: done }), done]);
    const thread = await start({ ephemeral });
    const listener = new Listener(thread);
    await thread.submit({ input: words('one') });
    const running = thread.submit({ input: words('two') });
    await listener.sees('turn-started', 2);
    await thread.close();
    await listener.left;
    expect(await running).toMatchObject({ kind: 'aborted' });
    expect(listener.story.at(-1)).toContain('turn-aborted');
    expect(listener.seen.at(-1)).toMatchObject({ kind: 'ended', outcome: { code: 'thread-closed' } });
    expect([threads.loaded, engine.threads, threads.knows(thread.id)]).toEqual([[], [], false]);
    expect(await thread.submit({ input: words('three') })).toMatchObject({ outcome: { code: 'thread-closed' } });
    expect(thread.usage().total.total).toBeGreaterThan(0);
    const again = await threads.load(thread.id);
    expect(again).toMatchObject(
      ephemeral ? { kind: 'refused', outcome: { code: 'thread-unknown' } } : { kind: 'live', id: thread.id },
    );
  },
);

it('after the threads are closed nothing is opened, and one who follows reads what there is', async () => {
  const { engine, threads, cwd, start } = await liveScene([done, done]);
  const thread = await start();
  const other = await start();
  for (const each of [thread, other]) await each.submit({ input: words('one') });
  await threads.close();
  const closed = { kind: 'refused', outcome: { code: 'threads-closed' } };
  expect(await threads.load(thread.id)).toMatchObject(closed);
  expect(await threads.load('00000000-0000-7000-8000-000000000000' as ThreadId)).toMatchObject(closed);
  expect(await threads.start({ cwd })).toMatchObject(closed);
  expect(await threads.fork(thread.id, { kind: 'latest' })).toMatchObject(closed);
  expect(await rollBack(threads, thread.id)).toMatchObject(closed);
  expect(engine.threads).toEqual([]);
  const late = new Listener(thread, { after: -1 });
  await late.left;
  expect(late.recorded.at(-1)?.event.kind).toBe('turn-completed');
  const now = new Listener(thread);
  await now.left;
  expect(now.seen).toEqual([{ kind: 'ended', outcome: expect.objectContaining(closed.outcome) }]);
});
