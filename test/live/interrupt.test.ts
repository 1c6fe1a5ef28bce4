import { expect, it } from 'vitest';
import { liveThreads, words } from '../../src/index.ts';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import { rebuildRequests } from '../../src/core/replay/rebuild-requests.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { checkpointText, isCompaction, userTexts } from '../compaction/summariser.ts';
import { compacts, hangs, says, saysLong, talk } from '../compaction/talk.ts';
import { Listener, liveScene, opened } from './live-scene.ts';

const done = answer({ items: [say('done')] });
const never = hang({ afterBytes: 0, of: done });
const asks = answer({
  items: [
    callTool('exec_command', { cmd: 'touch asked', sandbox_permissions: 'require_escalated', justification: 'why' }),
  ],
});
const onRequest = { config: ['approval_policy="on-request"'] };

it('interrupt ends the turn that an answer continued, not the one that was submitted after the answer', async () => {
  const { scene, threads, start } = await liveScene([asks, never, done]);
  const thread = await start(onRequest);
  const turn = thread.submit({ input: words('go') });
  await expect.poll(() => thread.questions.length).toBe(1);
  const { turnId } = thread;
  await threads.close();
  expect(await turn).toMatchObject({ kind: 'suspended' });
  const later = liveThreads(await scene.engine());
  whenTestEnds(() => later.close());
  const loaded = await opened(later.load(thread.id, onRequest));
  const answered = loaded.answer(loaded.questions[0]!.id, { kind: 'declined' });
  const next = loaded.submit({ input: words('next') });
  expect(await answered).toEqual({ kind: 'answered' });
  await expect.poll(() => scene.model.requests.length).toBe(2);
  expect(await loaded.interrupt()).toEqual({ kind: 'interrupted', turnId });
  expect(await next).toMatchObject({ kind: 'completed' });
});

