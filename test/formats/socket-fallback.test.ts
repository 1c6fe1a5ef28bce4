import { describe, expect, test } from 'vitest';
import { done, endOf, first, SocketTalk } from '../harness/socket-talk.ts';
import { startRelay } from '../harness/relay.ts';
import type { ModelEvent } from '../../src/ports/model.ts';
import { cutAfter, httpError, socketFault } from '../../src/testing/index.ts';

const noticesIn = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.kind === 'notice' ? [event.outcome] : []));

describe('a connection that is of no more use', () => {
  const limit = httpError({ status: 400, body: { error: { code: 'websocket_connection_limit_reached' } } });

  test('an answer that the server forgot: the whole request follows at once', async () => {
    const talk = await SocketTalk.with([{ ...done, forgotten: true }, done]);
    const second = await talk.next(first, 'Two?');
    expect(endOf(await talk.ask(second))).toBe('completed');
    expect(talk.frames.map(({ link }) => link?.previous)).toEqual([undefined, 'resp_1', undefined]);
    expect(talk.model.frames.map(({ isRefused }) => isRefused)).toEqual([false, true, false]);
    expect(talk.kinds).toEqual(['full', 'full']);
  });

  test('one that is an hour old', async () => {
    const talk = await SocketTalk.with([limit, done, limit, limit]);
    expect(endOf(await talk.ask(first))).toBe('completed');
    expect(endOf(await talk.ask({ ...first, instructions: 'Be quick.' }))).not.toBe('completed');
    expect(talk.model.requests.length).toBe(4);
  });

  test('one that grows old is replaced before', async () => {
    const talk = await SocketTalk.with([done, done]);
    const second = await talk.next(first, 'Two?');
    talk.now += 56 * 60_000;
    await talk.ask(second);
    expect(talk.kinds).toEqual(['full', 'full']);
    expect(talk.model.upgrades).toBe(2);
  });

  test('one that ended while it rested', async () => {
    const talk = await SocketTalk.with([socketFault({ fault: { close: 1001 }, afterEvents: 9, of: done }), done]);
    const second = await talk.next(first, 'Two?');
    expect(endOf(await talk.ask(second))).toBe('completed');
    expect(talk.kinds).toEqual(['full', 'full']);
  });

  test('one whose key has expired', async () => {
    const expired = httpError({ status: 401, body: { error: { message: 'Expired.' } } });
    const talk = await SocketTalk.with([done, expired, done]);
    const second = await talk.next(first, 'Two?');
    expect(endOf(await talk.ask(second))).toBe('completed');
    expect(talk.kinds).toEqual(['full', 'incremental', 'full']);
  });

  test.each(['after an answer', 'after it was opened'])('one that is gone without a word, %s', async (when) => {
    const relay = await startRelay();
    const talk = await SocketTalk.with(() => done, {
      provider: { websocketConnectTimeoutMs: 500 },
      at: (url) => relay.to(url),
    });
    const isUsed = when === 'after an answer';
    const second = isUsed ? await talk.next(first, 'Two?') : first;
    if (!isUsed) talk.client.prewarm!({ headers: {} });
    await expect.poll(() => talk.model.upgrades).toBe(1);
    relay.freeze();
    talk.now += 31_000;
    expect(endOf(await talk.ask(second))).toBe('completed');
    expect(talk.kinds).toEqual(isUsed ? ['full', 'full'] : ['full']);
    expect(talk.model.upgrades).toBe(2);
  });

  test('one that ends when it is used again', async () => {
    const talk = await SocketTalk.with([done, cutAfter({ bytes: 0, of: done }), done]);
    const second = await talk.next(first, 'Two?');
    expect(endOf(await talk.ask(second))).toBe('completed');
    expect(talk.kinds).toEqual(['full', 'incremental', 'full']);
  });
});

