import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ClientPort, ClientResponse, FormQuestion } from '../../src/surfaces/servers/mcp/server-interface.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp } from '../../src/surfaces/servers/mcp/app.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { engineOf, type Served, served, TestClient } from './served.ts';

const closed =
  'approval_policy = "on-request"\n[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';
const done = answer({ items: [say('Done.')] });

function outside({ place }: Pick<Served, 'place'>, name: string): string {
  const folder = join(place.root, 'outside');
  mkdirSync(folder, { recursive: true });
  return join(folder, name);
}

/** A turn that asks to leave the sandbox once, or for each of the names. */
async function asking(
  names: readonly string[] = ['file'],
  options: Parameters<typeof served>[1] = {},
): Promise<Served> {
  const all: Served = await served(
    (request) =>
      request.index < names.length
        ? answer({
            items: [
              callTool('exec_command', {
                cmd: `touch ${outside(all, names[request.index]!)}`,
                sandbox_permissions: 'require_escalated',
                justification: 'May I?',
              }),
            ],
          })
        : done,
    { config: closed, ...options },
  );
  return all;
}

const accepted = (content: JsonObject = {}): ClientResponse => ({ action: 'accept', content });

it('an accept without content allows this one call; the words are not sent twice', async () => {
  const scene = await asking(['one', 'two']);
  const client = new TestClient(scene.app, () => accepted());
  const result = await client.data('thread_start', { prompt: 'touch both' });
  expect(result).toMatchObject({ status: 'completed', message: 'Done.' });
  expect(['one', 'two'].map((name) => existsSync(outside(scene, name)))).toEqual([true, true]);
  expect(client.asked).toHaveLength(2);
  expect(client.asked[0]!.message).toContain(`  $ touch ${outside(scene, 'one')}\n  in ${scene.place.workspace}`);
  expect(client.asked[0]!.message).toContain('The model says: May I?');
  expect(client.asked[0]!.schema['properties']).toMatchObject({
    decision: { enum: ['approved', 'approved_for_session', 'approved_with_rule', 'denied', 'abort'] },
    note: { type: 'string' },
  });
  expect(client.asked[0]!.extra).toMatchObject({ threadId: result['thread_id'], codex_elicitation: 'exec-approval' });
  const words = textsOf(inputOf(scene.model, 2)).filter((text) => text === 'touch both');
  expect(words).toHaveLength(1);
  expect(client.typesOf('question_asked', 'question_answered')).toEqual([
    'question_asked',
    'question_answered',
    'question_asked',
    'question_answered',
  ]);
});

it.each<[string, ClientResponse, JsonObject]>([
  ['decline', { action: 'decline' }, { decision: 'denied' }],
  [
    'a denial with a note',
    accepted({ decision: 'denied', note: 'Use the workspace.' }),
    { decision: 'denied', note: 'Use the workspace.' },
  ],
  [
    'a denial as Codex writes it',
    accepted({ decision: { denied: { rejection: 'No.' } } }),
    { decision: 'denied', note: 'No.' },
  ],
  ['a word that no one knows', accepted({ decision: 'sure' }), { decision: 'denied' }],
  ['an empty decision', accepted({ decision: '' }), { decision: 'denied' }],
  ['a note without a decision', accepted({ note: 'no, do not' }), { decision: 'denied', note: 'no, do not' }],
  ['a no under other keys', accepted({ approved: false, Decision: 'denied' }), { decision: 'denied' }],
  ['an approval beside unknown keys', accepted({ decision: 'approved', approved: false }), { decision: 'denied' }],
  ['two decisions at once', accepted({ decision: { approved: {}, denied: {} } }), { decision: 'denied' }],
])('%s does not allow the call, and the turn goes on', async (_, response, event) => {
  const scene = await asking();
  const client = new TestClient(scene.app, () => response);
  expect(await client.data('thread_start', { prompt: 'go' })).toMatchObject({ status: 'completed', message: 'Done.' });
  expect(existsSync(outside(scene, 'file'))).toBe(false);
  expect(client.events.find(({ type }) => type === 'question_answered')).toMatchObject(event);
});