it('the signal of a compaction or of a turn ends that one alone, wherever it is in the queue', async () => {
  const [compaction, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { scene, start } = await liveScene(async (request) => {
    if (isCompaction(request)) {
      await compaction.promise;
      return answer({ items: [say(checkpointText('one', [], 'summary'))] });
    }
    if (userTexts(request).includes('two')) await two.promise;
    return answer({ items: [say('Yes. '.repeat(2000))] });
  });
  const thread = await start();
  await thread.submit({ input: words('one') });
  const stopped = [new AbortController(), new AbortController()] as const;
  const first = thread.compact({});
  const turn = thread.submit({ input: words('two') });
  const second = thread.compact({ signal: stopped[0].signal });
  const dropped = thread.submit({ input: words('three'), signal: stopped[1].signal });
  await expect.poll(() => scene.model.requests.length).toBe(2);
  stopped[1].abort();
  compaction.resolve();
  expect(await first).toMatchObject({ kind: 'installed' });
  await expect.poll(() => scene.model.requests.length).toBe(3);
  stopped[0].abort();
  two.resolve();
  expect(await turn).toMatchObject({ kind: 'completed' });
  expect(await second).toMatchObject({ kind: 'aborted' });
  expect(await dropped).toMatchObject({ kind: 'aborted' });
  expect(await thread.submit({ input: words('four') })).toMatchObject({ kind: 'completed' });
});

it('a turn that ends by itself is not called interrupted', async () => {
  const { start } = await liveScene([done, done]);
  const thread = await start();
  const ended = Promise.withResolvers<Awaited<ReturnType<typeof thread.interrupt>>>();
  void (async () => {
    for await (const news of thread.follow())
      if (news.kind === 'recorded' && news.event.kind === 'turn-completed') return ended.resolve(thread.interrupt());
  })();
  const [first, second] = [thread.submit({ input: words('one') }), thread.submit({ input: words('two') })];
  const interrupted = await ended.promise;
  expect(await first).toMatchObject({ kind: 'completed' });
  expect(interrupted.kind === 'idle').toBe((await second).kind === 'completed');
});

it('a turn that is cancelled while it waits was never said: not to the model, and not after a crash', async () => {
  const hold = Promise.withResolvers<void>();
  const { scene, threads, engine, start } = await liveScene(async ({ index }) => {
    if (index === 0) await hold.promise;
    return done;
  });
  const thread = await start();
  const stopped = new AbortController();
  const first = thread.submit({ input: words('one') });
  const cancelled = thread.submit({ input: words('never said'), signal: stopped.signal });
  const kept = thread.submit({ input: words('kept') });
  await expect.poll(() => scene.model.requests.length).toBe(1);
  const waiting = async () =>
    (await engine.stored.waiting(thread.id)).map((each) => 'input' in each && each.input.text);
  await expect.poll(waiting).toEqual(['never said', 'kept']);
  stopped.abort();
  expect(await cancelled).toEqual({ kind: 'aborted', isWithdrawn: true });
  // The first turn still runs: what another process would resume now.
  expect(await waiting()).toEqual(['kept']);
  hold.resolve();
  expect(await first).toMatchObject({ kind: 'completed' });
  expect(await kept).toMatchObject({ kind: 'completed' });
  await threads.close();
  const later = liveThreads(await scene.engine());
  whenTestEnds(() => later.close());
  await (await opened(later.load(thread.id))).submit({ input: words('two') });
  expect(scene.model.requests.flatMap(userTexts).filter((text) => text === 'never said')).toEqual([]);
  const { lines } = await engine.stored.read(thread.id);
  expect(lines.filter(({ payload }) => payload['dropped'] === 'cancelled')).toHaveLength(1);
  const states = [];
  for await (const request of rebuildRequests(lines, () => responsesEncoder())) states.push(request.kind);
  expect(states).toEqual(['rebuilt', 'rebuilt', 'rebuilt']);
});

it('a turn that is cancelled while it waits takes its settings with it, but nothing that was changed since', async () => {
  const hold = Promise.withResolvers<void>();
  const { scene, threads, start } = await liveScene(async ({ index }) => {
    if (index === 0) await hold.promise;
    return done;
  });
  const thread = await start();
  const before = thread.settings;
  const stopped = new AbortController();
  const first = thread.submit({ input: words('one') });
  const change = { approvals: 'never', sandbox: 'danger-full-access', effort: 'low' } as const;
  const kept = { ...before, effort: 'high', origins: { ...before.origins, effort: 'override' } };
  const cancelled = thread.submit({ input: words('never said'), signal: stopped.signal, change });
  const overridden = await thread.override({ effort: 'high' });
  expect(overridden).toEqual({
    kind: 'changed',
    changed: ['effort'],
    settings: kept,
    queued: expect.objectContaining({ approvals: 'never', effort: 'high' }),
  });
  stopped.abort();
  expect(await cancelled).toEqual({ kind: 'aborted', isWithdrawn: true });
  await expect.poll(() => thread.settings).toEqual(kept);
  const late = thread.submit({ input: words('never said either'), signal: AbortSignal.abort(), change });
  expect(await late).toEqual({ kind: 'aborted', isWithdrawn: true });
  await expect.poll(() => thread.settings).toEqual(kept);
  hold.resolve();
  await first;
  await threads.close();
  const later = liveThreads(await scene.engine());
  whenTestEnds(() => later.close());
  const again = await opened(later.load(thread.id));
  expect([again.settings.sandbox, again.settings.approvals, again.settings.effort]).toEqual([
    before.sandbox,
    before.approvals,
    'high',
  ]);
});

it('a turn behind one that is withdrawn runs without what that one would have changed, and with its own change', async () => {
  const hold = Promise.withResolvers<void>();
  const { scene, start } = await liveScene(async ({ index }) => {
    if (index === 0) await hold.promise;
    return done;
  });
  const thread = await start({ config: ['sandbox_mode="read-only"', 'approval_policy="on-request"'] });
  const stopped = new AbortController();
  const first = thread.submit({ input: words('one') });
  const wide = { approvals: 'never', sandbox: 'danger-full-access', effort: 'low' } as const;
  const withdrawn = thread.submit({ input: words('never said'), signal: stopped.signal, change: wide });
  const next = thread.submit({ input: words('two'), change: { effort: 'low', personality: 'friendly' } });
  const last = thread.submit({ input: words('three') });
  expect(await thread.override({})).toMatchObject({ changed: [], queued: { personality: 'friendly' } });
  stopped.abort();
  expect(await withdrawn).toEqual({ kind: 'aborted', isWithdrawn: true });
  hold.resolve();
  await Promise.all([first, next, last]);
  const contexts = scene.place.lines().filter(({ type }) => type === 'turn_context');
  const ran = contexts.map(({ payload }) => [
    payload['approval_policy'],
    (payload['sandbox_policy'] as { readonly type: string }).type,
    payload['effort'] ?? null,
    payload['personality'] ?? null,
  ]);
  const narrow = ['on-request', 'read-only'];
  const [none, own] = [ran[0]!.slice(2), ['low', 'friendly']];
  expect(ran).toEqual([
    [...narrow, ...none],
    [...narrow, ...own],
    [...narrow, ...own],
  ]);
  const outdated = contexts.map(({ payload }) => (payload['capstan'] as Record<string, unknown>)['outdated'] ?? false);
  expect(outdated.slice(1)).toEqual([false, false]);
});

it('a turn that is interrupted before the thread is loaded was never said', async () => {
  const { scene, engine, start } = await liveScene([done, done]);
  const thread = await start();
  await thread.submit({ input: words('one') });
  await engine.thread(thread.id)!.close();
  const cancelled = thread.submit({ input: words('never said') });
  expect(await thread.interrupt()).toEqual({ kind: 'idle' });
  expect(await cancelled).toEqual({ kind: 'aborted', isWithdrawn: true });
  await thread.submit({ input: words('two') });
  expect(scene.model.requests.flatMap(userTexts)).not.toContain('never said');
});

it('interrupt during a compaction that follows a turn by itself ends that one, and the turn that waits runs', async () => {
  let compactions = 0;
  const { start } = await liveScene(
    talk([saysLong(), says('Yes.')], (request) => (compactions++ === 0 ? hangs(request) : compacts(request))),
  );
  const thread = await start({ config: ['model_auto_compact_token_limit=20000'] });
  const listener = new Listener(thread);
  await thread.submit({ input: words('one') });
  const next = thread.submit({ input: words('two') });
  await expect.poll(() => compactions).toBe(1);
  expect(await thread.interrupt()).toMatchObject({ kind: 'interrupted' });
  expect(await next).toMatchObject({ kind: 'completed' });
  const events = listener.recorded.map(({ event }) => event);
  const ends = events.filter(({ kind }) => /^turn-(started|completed|aborted)$/.test(kind)).map(({ kind }) => kind);
  expect(ends).toEqual([
    'turn-started',
    'turn-completed',
    'turn-started',
    'turn-aborted',
    'turn-started',
    'turn-completed',
  ]);
});

it('a turn that was told to end takes no more words: they belong to the next turn, behind its end', async () => {
  const { scene, start } = await liveScene([never, done]);
  const thread = await start();
  const turn = thread.submit({ input: words('go') });
  await expect.poll(() => thread.turnId).toBeDefined();
  await expect.poll(() => scene.model.requests.length).toBe(1);
  const interrupted = thread.interrupt();
  expect(await thread.steer({ input: words('instead') })).toMatchObject({
    kind: 'refused',
    outcome: { code: 'no-active-turn' },
  });
  const next = thread.submit({ input: words('instead') });
  expect([(await interrupted).kind, (await turn).kind, (await next).kind]).toEqual([
    'interrupted',
    'aborted',
    'completed',
  ]);
});
