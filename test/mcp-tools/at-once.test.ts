import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp } from '../../src/surfaces/servers/mcp/app.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { checkpointText, isCompaction, userTexts } from '../compaction/summariser.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { engineOf, served, TestClient } from './served.ts';

const says = (words: string) => answer({ items: [say(words)] });

async function started(client: TestClient): Promise<string> {
  return String((await client.data('thread_start', { prompt: 'first' }))['thread_id']);
}

function usersIn({ items }: JsonObject): readonly unknown[] {
  return (items as readonly JsonObject[]).filter(({ type }) => type === 'user').map(({ text }) => text);
}

it('a reader that was away over a rollback gets `rewound`, and reads every page once', async () => {
  const { app } = await served(() => says('ok'));
  const client = new TestClient(app);
  const thread_id = await started(client);
  const cursorNow = (): JsonObject => client.notes.map(({ params }) => params).findLast(({ ordinal }) => ordinal)!;
  const one = cursorNow();
  await client.data('thread_send', { thread_id, text: 'second' });
  const { ordinal, cursor } = cursorNow();
  await client.data('thread_rollback', { thread_id });
  for (const text of ['third', 'fourth']) await client.data('thread_send', { thread_id, text });
  for (const after of [ordinal!, cursor!]) {
    const page = await client.data('thread_read', { thread_id, after });
    expect([page['rewound'], usersIn(page)]).toEqual([one['ordinal'], ['third', 'fourth']]);
  }
  const read: unknown[] = [];
  for (let after: JsonObject | undefined = {}; after !== undefined;) {
    const page: JsonObject = await client.data('thread_read', { thread_id, limit: 2, ...after });
    expect(page).not.toHaveProperty('rewound');
    read.push(...usersIn(page));
    after = page['next'] === undefined ? undefined : { after: page['next'] };
  }
  expect(read).toEqual(['first', 'third', 'fourth']);
  expect(await client.error('thread_read', { thread_id, after: 'nowhere' })).toMatchObject({ code: 'place-unknown' });
});

it.each(['thread_rollback first', 'thread_send first'])('a rollback and a message at once: %s', async (order) => {
  const { app } = await served(() => says('ok'));
  const client = new TestClient(app);
  const thread_id = await started(client);
  await client.data('thread_send', { thread_id, text: 'second' });
  const rollback = () => client.call('thread_rollback', { thread_id });
  const send = () => client.call('thread_send', { thread_id, text: 'third' });
  const both = order === 'thread_send first' ? [send(), rollback()] : [rollback(), send()];
  const ended = await Promise.all(both);
  const refused = ended.filter(({ isError }) => isError === true);
  expect(refused.map(({ data }) => (data['error'] as JsonObject)['code'])).toEqual(
    refused.length === 0 ? [] : ['thread-busy'],
  );
  const users = usersIn(await client.data('thread_read', { thread_id }));
  expect(users).toEqual(refused.length === 0 ? ['first', 'third'] : ['first', 'second', 'third']);
});

