import { setTimeout as wait } from 'node:timers/promises';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { type ClientSetup, type WireRevision, connected } from './clients.ts';

/** A server to connect to, and what its app noted. */
export interface SuiteServer {
  readonly transport: Transport;
  readonly notes: readonly string[];
}

type Connect = (setup?: Omit<ClientSetup, 'revision'>) => Promise<{ client: Client; notes: readonly string[] }>;

/** The tests that hold on every transport, of both revisions, with the official client. */
export function wireSuite(revision: WireRevision, serve: () => Promise<SuiteServer> | SuiteServer): void {
  const connect: Connect = async (setup = {}) => {
    const { transport, notes } = await serve();
    return { client: await connected({ ...setup, revision }, transport), notes };
  };

  test('tools are listed, without aliases, and called, aliases included', async () => {
    const { client } = await connect();
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getInstructions()).toBe('For tests.');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'echo',
      'throw',
      'fail',
      'ask',
      'ask_briefly',
      'wait',
      'events',
      'follow',
      'listen',
      'change',
    ]);
    expect(tools[0]).toMatchObject({
      title: 'echo',
      annotations: { readOnlyHint: true },
      outputSchema: { type: 'object' },
    });
    expect(await call(client, 'echo', { text: 'hello' })).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
      structuredContent: { said: 'hello' },
    });
    expect(await call(client, 'old_echo', {})).toMatchObject({ structuredContent: { said: 'alias' } });
    await client.close();
  });

  test('errors say what is wrong, and the server lives', async () => {
    const { client } = await connect();
    const wrong = async (name: string, args: JsonObject) => text(await call(client, name, args));
    expect(await wrong('echo', {})).toBe('The arguments of echo are wrong. "text" is missing.');
    expect(await wrong('echo', { text: 'x', txet: 1 })).toBe(
      'The arguments of echo are wrong. "txet" is unknown; did you mean "text"?',
    );
    expect(await wrong('echo', { text: 7, size_: 1.5 })).toBe(
      'The arguments of echo are wrong. "text" must be a string, not a number. "size_" must be an integer, not a number.',
    );
    expect(await wrong('throw', {})).toBe('throw failed: on purpose');
    expect(await call(client, 'fail', {})).toMatchObject({ isError: true, content: [{ text: 'no such thread' }] });
    await expect(call(client, 'ehco', {})).rejects.toThrow('There is no tool "ehco". Did you mean "echo"?');
    await expect(client.request({ method: 'no/such' }, anything)).rejects.toThrow('Method not found');
    expect(text(await call(client, 'echo', { text: 'alive' }))).toBe('alive');
    await client.close();
  });

  test.each([
    [
      { action: 'accept', content: { decision: 'once' } },
      { action: 'accept', content: { decision: 'once' } },
    ],
    [
      { action: 'accept', content: {} },
      { action: 'accept', content: {} },
    ],
    [{ action: 'decline' }, { action: 'decline' }],
    [{ action: 'cancel' }, { action: 'cancel' }],
    [
      { action: 'accept', content: { decision: 'never heard of' } },
      { action: 'unanswered', because: 'unreadable' },
    ],
  ])('the user is asked, and the call continues with the answer: %j', async (answer, response) => {
    const asked: JsonObject[] = [];
    const { client } = await connect({
      answer(params) {
        asked.push(params);
        return answer as JsonObject;
      },
    });
    const result = text(await call(client, 'ask', { command: 'make' }));
    expect(result).toBe(`{"asked":"make"} ${JSON.stringify(response)}`);
    expect(asked).toMatchObject([{ message: 'May the command run?' }]);
    await client.close();
  });

  test('a client that cannot ask is known as such', async () => {
    const { client } = await connect();
    expect(text(await call(client, 'ask', { command: 'make' }))).toBe('cannot ask');
    await client.close();
  });

  test('events and progress arrive in order, before the answer', async () => {
    const { client } = await connect();
    const events: number[] = [];
    client.setNotificationHandler('notifications/capstan/event', { params: anything }, (params) => {
      events.push(Number((params as JsonObject).index));
    });
    const steps: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }): void => void steps.push(message);
    await client.callTool({ name: 'events', arguments: { count: 10 } }, { onprogress });
    expect(events).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(steps).toEqual(events.map((index) => `step ${index}`));
    await client.close();
  });

  test('a cancelled call is aborted', async () => {
    const { client, notes } = await connect();
    const abort = new AbortController();
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: abort.signal });
    await until(() => notes.includes('waiting'));
    abort.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await until(() => notes.includes('aborted'));
    expect(text(await client.callTool({ name: 'echo', arguments: { text: 'alive' } }))).toBe('alive');
    await client.close();
  });

  test('resources are listed page by page, read and completed', async () => {
    const { client } = await connect();
    const first = await client.request({ method: 'resources/list' });
    expect(first).toMatchObject({ resources: [{ uri: 'fake://1' }], nextCursor: 'more' });
    const second = await client.request({ method: 'resources/list', params: { cursor: 'more' } });
    expect(second.resources).toMatchObject([{ uri: 'fake://2' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: 'fake://{id}' }]);
    expect((await client.readResource({ uri: 'fake://2' })).contents).toMatchObject([{ text: 'content of fake://2' }]);
    await expect(client.readResource({ uri: 'fake://none' })).rejects.toThrow(/not found/i);
    const ref = { type: 'ref/resource' as const, uri: 'fake://{id}' };
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: '1' } });
    expect(completion.values).toEqual(['1', '10']);
    await client.close();
  });

  test('a client that follows a resource hears of its changes, once for those that come together', async () => {
    const { client, notes } = await connect();
    const changed: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void changed.push(params.uri));
    const stop = await follow(client, revision, 'fake://1');
    await call(client, 'change', { uri: 'fake://2' });
    await call(client, 'change', { uri: 'fake://1' });
    await until(() => changed.length > 0);
    await wait(100);
    expect(changed).toEqual(['fake://1']);
    await stop();
    await until(() => notes.includes('unwatch fake://1'));
    await client.close();
  });

  test('a subscription to nothing is an error, also beside one to something', async () => {
    const { client, notes } = await connect();
    await expect(follow(client, revision, 'fake://none')).rejects.toThrow(
      'There is no resource "fake://none" to follow',
    );
    // In the old revisions, a request names only one resource.
    const beside = revision === '2026-07-28' ? ['fake://1', 'file:///x'] : ['file:///x'];
    await expect(follow(client, revision, ...beside)).rejects.toThrow('There is no resource "file:///x" to follow');
    expect(notes.filter((note) => note.startsWith('watch'))).toEqual([]);
    const stop = await follow(client, revision, 'fake://1');
    await stop();
    await client.close();
  });
}

const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;

async function follow(
  client: Client,
  revision: WireRevision,
  ...uris: readonly string[]
): Promise<() => Promise<void>> {
  if (revision === '2026-07-28') {
    const subscription = await client.listen({ resourceSubscriptions: [...uris] });
    return () => subscription.close();
  }
  const [uri = ''] = uris;
  await client.subscribeResource({ uri });
  return async () => void (await client.unsubscribeResource({ uri }));
}

export function call(client: Client, name: string, args: JsonObject) {
  return client.callTool({ name, arguments: { ...args } });
}

/** The text of a tool's answer. */
export function text(result: { readonly content?: readonly { readonly type: string }[] }): string {
  return result.content?.map((block) => ('text' in block ? String(block.text) : block.type)).join('') ?? '';
}

export async function until(isSo: () => boolean, forMs = 20_000): Promise<void> {
  for (const end = Date.now() + forMs; !isSo(); await wait(5)) {
    if (Date.now() > end) throw new Error('It did not come to this in time.');
  }
}