it('the user sees the whole command, its folder and where it runs; signs that hide something are visible', async () => {
  const hidden = `ls -la${' '.repeat(1700)}; touch late\necho ok # note:\ntouch folded \u202E\u001B[2J\u0007`;
  const scene = await served(
    (request) =>
      request.index > 0
        ? done
        : answer({
            items: [
              callTool('exec_command', {
                cmd: hidden,
                workdir: '/etc',
                sandbox_permissions: 'require_escalated',
                justification: 'x)? approved automatically',
              }),
            ],
          }),
    { config: closed },
  );
  const client = new TestClient(scene.app, () => ({ action: 'decline' }));
  await client.data('thread_start', { prompt: 'go' });
  const [{ message, schema }] = client.asked as [FormQuestion];
  // A row that breaks loses no blank.
  expect(message.replaceAll('\n  | ', '')).toContain(
    '; touch late\n  > echo ok # note:\n  > touch folded <U+202E>␛[2J␇\n  in /etc',
  );
  expect(message).toMatch(/outside the sandbox/);
  expect(message).toMatch(/The command has 3 lines\.$/);
  expect(JSON.stringify(schema)).not.toContain('default');
  expect(schema['required']).toEqual(['decision']);
});

it.each([
  [{}, false],
  [{ decision: 'approved' }, true],
])('a command that is too long to be shown whole needs a decision: %j', async (content, runs) => {
  const scene: Served = await served(
    (request) =>
      request.index > 0
        ? done
        : answer({
            items: [
              callTool('exec_command', {
                cmd: `: ${'x'.repeat(100_000)}; touch ${outside(scene, 'long')}`,
                sandbox_permissions: 'require_escalated',
                justification: 'May I?',
              }),
            ],
          }),
    { config: closed },
  );
  const client = new TestClient(scene.app, () => accepted(content));
  await client.data('thread_start', { prompt: 'go' });
  expect(client.asked[0]!.message).toMatch(/\[[\d,]+ characters are not shown here\./);
  expect(existsSync(outside(scene, 'long'))).toBe(runs);
});

it('a command reads neither the token of the server nor what a link to it leads to', async () => {
  const { model, place } = await scene([
    answer({ items: [callTool('exec_command', { cmd: 'cat token link; echo > token; echo ran' })] }),
    done,
  ]);
  const [token, link] = ['token', 'link'].map((name) => join(place.workspace, name)) as [string, string];
  writeFileSync(token, 'a-long-and-secret-token');
  symlinkSync(token, link);
  const engine = await engineOf(place, { secretFiles: [link] });
  const app = createMcpApp(engine, liveThreads(engine), { cwd: place.workspace });
  whenTestEnds(() => app.close());
  await new TestClient(app).data('thread_start', { prompt: 'go', sandbox: 'workspace-write' });
  expect(JSON.stringify(inputOf(model, 1))).toContain('ran');
  expect(JSON.stringify(inputOf(model, 1))).not.toContain('secret-token');
  expect(readFileSync(token, 'utf8')).toBe('a-long-and-secret-token');
});

it('two calls under one id are two questions, and each gets its own answer', async () => {
  const call = (scene: Served, name: string) =>
    callTool(
      'exec_command',
      { cmd: `touch ${outside(scene, name)}`, sandbox_permissions: 'require_escalated', justification: 'May I?' },
      'same',
    );
  const scene: Served = await served(
    (request) => (request.index > 0 ? done : answer({ items: [call(scene, 'first'), call(scene, 'second')] })),
    { config: closed },
  );
  const client = new TestClient(scene.app, (_key, { message }) =>
    message.includes('first') ? accepted() : { action: 'decline' },
  );
  expect(await client.data('thread_start', { prompt: 'go' })).toMatchObject({ status: 'completed' });
  expect(['first', 'second'].map((name) => existsSync(outside(scene, name)))).toEqual([true, false]);
  const answers = client.events.filter(({ type }) => type === 'question_answered');
  expect(answers.map(({ decision }) => decision)).toEqual(['approved', 'denied']);
  const outputs = inputOf(scene.model, 1).filter(({ type }) => type === 'function_call_output');
  expect(new Set(outputs.map(({ call_id }) => call_id)).size).toBe(2);
});

it.each<[string, ClientResponse, string]>([
  ['in a wrong form', { action: 'unanswered', because: 'unreadable' }, 'in a form Capstan can read.'],
  ['not at all', { action: 'unanswered', because: 'failed' }, 'The client failed to ask its user.'],
  ['with a member too many', accepted({ decision: 'approved', more: 1 }), 'in a form Capstan can read.'],
])('a client that answers %s speaks for no user, and the turn continues', async (_how, response, words) => {
  const scene = await asking();
  const client = new TestClient(scene.app, () => response);
  expect(await client.data('thread_start', { prompt: 'go' })).toMatchObject({ status: 'completed', message: 'Done.' });
  expect(existsSync(outside(scene, 'file'))).toBe(false);
  const told = JSON.stringify(inputOf(scene.model, 1));
  expect(told).toContain(words);
  expect(told).not.toMatch(/the user declined|The user says|stopped the turn/);
  const [given] = client.events.filter(({ type }) => type === 'question_answered');
  expect(given).toMatchObject({ decision: 'denied', by: 'client' });
});

it('an approval for the session is not asked for again; a cancel ends the turn', async () => {
  const scene = await asking(['same', 'same']);
  const client = new TestClient(scene.app, () => accepted({ decision: 'approved_for_session' }));
  await client.data('thread_start', { prompt: 'go' });
  expect(client.asked).toHaveLength(1);

  const other = await asking();
  const stops = new TestClient(other.app, () => ({ action: 'cancel' }));
  expect(await stops.data('thread_start', { prompt: 'go' })).toMatchObject({ status: 'interrupted' });
  expect(existsSync(outside(other, 'file'))).toBe(false);
});

it('a client that cannot ask is given the question, and thread_answer answers it and waits for the end', async () => {
  const scene = await asking(['one', 'two']);
  const client = new TestClient(scene.app);
  const first = await client.data('thread_start', { prompt: 'go' });
  const [question] = first['questions'] as readonly JsonObject[];
  expect(first).toMatchObject({ status: 'waiting' });
  expect(question).toMatchObject({ kind: 'command', justification: 'May I?', scopes: ['call', 'session', 'rule'] });
  const { thread_id } = first as { thread_id: string };
  expect((await client.data('thread_read', { thread_id }))['questions']).toMatchObject([{ id: question!['id'] }]);

  const unknown = await client.error('thread_answer', { thread_id, question_id: 'none', decision: 'approved' });
  expect(unknown).toMatchObject({ code: 'question-unknown', next: `Open questions: ${String(question!['id'])}.` });
  const second = await client.data('thread_answer', { thread_id, question_id: question!['id']!, decision: 'approved' });
  expect(second).toMatchObject({ status: 'waiting' });
  const [next] = second['questions'] as readonly JsonObject[];
  const last = await client.data('thread_answer', {
    thread_id,
    question_id: next!['id']!,
    decision: 'denied',
    note: 'No.',
  });
  expect(last).toMatchObject({ status: 'completed', message: 'Done.' });
  expect(['one', 'two'].map((name) => existsSync(outside(scene, name)))).toEqual([true, false]);
  expect(
    await client.error('thread_answer', { thread_id, question_id: next!['id']!, decision: 'approved' }),
  ).toMatchObject({ code: 'question-unknown' });
});

it('with the option, what a client cannot ask is refused, and the model knows it before it tries', async () => {
  const scene = await asking(['file', 'file'], { onQuestion: 'decline' });
  const client = new TestClient(scene.app);
  const { thread_id, ...result } = await client.data('thread_start', { prompt: 'go' });
  expect(result).toMatchObject({ status: 'completed' });
  const sent = JSON.stringify(scene.model.requests[0]!.body);
  expect(sent).toContain('The user cannot be asked');
  expect(sent).not.toMatch(/request_permissions|require_escalated|prefix_rule/);
  expect(textsOf(inputOf(scene.model, 1)).at(-1)).toContain('the user cannot be asked');
  expect(existsSync(outside(scene, 'file'))).toBe(false);
  // A client that can ask its user does, in the same thread.
  const asks = new TestClient(scene.app, () => ({ action: 'decline' }));
  await asks.data('thread_send', { thread_id: thread_id!, text: 'again' });
  expect(JSON.stringify(scene.model.requests.at(-1)!.body)).toContain('require_escalated');
});

it('of two clients the first answer counts, and both get the end of the turn', async () => {
  const scene = await asking();
  const waiting = new TestClient(scene.app);
  const { thread_id, questions } = (await waiting.data('thread_start', { prompt: 'go' })) as {
    thread_id: string;
    questions: readonly JsonObject[];
  };
  const question_id = questions[0]!['id'] as string;
  const answers = ['approved', 'denied'].map((decision) =>
    new TestClient(scene.app).call('thread_answer', { thread_id, question_id, decision }),
  );
  const [first, second] = await Promise.all(answers);
  expect(first!.data).toMatchObject({ status: 'completed', message: 'Done.' });
  expect(second!.isError).toBe(true);
  expect(existsSync(outside(scene, 'file'))).toBe(true);
});

/** A client whose user has not answered yet. */
async function asksItsUser({ app }: Pick<Awaited<ReturnType<typeof asking>>, 'app'>, more: Partial<ClientPort> = {}) {
  const client = new TestClient(app, () => accepted());
  const tool = app.tools.find(({ name }) => name === 'thread_start')!;
  const port = { ...client.port, ...more };
  const context = { signal: client.leaving.signal, requestId: 1, client: port, progress: () => {} };
  const asked = await tool.call({ prompt: 'go' }, context);
  if (asked.kind !== 'input-required') throw new Error('not asked');
  return { client, asked };
}

it('what one client asks its user, another does not answer in its place; it can end the turn', async () => {
  const scene = await asking();
  const { asked } = await asksItsUser(scene);
  const other = new TestClient(scene.app);
  const [question_id] = Object.keys(asked.questions) as [string];
  const thread_id = asked.state['thread_id'] as string;
  for (const decision of ['approved', 'denied']) {
    expect(await other.error('thread_answer', { thread_id, question_id, decision })).toMatchObject({
      code: 'asked-elsewhere',
    });
  }
  expect(await other.data('thread_interrupt', { thread_id })).toMatchObject({ interrupted: true });
  expect(existsSync(outside(scene, 'file'))).toBe(false);
});

it('a client that asks its user cannot answer with thread_answer itself', async () => {
  const scene = await asking();
  const { client, asked } = await asksItsUser(scene);
  const [question_id] = Object.keys(asked.questions) as [string];
  const thread_id = asked.state['thread_id'] as string;
  for (const decision of ['approved', 'denied']) {
    expect(await client.error('thread_answer', { thread_id, question_id, decision })).toEqual({
      code: 'asked-elsewhere',
      message: 'Your client asks its user this question. Only that user may answer it.',
      next: 'Wait for that answer, or end the turn with thread_interrupt.',
    });
  }
  expect(existsSync(outside(scene, 'file'))).toBe(false);
});

it('a client that is gone while it is asked leaves a thread that can be continued', async () => {
  const scene = await asking();
  const { client, asked } = await asksItsUser(scene);
  client.leaving.abort();
  const other = new TestClient(scene.app);
  const thread_id = asked.state['thread_id']!;
  await expect
    .poll(async () => ((await other.data('thread_read', { thread_id }))['turns'] as JsonObject[])[0]!['status'])
    .toBe('interrupted');
  expect(await other.data('thread_send', { thread_id, text: 'go on' })).toMatchObject({ status: 'completed' });
});

it('a server that closes suspends a turn that waits, and another one takes the answer', async () => {
  const scene = await asking();
  const client = new TestClient(scene.app);
  const { thread_id, questions } = (await client.data('thread_start', { prompt: 'go' })) as {
    thread_id: string;
    questions: readonly JsonObject[];
  };
  await scene.app.close();
  const engine = await engineOf(scene.place);
  const app = createMcpApp(engine, liveThreads(engine), { cwd: scene.place.workspace });
  whenTestEnds(() => app.close());
  const later = new TestClient(app);
  expect((await later.data('thread_read', { thread_id }))['questions']).toMatchObject([{ id: questions[0]!['id'] }]);
  const question_id = questions[0]!['id']!;
  expect(await later.data('thread_answer', { thread_id, question_id, decision: 'approved' })).toMatchObject({
    status: 'completed',
    message: 'Done.',
  });
  expect(existsSync(outside(scene, 'file'))).toBe(true);
});

it('a client without a connection that does not come back keeps its question for a time, and the turn waits on', async () => {
  const scene = await asking(['file'], { reservedMs: 4000 });
  const { asked } = await asksItsUser(scene, { stays: false });
  const { thread_id } = asked.state as { thread_id: string };
  const [question_id] = Object.keys(asked.questions);
  const other = new TestClient(scene.app);
  const give = { thread_id, question_id: question_id!, decision: 'approved' };
  expect(await other.error('thread_answer', give)).toMatchObject({ code: 'asked-elsewhere' });
  // One that waits behind it is given the question as soon as it is free.
  const waits = await other.data('thread_send', { thread_id, text: 'and this' });
  expect(waits).toMatchObject({ status: 'waiting', questions: [{ id: question_id }] });
  expect(await other.data('thread_answer', give)).toMatchObject({ status: 'completed' });
  expect(existsSync(outside(scene, 'file'))).toBe(true);
});

it('a client that has a connection keeps its question as long as that is there', async () => {
  const scene = await asking(['file'], { reservedMs: 50 });
  const { asked } = await asksItsUser(scene);
  const { thread_id } = asked.state as { thread_id: string };
  await new Promise((resolve) => setTimeout(resolve, 300));
  const [question_id] = Object.keys(asked.questions);
  const give = { thread_id, question_id: question_id!, decision: 'approved' };
  expect(await new TestClient(scene.app).error('thread_answer', give)).toMatchObject({ code: 'asked-elsewhere' });
});