describe('without a WebSocket', () => {
  test.each([
    ['426', { status: 426 }, 'answered with status 426'],
    ['404', { status: 404, body: 'Nothing here.' }, 'answered with status 404: Nothing here.'],
    [
      'words in JSON',
      { status: 403, body: '{"error":{"message":"No sockets."}}' },
      'answered with status 403: No sockets.',
    ],
    ['a success that is none', { status: 200 }, 'answered with status 200'],
    ['a key of another', 'wrong-accept', 'answered with status 101: Invalid Sec-WebSocket-Accept header.'],
    ['silence', 'silence', 'did not answer within 0.1 seconds'],
    ['a cut', 'cut', 'could not be reached'],
  ] as const)('requests go over HTTP: %s', async (_, refusal, why) => {
    const talk = await SocketTalk.with([done, done], {
      model: { upgrade: () => refusal },
      provider: refusal === 'silence' ? { websocketConnectTimeoutMs: 100 } : {},
    });
    const events = await talk.ask(first);
    expect(endOf(events)).toBe('completed');
    expect(noticesIn(events)).toEqual([
      {
        code: 'websocket-unavailable',
        message: expect.stringContaining(`Some Place ${why}`),
        next: expect.any(String),
      },
    ]);
    expect(endOf(await talk.ask(first))).toBe('completed');
    expect(talk.kinds).toEqual(['http', 'http']);
    expect(talk.model.upgrades).toBeLessThanOrEqual(2);
  });

  test('a refusal is quoted in part, and without what it should not say', async () => {
    const token = 'sk-very-secret-token';
    const credentials = () => Promise.resolve({ kind: 'bearer', mode: 'api-key', token } as const);
    const body = `The key ${token} is odd. ${'x'.repeat(20_000_000)}`;
    const talk = await SocketTalk.with([done], { credentials, model: { upgrade: () => ({ status: 400, body }) } });
    const [notice] = noticesIn(await talk.ask(first));
    expect(notice?.message).toContain('answered with status 400: The key <hidden> is odd. xxx');
    expect(notice?.message.length).toBeLessThan(1500);
  });

  test('it is tried again after a while, beside a request, and used when it is there', async () => {
    const answers = [{ status: 426 }, { status: 503 }, 'accept'] as const;
    const talk = await SocketTalk.with(() => done, { model: { upgrade: (index) => answers[index] ?? 'accept' } });
    const asked = async (later: number): Promise<number> => {
      talk.now += later;
      await talk.ask(first);
      return talk.model.upgrades;
    };
    expect(await asked(0)).toBe(1);
    expect(await asked(59_000)).toBe(1);
    await asked(2000);
    await expect.poll(() => talk.model.upgrades).toBe(2);
    // Twice as long as before.
    expect(await asked(60_000)).toBe(2);
    expect(talk.kinds).toEqual(['http', 'http', 'http', 'http']);
    await asked(61_000);
    await expect.poll(() => talk.model.upgrades).toBe(3);
    await asked(0);
    expect(talk.kinds).toEqual(['http', 'http', 'http', 'http', 'http', 'full']);
  });

  test('one that breaks answers off twice is given up for a while', async () => {
    const cut = cutAfter({ bytes: 90, of: done });
    const talk = await SocketTalk.with([cut, cut, done, done]);
    expect([endOf(await talk.ask(first)), endOf(await talk.ask(first))]).toEqual(['stream-cut', 'stream-cut']);
    const events = await talk.ask(first);
    expect(noticesIn(events)).toMatchObject([{ message: expect.stringContaining('did not complete answers') }]);
    expect(noticesIn(await talk.ask(first))).toEqual([]);
    expect(talk.kinds).toEqual(['full', 'full', 'http', 'http']);
  });

  test('where HTTP fails as well, nothing is said of WebSockets', async () => {
    const refused = httpError({ status: 401, body: { error: { message: 'Who?' } } });
    const talk = await SocketTalk.with([refused], { model: { upgrade: () => ({ status: 401 }) } });
    expect(await talk.ask(first)).toMatchObject([{ kind: 'failed', failure: { code: 'unauthorized' } }]);
  });

  test('what a provider without it is asked loads nothing of it', async () => {
    const talk = await SocketTalk.with([done], { provider: { supportsWebsockets: false } });
    await talk.ask(first);
    expect(talk.kinds).toEqual(['http']);
    expect(talk.client.prewarm).toBeUndefined();
  });
});
