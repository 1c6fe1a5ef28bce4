import { describe, expect, it } from 'vitest';
import type { ClientTool } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Answer } from '../../src/protocol/question.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp } from '../../src/surfaces/servers/mcp/app.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { engineOf, served, TestClient } from '../mcp-tools/served.ts';

const schema = { type: 'object', properties: { id: { type: 'string' } } };
const ticket: ClientTool = { type: 'function', name: 'ticket', description: 'Reads a ticket.', inputSchema: schema };
const desk: ClientTool = {
  type: 'namespace',
  name: 'desk',
  description: 'The help desk.',
  tools: [{ ...ticket, name: 'close', deferLoading: true }],
};
const done = answer({ items: [say('Done.')] });
const red =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

const toolsOf = (requests: readonly { readonly body: JsonObject }[], at: number): readonly unknown[] =>
  (requests[at]!.body['tools'] as { name: string }[]).map(({ name }) => name);

/** A thread with client tools that gets this answer. */
async function told(given: Answer, ...tools: readonly ClientTool[]) {
  const live = await LiveThread.in([answer({ items: [callTool('ticket', { id: 'T1' })] }), done]);
  const asked: unknown[] = [];
  const askUser = { ask: (question: unknown) => (asked.push(question), Promise.resolve(given)) };
  await live.open({}, { clientTools: tools.length === 0 ? [ticket] : tools, askUser });
  await live.turn('go');
  return { live, asked, output: inputOf(live.model, 1).at(-1)?.['output'] };
}

describe('a tool that a client defines', () => {
  it('is offered; a call is a question with its arguments, and the result is the output', async () => {
    const { live, asked, output } = await told({ kind: 'allowed', content: { content: 'Broken pump.' } });
    expect(toolsOf(live.model.requests, 0)).toContain('ticket');
    expect(asked).toMatchObject([
      { kind: 'client-tool', tool: 'ticket', client: { tool: 'ticket' }, item: { arguments: { id: 'T1' } } },
    ]);
    expect(output).toBe('Broken pump.');
    const items = live.told('item-completed').map(({ item }) => item);
    expect(items).toContainEqual(expect.objectContaining({ tool: 'ticket', status: 'completed' }));
    await live.close();
    expect((await live.place.run('replay', '--last')).code).toBe(0);
  });

  it('gets all arguments: what its schema means is its own matter', async () => {
    const strict = { ...schema, properties: {}, additionalProperties: false };
    const given: Answer = { kind: 'allowed', content: { content: 'Broken pump.' } };
    const { asked, output } = await told(given, { ...ticket, inputSchema: strict });
    expect(asked).toMatchObject([{ item: { arguments: { id: 'T1' } } }]);
    expect(output).toBe('Broken pump.');
  });

  it.each<[string, Answer, unknown]>([
    ['a failure', { kind: 'allowed', content: { content: 'No such ticket.', success: false } }, 'No such ticket.'],
    ['no content', { kind: 'allowed' }, 'The tool failed: the client gave no result.'],
    ['a refusal', { kind: 'declined', note: 'Not now.' }, 'Not run: the client refused the call. It says: Not now.'],
    [
      'pictures',
      {
        kind: 'allowed',
        content: {
          content: [
            { type: 'text', text: 'See:' },
            { type: 'inputImage', imageUrl: red },
            { type: 'inputImage', imageUrl: 'https://example.org/a.png' },
            { type: 'image', data: '/etc/passwd', mimeType: 'image/png' },
          ],
        },
      },
      [
        { type: 'input_text', text: 'See:' },
        { type: 'input_image', image_url: red, detail: 'high' },
        { type: 'input_text', text: '<image content omitted: it is no data URL>' },
        { type: 'input_text', text: expect.stringContaining('<image content omitted:') as string },
      ],
    ],
  ])('answers with %s', async (_name, given, output) => {
    expect((await told(given)).output).toEqual(output);
  });

  it('is answered by no reviewer and asked under every approval policy', async () => {
    const live = await LiveThread.in(
      [answer({ items: [callTool('ticket', {})] }), done],
      'approval_policy = "never"\napprovals_reviewer = "auto_review"\n',
    );
    const askUser = { ask: () => Promise.resolve({ kind: 'allowed', content: { content: 'ok' } } as const) };
    await live.open({}, { clientTools: [ticket], askUser });
    await live.turn('go');
    expect(inputOf(live.model, 1).at(-1)?.['output']).toBe('ok');
  });

  it('is remembered by the thread; where no client is there, the call says so', async () => {
    const live = await LiveThread.in([done, answer({ items: [callTool('ticket', {})] }), done]);
    await live.open({}, { clientTools: [ticket] });
    await live.turn('one');
    await live.close();
    const { code } = await live.place.run('exec', 'resume', '--last', 'two');
    expect(code).toBe(0);
    expect(toolsOf(live.model.requests, 1)).toEqual(toolsOf(live.model.requests, 0));
    expect(textsOf(inputOf(live.model, 2)).at(-1)).toBe(
      'Not run: the tool belongs to a client that is not connected. Do without it, or tell the user what is needed.',
    );
  });

  it('whose call waits when another turn begins does not run', async () => {
    const live = await LiveThread.in([answer({ items: [callTool('ticket', {})] }), done]);
    const asked = Promise.withResolvers<void>();
    const askUser = { ask: () => (asked.resolve(), new Promise<Answer>(() => {})) };
    await live.open({}, { clientTools: [ticket], askUser });
    const ended = live.turn('one');
    await asked.promise;
    await live.close();
    expect(await ended).toMatchObject({ kind: 'suspended' });
    await live.open({}, { askUser });
    await live.turn('two');
    expect(textsOf(inputOf(live.model, 1)).join('\n')).toContain('before the client gave a result');
  });

  it('is found by searching where the client defers it, and reached by call_tool', async () => {
    const live = await LiveThread.in([
      answer({ items: [callTool('tool_search', { query: 'close' })] }),
      answer({ items: [callTool('call_tool', { name: 'desk__close', arguments: { id: 'T2' } })] }),
      done,
    ]);
    const asked: unknown[] = [];
    const askUser = {
      ask: (question: unknown) => (asked.push(question), Promise.resolve({ kind: 'allowed' } as Answer)),
    };
    const thread = await live.open({}, { clientTools: [ticket, desk], askUser });
    await live.turn('go');
    expect(toolsOf(live.model.requests, 0)).toEqual(expect.arrayContaining(['ticket', 'tool_search', 'call_tool']));
    expect(toolsOf(live.model.requests, 0)).not.toContain('desk__close');
    expect(textsOf(inputOf(live.model, 0)).join('\n')).toContain('The help desk. Tools: desk__close');
    expect(asked).toMatchObject([{ client: { tool: 'close', namespace: 'desk' }, item: { arguments: { id: 'T2' } } }]);
    await thread.overrideTurnContext({ clientTools: [ticket] });
    expect(thread.settings.clientTools).toEqual([ticket]);
  });

  it.each<[string, unknown, string]>([
    ['a name of ours', [{ ...ticket, name: 'exec_command' }], 'There are two tools named exec_command.'],
    ['a name twice', [ticket, ticket], 'There are two tools named ticket.'],
    ['a name of a server', [{ ...ticket, name: 'mcp__x' }], 'must not begin with "mcp__"'],
    ['no schema', [{ ...ticket, inputSchema: undefined }], 'Tool 1 is not valid: ticket needs an inputSchema'],
    ['no list', {}, 'must be a list of tools, each with'],
  ])('is refused with %s', async (_name, clientTools, message) => {
    const live = await LiveThread.in([]);
    await expect(live.open({}, { clientTools: clientTools as readonly ClientTool[] })).rejects.toThrow(message);
    const thread = await live.open();
    const changed = await thread.overrideTurnContext({ clientTools: clientTools as readonly ClientTool[] });
    expect(changed.kind).toBe('refused');
  });
});

