import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { serveHttp } from '../../src/surfaces/servers/mcp/wire/serve-http.ts';
import { answer, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { connected, type WireRevision } from '../mcp-server/clients.ts';
import { OfficialHost } from './official.ts';
import { served, TestClient } from './served.ts';

interface Sent {
  readonly threadId: string;
  readonly ordinal?: number;
  readonly cursor?: string;
  readonly event: JsonObject;
  readonly _meta?: JsonObject;
}

const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;

function heardBy(client: Client): Sent[] {
  const sent: Sent[] = [];
  client.setNotificationHandler('notifications/capstan/event', { params: anything }, (params) => {
    sent.push(params as unknown as Sent);
  });
  return sent;
}

const recorded = (sent: readonly Sent[]): readonly string[] =>
  sent.flatMap(({ cursor, event }) => (cursor === undefined ? [] : [`${cursor} ${String(event['type'])}`]));
const ends = (sent: readonly Sent[]): number => sent.filter(({ event }) => event['type'] === 'turn_completed').length;

async function overHttp() {
  const scene = await served(() => answer({ items: [say('Yes. '.repeat(50))], deltas: true }));
  const token = 'a-token-of-the-test';
  const report = (problem: string): void => void problem;
  const http = await serveHttp({ app: scene.app, listsAliases: false, report }, { host: '127.0.0.1', port: 0, token });
  whenTestEnds(() => http.close());
  const client = async (revision: WireRevision): Promise<Client> => {
    const headers = { authorization: `Bearer ${token}` };
    const transport = new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } });
    const opened = await connected({ revision }, transport);
    whenTestEnds(() => opened.close());
    return opened;
  };
  return { ...scene, client };
}

it('a client that listens over HTTP is sent the events of its threads, in order, and continues behind a cursor', async () => {
  const { app, client } = await overHttp();
  const other = new TestClient(app);
  const { thread_id } = (await other.data('thread_start', { prompt: 'one' })) as { thread_id: string };
  const unheard = (await other.data('thread_start', { prompt: 'another' })) as { thread_id: string };
  const uri = `capstan://threads/${thread_id}`;
  const listener = await client('2026-07-28');
  const heard = heardBy(listener);
  const subscription = await listener.listen({ resourceSubscriptions: [uri, `${uri}/context`] });
  await other.data('thread_send', { thread_id, text: 'two' });
  await other.data('thread_send', { thread_id: unheard.thread_id, text: 'unheard' });
  await expect.poll(() => ends(heard)).toBe(1);
  expect(new Set(heard.map(({ threadId }) => threadId))).toEqual(new Set([thread_id]));
  expect(heard.every(({ _meta }) => _meta?.['io.modelcontextprotocol/subscriptionId'] !== undefined)).toBe(true);
  const kinds = new Set(heard.map(({ event }) => event['type']));
  for (const kind of ['turn_started', 'context', 'preview', 'item_completed', 'usage']) expect(kinds).toContain(kind);
  const direct = other.notes.filter(({ params }) => params['threadId'] === thread_id).map(({ params }) => params);
  const since = direct.slice(-heard.length) as unknown as readonly Sent[];
  expect(recorded(heard)).toEqual(recorded(since));

  const last = heard.findLast(({ cursor }) => cursor !== undefined)!.cursor!;
  await subscription.close();
  await other.data('thread_send', { thread_id, text: 'three' });
  const again = await listener.listen({ resourceSubscriptions: [`${uri}?after=${encodeURIComponent(last)}`] });
  await expect.poll(() => ends(heard)).toBe(2);
  await other.data('thread_send', { thread_id, text: 'four' });
  await expect.poll(() => ends(heard)).toBe(3);
  await again.close();

  const late = await client('2026-07-28');
  const all = heardBy(late);
  await late.listen({ resourceSubscriptions: [`${uri}?after=-1`] });
  await expect.poll(() => ends(all)).toBe(4);
  const whole = recorded(all);
  expect(recorded(heard)).toEqual(whole.slice(-recorded(heard).length));
});

it('a listener gets all that many turns record, in order, though they do not wait for it', async () => {
  const { app, client } = await overHttp();
  const other = new TestClient(app);
  const { thread_id } = (await other.data('thread_start', { prompt: 'one' })) as { thread_id: string };
  const listener = await client('2026-07-28');
  const heard = heardBy(listener);
  await listener.listen({ resourceSubscriptions: [`capstan://threads/${thread_id}`] });
  for (let turn = 0; turn < 20; turn++) await other.data('thread_send', { thread_id, text: `turn ${turn}` });
  await expect.poll(() => ends(heard)).toBe(20);
  const places = heard.flatMap(({ ordinal }) => ordinal ?? []);
  expect(places).toEqual(places.toSorted((one, two) => one - two));
});

it('over standard streams, too, a client that listens behind a place gets what was recorded since', async () => {
  const { place } = await served(() => answer({ items: [say('Yes.')] }));
  await place.run('exec', 'one');
  const host = await OfficialHost.in(place, { revision: '2026-07-28' });
  const { threads } = await host.data('thread_list', {});
  const thread_id = String((threads as readonly JsonObject[])[0]!['id']);
  const subscription = await host.client.listen({ resourceSubscriptions: [`capstan://threads/${thread_id}?after=-1`] });
  const types = (): readonly unknown[] => host.events.map(({ type }) => type);
  await expect.poll(() => types().filter((type) => type === 'turn_completed').length).toBe(1);
  expect(types()[0]).toBe('turn_started');
  await subscription.close();
});
