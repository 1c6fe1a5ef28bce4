import { expect, it } from 'vitest';
import { liveThreads, type ThreadRequest, words } from '../../src/index.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import { answer, callTool, hang, say, type Script } from '../../src/testing/index.ts';
import type { LiveThread as Live, LiveThreads } from '../../src/surfaces/engine/live/live-thread.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/scene.ts';

async function liveScene(script: Script, { idleMs }: { readonly idleMs?: number } = {}) {
  const scene = await LiveThread.in(script);
  const engine = await scene.engine();
  const threads = liveThreads(engine, idleMs === undefined ? {} : { idleMs });
  whenTestEnds(() => engine.close());
  return { scene, engine, threads, cwd: scene.place.workspace };
}

async function started(threads: LiveThreads, request: ThreadRequest & { readonly cwd: string }): Promise<Live> {
  const thread = await threads.start(request);
  if (thread.kind === 'refused') throw new Error(thread.outcome.message);
  return thread;
}

const done = answer({ items: [say('done')] });

it('a thread is loaded once, however many ask for it, and is the same object for all', async () => {
  const { engine, threads, cwd } = await liveScene([done, done]);
  const thread = await started(threads, { cwd });
  expect(await thread.submit({ input: words('go') })).toEqual({ kind: 'completed', lastMessage: 'done' });
  await engine.thread(thread.id)!.close();
  expect(threads.loaded).toEqual([]);
  const all = await Promise.all([threads.load(thread.id), threads.load(thread.id), threads.load(thread.id)]);
  expect(all.every((one) => one === thread)).toBe(true);
  expect(threads.loaded).toEqual([thread]);
  expect(engine.threads).toHaveLength(1);
});

it('an idle thread is given up and loaded by its next use, under the settings that it had', async () => {
  const { engine, threads, cwd } = await liveScene([done, done], { idleMs: 20 });
  const thread = await started(threads, { cwd, overrides: ['model="gpt-5.5"'] });
  await thread.override({ model: 'gpt-5.4' });
  await thread.submit({ input: words('go') });
  const total = thread.usage();
  await expect.poll(() => engine.threads, { timeout: 10_000 }).toEqual([]);
  expect(thread.settings.model).toBe('gpt-5.4');
  expect(thread.usage()).toEqual(total);
  expect(await thread.submit({ input: words('again') })).toMatchObject({ kind: 'completed' });
  expect(thread.settings.model).toBe('gpt-5.4');
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
  const { scene, threads, cwd } = await liveScene([hang({ afterBytes: 0, of: done }), done]);
  const thread = await started(threads, { cwd });
  expect(await thread.interrupt()).toEqual({ kind: 'idle' });
  const first = thread.submit({ input: words('one') });
  const second = thread.submit({ input: words('two') });
  await expect.poll(() => scene.model.requests.length, { timeout: 10_000 }).toBe(1);
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
  const { scene, threads, cwd } = await liveScene([asksFirst, done, asksFirst, done]);
  const thread = await started(threads, { cwd, overrides: ['approval_policy="on-request"'] });
  const turn = thread.submit({ input: words('go') });
  await expect.poll(() => thread.questions.length, { timeout: 10_000 }).toBe(1);
  expect(await thread.answer('no such', { kind: 'allowed' })).toMatchObject({ kind: 'refused' });
  expect(await thread.answer(thread.questions[0]!.id, { kind: 'declined' })).toEqual({ kind: 'answered' });
  expect(await turn).toMatchObject({ kind: 'completed' });
  const next = thread.submit({ input: words('again') });
  await expect.poll(() => thread.questions.length, { timeout: 10_000 }).toBe(1);
  expect(await threads.whole(thread.id, async () => 'never')).toMatchObject({ outcome: { code: 'thread-busy' } });
  await threads.close();
  expect(await next).toMatchObject({ kind: 'suspended' });
  expect(thread.isSuspended).toBe(true);
  const later = liveThreads(await scene.engine());
  whenTestEnds(() => later.close());
  const loaded = await later.load(thread.id, { overrides: ['approval_policy="on-request"'] });
  if (loaded.kind === 'refused') throw new Error(loaded.outcome.message);
  expect(loaded.isSuspended).toBe(true);
  expect(await loaded.answer(loaded.questions[0]!.id, { kind: 'declined' })).toEqual({ kind: 'answered' });
  await expect.poll(() => loaded.isSuspended || loaded.turnId !== undefined, { timeout: 10_000 }).toBe(false);
  expect(scene.model.requests).toHaveLength(4);
});

it('followers get what happens, and leave cleanly', async () => {
  const { threads, cwd } = await liveScene([done, done]);
  const thread = await started(threads, { cwd });
  const seen: string[] = [];
  const following = (async () => {
    for await (const news of thread.follow()) {
      seen.push(news.kind === 'recorded' || news.kind === 'passing' ? news.event.kind : news.kind);
      if (seen.at(-1) === 'turn-completed') break;
    }
  })();
  await thread.submit({ input: words('go') });
  await following;
  expect(seen).toContain('turn-started');
  expect(seen.at(-1)).toBe('turn-completed');
});