describe('over MCP', () => {
  it('a call reaches the client, survives a restart of the server, and its result continues the turn', async () => {
    const calls = [callTool('ticket', { id: 'T1' }), callTool('ticket', { id: 'T2' })];
    const { app, place, model } = await served([answer({ items: calls }), done]);
    const first = await new TestClient(app).data('thread_start', { prompt: 'go', tools: [{ ...ticket }] });
    const thread_id = String(first['thread_id']);
    const questions = first['questions'] as readonly JsonObject[];
    expect(questions).toMatchObject([
      { kind: 'client-tool', tool: 'ticket', arguments: { id: 'T1' } },
      { kind: 'client-tool', tool: 'ticket', arguments: { id: 'T2' } },
    ]);
    await app.close();
    const engine = await engineOf(place);
    const later = createMcpApp(engine, liveThreads(engine), { cwd: place.workspace });
    whenTestEnds(() => later.close());
    // A client that asks its user gets calls of its tools as a result all the same.
    const client = new TestClient(later, () => ({ action: 'decline' }));
    const [one, two] = questions.map(({ id }) => ({ thread_id, question_id: String(id) }));
    expect((await client.call('thread_answer', { ...one! })).text).toContain('the answer has no content');
    const half = await client.data('thread_answer', { ...two!, content: [{ type: 'text', text: 'second' }] });
    expect(half).toMatchObject({ status: 'waiting', questions: [{ arguments: { id: 'T1' } }] });
    const end = await client.data('thread_answer', { ...one!, content: 'first', success: false });
    expect(end).toMatchObject({ status: 'completed', message: 'Done.' });
    const outputs = inputOf(model, 1).flatMap(({ type, output }) => (type === 'function_call_output' ? [output] : []));
    expect(outputs.toSorted()).toEqual(['first', 'second']);
    expect(client.asked).toEqual([]);
  });

  it('thread_turn gives a thread other tools', async () => {
    const { app, model } = await served([done, done, done]);
    const client = new TestClient(app);
    const { thread_id } = await client.data('thread_start', { prompt: 'go', tools: [{ ...ticket }] });
    await client.data('thread_turn', { thread_id: thread_id!, text: 'on', tools: [{ ...ticket, name: 'other' }] });
    await client.data('thread_turn', { thread_id: thread_id!, text: 'on', tools: [] });
    const names = [0, 1, 2].map((at) =>
      toolsOf(model.requests, at).filter((name) => ['ticket', 'other'].includes(String(name))),
    );
    expect(names).toEqual([['ticket'], ['other'], []]);
    const refused = await client.error('thread_turn', {
      thread_id: thread_id!,
      text: 'on',
      tools: [{ ...ticket, name: 'apply_patch' }],
    });
    expect(refused['message']).toBe('There are two tools named apply_patch.');
  });
});