it('a compaction that is cancelled ends no work of another client', async () => {
  const [compaction, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { app, model, place } = await served(async (request) => {
    if (isCompaction(request)) {
      await compaction.promise;
      return answer({ items: [say(checkpointText('first', [], 'summary'))] });
    }
    if (userTexts(request).includes('slow')) await slow.promise;
    return answer({ items: [say('Yes. '.repeat(2000))] });
  });
  const [one, two, three] = [new TestClient(app), new TestClient(app), new TestClient(app)];
  const thread_id = await started(one);
  const compacted = one.data('thread_compact', { thread_id });
  await expect.poll(() => model.requests.length).toBe(2);
  const stopped = new AbortController();
  const early = two.call('thread_compact', { thread_id }, stopped.signal);
  await new Promise((resolve) => setTimeout(resolve, 50));
  stopped.abort();
  const turn = three.data('thread_turn', { thread_id, text: 'slow' });
  await expect.poll(() => JSON.stringify(place.lines())).toContain('slow');
  const stopping = new AbortController();
  const late = two.call('thread_compact', { thread_id }, stopping.signal);
  compaction.resolve();
  expect(await compacted).toHaveProperty('report');
  await expect.poll(() => model.requests.length).toBe(3);
  stopping.abort();
  slow.resolve();
  expect(await turn).toMatchObject({ status: 'completed' });
  for (const cancelled of [early, late]) {
    expect((await cancelled).data).toMatchObject({ error: { code: 'interrupted' } });
  }
});

const asks = answer({
  items: [
    callTool('exec_command', { cmd: 'touch asked', sandbox_permissions: 'require_escalated', justification: 'why' }),
  ],
});
const onRequest = { config: 'approval_policy = "on-request"\n' };

it('work that waits behind a question says which', async () => {
  let hasAsked = false;
  const { app } = await served((request) => {
    if (isCompaction(request)) return says(checkpointText('go', [], 'summary'));
    if (hasAsked) return says('ok');
    hasAsked = true;
    return asks;
  }, onRequest);
  const [one, two, three] = [new TestClient(app), new TestClient(app), new TestClient(app)];
  const first = await one.data('thread_start', { prompt: 'go' });
  const { thread_id } = first as { thread_id: string };
  const [question] = first['questions'] as readonly JsonObject[];
  // No client here can ask its user: each gets the question with its answer.
  const waiting = [
    await two.data('thread_turn', { thread_id, text: 'next' }),
    await three.data('thread_compact', { thread_id }),
  ];
  for (const { status, questions } of waiting) {
    expect([status, questions]).toMatchObject(['waiting', [{ id: question!['id'] }]]);
  }
  await one.data('thread_answer', { thread_id, question_id: question!['id']!, decision: 'denied' });
});

it('a call whose answer lapsed waits for the end of the turn that it continued, and says so', async () => {
  const { app, place } = await served([asks, says('ok')], onRequest);
  const first = await new TestClient(app).data('thread_start', { prompt: 'go' });
  const { thread_id } = first as { thread_id: string };
  const [question] = first['questions'] as readonly JsonObject[];
  await app.close();
  const engine = await engineOf(place);
  const later = createMcpApp(engine, liveThreads(engine), { cwd: place.workspace });
  whenTestEnds(() => later.close());
  const client = new TestClient(later);
  await client.data('thread_override', { thread_id, cwd: place.root });
  expect(
    await client.data('thread_answer', { thread_id, question_id: question!['id']!, decision: 'approved' }),
  ).toMatchObject({
    thread_id,
    notice: expect.stringContaining('lapsed') as string,
    status: expect.any(String) as string,
  });
});

it('a client that asks its user hears when the turn is gone', async () => {
  const { app } = await served([asks], onRequest);
  const client = new TestClient(app, () => ({ action: 'cancel' }));
  const start = app.tools.find(({ name }) => name === 'thread_start')!;
  const context = { signal: client.leaving.signal, requestId: 1, client: client.port, progress: () => {} };
  const asked = await start.call({ prompt: 'go' }, context);
  if (asked.kind !== 'input-required') throw new Error(asked.text);
  expect(asked.answered?.aborted).toBe(false);
  const thread_id = asked.state['thread_id']!;
  expect(await client.data('thread_interrupt', { thread_id })).toMatchObject({ interrupted: true });
  await expect.poll(() => asked.answered?.aborted).toBe(true);
});

it('a client without a connection is refused what it could not be sent', async () => {
  const { app } = await served([says('ok')]);
  const client = new TestClient(app);
  const conversationId = await started(client);
  const listen = app.tools.find(({ name }) => name === 'addConversationListener')!;
  const context = {
    signal: client.leaving.signal,
    requestId: 1,
    client: { ...client.port, stays: false },
    progress: () => {},
  };
  expect(await listen.call({ conversationId }, context)).toMatchObject({
    isError: true,
    data: { error: { code: 'no-connection' } },
  });
});
