import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, hang, say } from '../../src/testing/index.ts';
import { argumentsProblem } from '../../src/surfaces/servers/mcp/wire/check-arguments.ts';
import { served, TestClient } from './served.ts';
import { checkpointText, isCompaction, saysCheckpoint } from '../compaction/summariser.ts';

const text = (words: string): JsonObject => ({ type: 'text', data: { text: words } });

it('a client of v1 drives a conversation by its names and shapes', async () => {
  const { app, place } = await served((request) =>
    isCompaction(request)
      ? saysCheckpoint(checkpointText('first', [], 'summary'))
      : answer({ items: [say('Yes. '.repeat(2000))] }),
  );
  const client = new TestClient(app);
  const begun = await client.data('newConversation', {
    cwd: place.workspace,
    approvalPolicy: 'never',
    sandbox: 'workspace-write',
    includePlanTool: false,
  });
  expect(begun).toMatchObject({ conversationId: expect.any(String), model: 'gpt-5.5', rolloutPath: null });
  const { conversationId } = begun as { conversationId: string };
  const listener = new TestClient(app);
  const { subscriptionId } = await listener.data('addConversationListener', { conversationId });
  const sent = await client.data('sendUserMessage', { conversationId, items: [text('first')] });
  expect(sent).toMatchObject({ conversationId, status: 'completed' });
  await expect.poll(() => listener.typesOf('turn_completed')).toEqual(['turn_completed']);

  const context = {
    cwd: place.root,
    approvalPolicy: 'on-request',
    sandboxPolicy: { mode: 'read-only' },
    model: 'gpt-5.5',
    summary: 'auto',
    effort: 'low',
  };
  await client.data('sendUserTurn', { conversationId, items: [text('second')], ...context });
  expect(client.events.find(({ kind, cause }) => kind === 'environment_context' && cause === 'change')).toMatchObject({
    value: { cwd: place.root },
  });
  const over = await client.data('overrideTurnContext', {
    conversationId,
    cwd: place.workspace,
    sandboxPolicy: { type: 'workspace-write', writable_roots: [], networkAccess: false },
  });
  expect(over).toMatchObject({
    conversationId,
    changed: ['cwd', 'sandboxPolicy'],
    settings: { cwd: place.workspace, approvalPolicy: 'on-request', sandboxPolicy: 'workspace-write' },
  });
  expect(await client.data('compactConversation', { conversationId, focus: 'the tests' })).toMatchObject({
    conversationId,
    report: { trigger: 'manual' },
  });
  expect(client.typesOf('checkpoint_installed')).toEqual(['checkpoint_installed']);
  await listener.data('removeConversationListener', { subscriptionId: subscriptionId! });
  const heard = listener.events.length;
  await client.data('sendUserMessage', { conversationId, items: [text('third')] });
  expect(listener.events).toHaveLength(heard);
  expect(await client.data('interruptConversation', { conversationId })).toMatchObject({ interrupted: false });
});

it('a v1 call is answered in the names that it takes', async () => {
  const { app } = await served([answer({ items: [say('approval_policy, thread_id and thread_send')] })]);
  const client = new TestClient(app);
  const { conversationId } = (await client.data('newConversation', {})) as { conversationId: string };
  expect(await client.error('overrideTurnContext', { conversationId })).toMatchObject({
    next: 'Give at least one of these: cwd, approvalPolicy, sandboxPolicy, model, effort, summary.',
  });
  const { text: words, data } = await client.call('overrideTurnContext', { conversationId, sandboxPolicy: 'wide' });
  expect(words).toMatch(
    /sandboxPolicy of a change of settings must be .* a sandbox policy .* Correct it or leave it out/s,
  );
  expect(data['error']).toMatchObject({
    message: expect.stringMatching(/^sandboxPolicy of a change of settings must/) as string,
  });
  const policy = await client.error('overrideTurnContext', { conversationId, approvalPolicy: 'maybe' });
  expect(policy['message']).toMatch(/^approvalPolicy of a change of settings must be/);
  const turn = { model: 'gpt-5.5', summary: 'auto', cwd: '/', approvalPolicy: 'never', sandboxPolicy: { type: 'odd' } };
  const refused = await client.error('sendUserTurn', { conversationId, items: [text('x')], ...turn });
  expect(Object.values(refused).join(' ')).toMatch(/sandboxPolicy/);
  const over = await client.call('overrideTurnContext', {
    conversationId,
    approvalPolicy: 'never',
    sandboxPolicy: 'read-only',
  });
  expect(over.data['changed']).toEqual(['approvalPolicy', 'sandboxPolicy']);
  expect(over.text).toContain('has another approvalPolicy, sandboxPolicy from');
  const odd = await client.error('newConversation', { approvalPolicy: 'maybe' });
  expect(Object.values(odd).join(' ')).toMatch(/approvalPolicy/);
  // Words of the model are not touched.
  const sent = await client.call('sendUserMessage', { conversationId, items: [text('x')] });
  expect([sent.text, sent.data['message']]).toEqual(Array(2).fill('approval_policy, thread_id and thread_send'));
});

