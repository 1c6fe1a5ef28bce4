import { expect, it } from 'vitest';
import { liveThreads, words } from '../../src/index.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { Listener, liveScene, opened } from './live-scene.ts';

const done = answer({ items: [say('done')] });

it('a thread is loaded once, however many ask for it, and is the same object for all', async () => {
  const { engine, threads, start } = await liveScene([done, done]);
  const thread = await start();
  expect(await thread.submit({ input: words('go') })).toEqual({ kind: 'completed', lastMessage: 'done' });
  await engine.thread(thread.id)!.close();
  expect(threads.loaded).toEqual([]);
  const all = await Promise.all([threads.load(thread.id), threads.load(thread.id), threads.load(thread.id)]);
  expect(all.every((one) => one === thread)).toBe(true);
  expect(threads.loaded).toEqual([thread]);
  expect(engine.threads).toHaveLength(1);
});

it('an idle thread is given up and loaded by its next use, under the settings that it had', async () => {
  const { engine, start } = await liveScene([done, done], { idleMs: 20 });
  const thread = await start({ config: ['model="gpt-5.5"'] });
  await thread.override({ model: 'gpt-5.4' });
  await thread.submit({ input: words('go') });
  const total = thread.usage();
  await expect.poll(() => engine.threads).toEqual([]);
  expect(thread.settings.model).toBe('gpt-5.4');
  expect(thread.usage()).toEqual(total);
  expect(await thread.submit({ input: words('again') })).toMatchObject({ kind: 'completed' });
  expect(thread.settings.model).toBe('gpt-5.4');
});

it('what a thread uses is counted once as things stand, and anew when a line or its settings change that', async () => {
  const { start } = await liveScene([done], {});
  const thread = await start({ config: ['model="gpt-5.5"'] });
  const before = thread.usage();
  expect(thread.usage()).toBe(before);
  await thread.override({ collaboration: { mode: 'plan' } });
  const other = thread.usage();
  expect(other.tokens).toBeLessThan(before.tokens);
  await thread.submit({ input: words('go') });
  expect(thread.usage().total.total).toBeGreaterThan(other.total.total);
});

it('a thread without a message is given up as well, and its next use starts it again under its id and settings', async () => {
  const { scene, engine, threads, start } = await liveScene([done, done], { idleMs: 20 });
  const thread = await start({ config: ['model="gpt-5.5"'] });
  await expect.poll(() => engine.threads).toEqual([]);
  expect([threads.loaded, threads.knows(thread.id), await engine.stored.location(thread.id)]).toEqual([
    [],
    true,
    undefined,
  ]);
  expect(await threads.fork(thread.id, { kind: 'latest' })).toMatchObject({ outcome: { code: 'thread-empty' } });
  expect(await threads.load(thread.id)).toBe(thread);
  await expect.poll(() => engine.threads).toEqual([]);
  expect(await thread.override({ model: 'gpt-5.4' })).toMatchObject({ kind: 'changed' });
  await expect.poll(() => engine.threads).toEqual([]);
  expect(await thread.submit({ input: words('go') })).toMatchObject({ kind: 'completed' });
  expect(scene.model.requests[0]!.body['model']).toBe('gpt-5.4');
  await expect.poll(() => engine.threads).toEqual([]);
  expect(await thread.submit({ input: words('again') })).toMatchObject({ kind: 'completed' });
});

it('a thread that is unknown, or that another program writes, is refused', async () => {
  const { engine, threads, cwd } = await liveScene([done]);
  const unknown = '00000000-0000-7000-8000-000000000000' as ThreadId;
  expect(await threads.load(unknown)).toMatchObject({ kind: 'refused', outcome: { code: 'thread-unknown' } });
  const other = await engine.start({ cwd });
  if (other.kind === 'refused') throw new Error('refused');
  await other.thread.run({ input: words('go'), signal: new AbortController().signal });
  const held = await threads.load(other.thread.id);
  expect(held).toMatchObject({ kind: 'refused', outcome: { code: 'thread-locked' } });
  expect(held.kind === 'refused' && held.outcome.message).toContain(String(process.pid));
  await other.thread.close();
  expect(await threads.load(other.thread.id)).toMatchObject({ kind: 'live', id: other.thread.id });
});

