import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { answer, say } from '../../src/testing/index.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp } from '../../src/surfaces/servers/mcp/app.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { until } from '../mcp-server/suite.ts';
import { engineOf, served, TestClient } from './served.ts';

/** A thread in which turns waited when their program ended. */
async function left(...texts: readonly string[]) {
  const hold = Promise.withResolvers<void>();
  const { model, place, engine } = await served(async ({ index }) => {
    if (index === 0) await hold.promise;
    return answer({ items: [say('Yes.')] });
  });
  const started = await liveThreads(engine).start({ cwd: place.workspace });
  if (started.kind === 'refused') throw new Error(started.outcome.message);
  const change = { sandbox: 'danger-full-access', approvals: 'never' } as const;
  const turns = ['one', ...texts].map((text) => started.submit({ input: words(text), change }));
  await model.request(0);
  await engine.close();
  hold.resolve();
  await Promise.all(turns);
  const later = await engineOf(place);
  const app = createMcpApp(later, liveThreads(later), { cwd: place.workspace });
  whenTestEnds(() => app.close());
  return { client: new TestClient(app), thread_id: started.id, model };
}

it.each(['thread_send', 'thread_turn'])('%s says that its turn begins with messages that waited', async (tool) => {
  const { client, thread_id, model } = await left('look only', 'clean up');
  const note = /begins with 2 messages .* “look only”; “clean up”\. Do not send them again\.$/;
  const sent = await client.call(tool, { thread_id, text: 'and now?' });
  expect(sent.data).toMatchObject({ status: 'completed', notices: [expect.stringMatching(note)] });
  expect(sent.text).toMatch(/^Yes\.\nNote: This turn begins with/);
  const warned = client.events.filter(({ type }) => type === 'warning');
  expect(warned).toMatchObject([{ code: 'messages-waiting' }]);
  expect(JSON.stringify(model.requests.at(-1)!.body['input'])).toMatch(/look only.*clean up.*and now\?/);
  const next = await client.call('thread_send', { thread_id, text: 'and then?' });
  expect([next.text, next.data['notices']]).toEqual(['Yes.', undefined]);
});

it('thread_override tells what is in force from what only a turn asks for that waits', async () => {
  const hold = Promise.withResolvers<void>();
  const { app, model, place } = await served(async () => {
    await hold.promise;
    return answer({ items: [say('Yes.')] });
  });
  const client = new TestClient(app);
  const { thread_id, settings } = await client.data('thread_start', {});
  const id = { thread_id: thread_id! };
  const first = client.call('thread_send', { ...id, text: 'one' });
  const cancelled = new AbortController();
  const wide = { sandbox: 'danger-full-access', approval_policy: 'never' };
  const waits = client.call('thread_turn', { ...id, text: 'two', ...wide }, cancelled.signal);
  await model.request(0);
  await until(() => place.lines().some(({ type }) => type === 'capstan_waiting'), 20_000);
  const narrow = { ...(settings as object), effort: 'low' };
  const changed = await client.call('thread_override', { ...id, effort: 'low' });
  expect(changed.data).toMatchObject({
    settings: narrow,
    queued_settings: { ...narrow, ...wide, network: 'enabled' },
  });
  expect(changed.text).toMatch(/Turns that wait will change more: see queued_settings\.$/);
  cancelled.abort();
  expect((await waits).data).toMatchObject({ status: 'interrupted' });
  const again = await client.data('thread_override', { ...id, effort: 'low' });
  expect(again).toEqual({ thread_id, changed: [], settings: narrow });
  hold.resolve();
  await first;
});