it('null in a v1 call is as absent', async () => {
  const { app } = await served([]);
  const client = new TestClient(app);
  const start = app.tools.find(({ name }) => name === 'newConversation')!;
  const nothing = Object.fromEntries(Object.keys(start.input['properties'] as JsonObject).map((name) => [name, null]));
  expect(await argumentsProblem(start.input, nothing)).toBeUndefined();
  const { conversationId } = (await client.data('newConversation', nothing)) as { conversationId: string };
  const over = app.tools.find(({ name }) => name === 'overrideTurnContext')!;
  const none = { conversationId, cwd: null, approvalPolicy: null, sandboxPolicy: null, model: null, summary: null };
  expect(await argumentsProblem(over.input, none)).toBeUndefined();
  expect(await client.error('overrideTurnContext', none)).toMatchObject({ code: 'nothing-to-change' });
});

it('what is wrong in a v1 call is named', async () => {
  const { app } = await served([]);
  const client = new TestClient(app);
  const { conversationId } = (await client.data('newConversation', {})) as { conversationId: string };
  const wrong = async (...items: readonly JsonObject[]): Promise<unknown> =>
    (await client.error('sendUserMessage', { conversationId, items }))['message'];
  expect(await wrong(text('a'), { type: 'text', data: {} })).toBe('items[1] has no text in its data of type text.');
  expect(await wrong({ type: 'audio', data: {} })).toBe('items[0] has the type "audio".');
  expect(await wrong({ type: 'localImage', data: {} })).toBe('items[0] has no path in its data of type localImage.');
  expect(await wrong()).toBe('The message is empty or blank.');
  expect(await client.error('removeConversationListener', { subscriptionId: 'x' })).toMatchObject({
    code: 'subscription-unknown',
  });
  expect(await client.error('compactConversation', { conversationId: 'nothing' })).toMatchObject({
    code: 'thread-unknown',
  });
});

it('codex and codex-reply answer with the thread and the text, and send codex/event', async () => {
  const { app, model } = await served([
    answer({ items: [say('Hello.')], deltas: true }),
    answer({ items: [say('Again.')] }),
    hang({ afterBytes: 0, of: answer({ items: [] }) }),
  ]);
  const client = new TestClient(app);
  const first = await client.call('codex', {
    prompt: 'hi',
    'approval-policy': 'never',
    sandbox: 'read-only',
    'developer-instructions': 'Be brief.',
  });
  expect(first).toMatchObject({ text: 'Hello.', data: { threadId: expect.any(String), content: 'Hello.' } });
  const { threadId } = first.data as { threadId: string };
  expect(new Set(client.notes.map(({ method }) => method))).toEqual(new Set(['codex/event']));
  const messages = client.notes.map(
    ({ params }) => params as unknown as { id: string; msg: JsonObject; _meta: JsonObject },
  );
  expect(messages[0]).toMatchObject({
    id: '',
    _meta: { threadId },
    msg: { type: 'session_configured', session_id: threadId },
  });
  expect(messages.every(({ _meta }) => _meta['requestId'] === 1 && _meta['threadId'] === threadId)).toBe(true);
  const types = messages.map(({ msg }) => msg['type']);
  expect(types).toEqual(
    expect.arrayContaining(['task_started', 'agent_message_delta', 'agent_message', 'token_count', 'task_complete']),
  );
  expect(JSON.stringify(model.requests[0]!.body['input'])).toContain('Be brief.');
  expect((await client.call('codex-reply', { threadId, prompt: 'more' })).data).toEqual({
    threadId,
    content: 'Again.',
  });
  const ofReply = client.notes.slice(messages.length).map(({ params }) => params['_meta'] as JsonObject);
  expect(new Set(ofReply.map(({ requestId }) => requestId))).toEqual(new Set([2]));
  expect(await client.call('codex-reply', { prompt: 'more' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('threadId is missing.') as string,
  });
  const leaving = new AbortController();
  const lost = client.call('codex-reply', { conversationId: threadId, prompt: 'wait' }, leaving.signal);
  await expect.poll(() => model.requests.length).toBe(3);
  leaving.abort();
  await lost;
  expect(client.notes.at(-1)!.params['msg']).toMatchObject({ type: 'turn_aborted' });
});