it('interrupt ends the turn that runs, and what waits behind it runs', async () => {
  const { scene, start } = await liveScene([hang({ afterBytes: 0, of: done }), done]);
  const thread = await start();
  expect(await thread.interrupt()).toEqual({ kind: 'idle' });
  const first = thread.submit({ input: words('one') });
  const second = thread.submit({ input: words('two') });
  await expect.poll(() => scene.model.requests.length).toBe(1);
  const { turnId } = thread;
  expect(await thread.interrupt()).toEqual({ kind: 'interrupted', turnId });
  expect(await first).toMatchObject({ kind: 'aborted' });
  expect(await second).toMatchObject({ kind: 'completed' });
});

const asksFirst = answer({
  items: [
    callTool('exec_command', { cmd: 'touch asked', sandbox_permissions: 'require_escalated', justification: 'why' }),
  ],
});

it('a question waits for an answer; a thread that was given up meanwhile is suspended, and the answer continues it', async () => {
  const { scene, threads, start } = await liveScene([asksFirst, done, asksFirst, done]);
  const thread = await start({ config: ['approval_policy="on-request"'] });
  const turn = thread.submit({ input: words('go') });
  await expect.poll(() => thread.questions.length).toBe(1);
  expect(await thread.answer('no such', { kind: 'allowed' })).toMatchObject({ kind: 'refused' });
  expect(await thread.answer(thread.questions[0]!.id, { kind: 'declined' })).toEqual({ kind: 'answered' });
  expect(await turn).toMatchObject({ kind: 'completed' });
  const next = thread.submit({ input: words('again') });
  await expect.poll(() => thread.questions.length).toBe(1);
  expect(await threads.whole(thread.id, async () => 'never')).toMatchObject({ outcome: { code: 'thread-busy' } });
  await threads.close();
  expect(await next).toMatchObject({ kind: 'suspended' });
  expect(thread.isSuspended).toBe(true);
  const later = liveThreads(await scene.engine());
  whenTestEnds(() => later.close());
  const loaded = await opened(later.load(thread.id, { config: ['approval_policy="on-request"'] }));
  expect(loaded.isSuspended).toBe(true);
  expect(await loaded.answer(loaded.questions[0]!.id, { kind: 'declined' })).toEqual({ kind: 'answered' });
  await expect.poll(() => loaded.isSuspended || loaded.turnId !== undefined).toBe(false);
  expect(scene.model.requests).toHaveLength(4);
});

it('the followers of an engine that is closed get the reason as the last news, whether they wait or come later', async () => {
  const { engine, threads, start } = await liveScene([done]);
  const [thread, idle] = [await start(), await start()];
  const listeners = [new Listener(thread), new Listener(thread, { after: -1 }), new Listener(idle)];
  await thread.submit({ input: words('go') });
  await engine.close();
  listeners.push(new Listener(thread, { after: -1 }), new Listener(thread));
  await Promise.all(listeners.map(({ left }) => left));
  for (const { seen } of listeners) {
    expect(seen.filter(({ kind }) => kind === 'ended')).toHaveLength(1);
    expect(seen.at(-1)).toMatchObject({ kind: 'ended', outcome: { code: 'threads-closed' } });
  }
  expect(listeners[3]!.story).toEqual(listeners[1]!.story);
  expect(await thread.submit({ input: words('again') })).toMatchObject({ outcome: { code: 'threads-closed' } });
  expect(await threads.load(thread.id)).toMatchObject({ outcome: { code: 'threads-closed' } });
  await engine.close();
});
