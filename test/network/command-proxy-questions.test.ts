import { afterEach, describe, expect, test } from 'vitest';
import { type GateOptions, systemDialer } from '../../src/adapters/sandbox/network/connection-gate.ts';
import {
  closeStages,
  get,
  names,
  publicAddress,
  say,
  socksAnswer,
  socksGreeting,
  socksName,
  soon,
  stage,
  website,
} from '../harness/proxy-stage.ts';

afterEach(closeStages);

describe('a host that no list names', () => {
  const ask = (decide: GateOptions['decide'], more: Partial<GateOptions> = {}) =>
    stage({ allow: ['ok.test'], deny: ['bad.test'] }, { names, ...more, ...(decide && { decide }) });

  test('is asked about once, however often it is wanted', async () => {
    const asked: unknown[] = [];
    const { port, proxy } = await ask(async (host) => (asked.push(host), 'allowed'), {
      ways: {
        resolve: async () => [publicAddress],
        connect: (_, to, signal) => systemDialer.connect('127.0.0.1', to, signal),
      },
    });
    const site = await website();
    const wanted = get(`http://new.test:${site.port}/`);
    const answers = await Promise.all([say(port, wanted), say(port, wanted)]);
    for (const answer of [...answers, await say(port, wanted)]) expect(answer).toContain('200 OK');
    expect(asked).toEqual([{ name: 'new.test', port: site.port, protocol: 'http' }]);
    expect(proxy.denied()).toEqual([]);
  });

  test.each<[string, GateOptions['decide']]>([
    ['the answer is no', async () => 'declined'],
    ['the question fails', () => Promise.reject(new Error('gone'))],
    [
      'the question throws',
      () => {
        throw new Error('gone');
      },
    ],
  ])('is refused when %s', async (_, decide) => {
    const { port, traffic, proxy } = await ask(decide);
    expect(await say(port, get('http://new.test/'))).toContain('"reason":"policy_denied"');
    expect(proxy.denied()).toEqual([{ host: 'new.test', port: 80, protocol: 'http', reason: 'declined' }]);
    expect(traffic).toEqual([]);
  });

  test('is refused as before when the question would reach no one', async () => {
    const { port, proxy } = await ask(async () => 'unasked');
    expect(await say(port, get('http://new.test/'))).toContain('"reason":"not_allowed"');
    expect(proxy.denied()).toEqual([{ host: 'new.test', port: 80, protocol: 'http', reason: 'not_allowed' }]);
  });

  test('a rule that asks holds a listed host back', async () => {
    const lists = { allow: ['ok.test'], ask: ['ok.test'] };
    const alone = await stage(lists, { names });
    expect(await say(alone.port, get('http://ok.test/'))).toContain('A rule asks the user before this host');
    expect(alone.proxy.denied()).toEqual([{ host: 'ok.test', port: 80, protocol: 'http', reason: 'held_back' }]);
    const site = await website();
    const { port } = await stage(lists, { names, decide: async () => 'allowed' });
    expect(await say(port, get(`http://ok.test:${site.port}/`))).toContain('200 OK');
  });

  test('connections by any protocol join the question of their host and port', async () => {
    const asked: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<'declined'>();
    const { port } = await ask((host) => (asked.push(host), promise));
    const waiting = [
      say(port, get('http://new.test:8443/')),
      say(port, 'CONNECT new.test:8443 HTTP/1.1\r\n\r\n'),
      say(port, socksGreeting, socksName('new.test', 8443)),
    ];
    await soon(() => expect(asked).toHaveLength(1));
    resolve('declined');
    const [plain, tunnel, socks] = await Promise.all(waiting);
    expect(plain).toContain('403');
    expect(tunnel).toContain('403');
    expect(socks).toBe(socksAnswer(2));
    expect(asked).toHaveLength(1);
  });

  test('the end of the command ends its question, and refuses nothing', async () => {
    let [isAsked, isOver] = [false, false];
    const { port, proxy } = await ask((_, signal) => {
      isAsked = true;
      signal.addEventListener('abort', () => (isOver = true));
      return new Promise(() => {});
    });
    const waiting = say(port, get('http://new.test/'));
    await soon(() => expect(isAsked).toBe(true));
    expect(isOver).toBe(false);
    proxy.close();
    expect(await waiting).toBe('');
    expect([isOver, proxy.denied()]).toEqual([true, []]);
  });

  test('an answer opens neither what is denied nor what is local', async () => {
    const { port } = await ask(async () => 'allowed');
    expect(await say(port, get('http://bad.test/'))).toContain('"reason":"denied"');
    expect(await say(port, get('http://127.0.0.1/'))).toContain('"reason":"not_allowed_local"');
    expect(await say(port, get('http://inside.test/'))).toContain('"reason":"not_allowed_local"');
  });

  test('a command cannot ask without end', async () => {
    let asked = 0;
    const { port, proxy } = await ask(async () => (++asked, 'declined'));
    await Promise.all(Array.from({ length: 30 }, (_, at) => say(port, get(`http://new${at}.test/`))));
    expect(asked).toBe(20);
    const reasons = proxy.denied().map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'declined')).toHaveLength(20);
    expect(reasons.filter((reason) => reason === 'not_asked')).toHaveLength(10);
  });

  test.each([
    ['a host that no list names', { allow: ['ok.test'] }],
    ['a host that a rule asks about', { allow: ['*'], ask: ['*.test'] }],
  ])('%s is refused by that limit after so many questions, and says so', async (_, lists) => {
    const { port } = await stage(lists, { names, decide: async () => 'declined' });
    for (let at = 0; at < 20; at++) await say(port, get(`http://new${at}.test/`));
    expect(await say(port, get('http://one-more.test/'))).toContain('may ask the user about 20 hosts');
  });

  test('what reaches no one is no question, however many hosts are wanted', async () => {
    const { port, proxy } = await ask(async () => 'unasked');
    for (let at = 0; at < 25; at++) await say(port, get(`http://new${at}.test/`));
    expect(new Set(proxy.denied().map(({ reason }) => reason))).toEqual(new Set(['not_allowed']));
  });
});
