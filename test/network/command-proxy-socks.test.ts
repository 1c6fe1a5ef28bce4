import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  closeStages,
  echo,
  listen,
  names,
  publicAddress,
  say,
  socksAnswer,
  socksGreeting,
  socksName,
  stage,
} from '../harness/proxy-stage.ts';

afterEach(closeStages);

describe('SOCKS5', () => {
  test('a name is resolved by the proxy', async () => {
    const target = await listen(createServer((socket) => void socket.end('hello')));
    const { port, traffic } = await stage({ allow: ['ok.test'] }, { names });
    expect(await say(port, socksGreeting, socksName('OK.test', target))).toBe(`${socksAnswer(0)}hello`);
    expect(traffic).toEqual(['resolve ok.test', `connect ${publicAddress} ${target}`]);
  });

  test('all in one piece, with bytes for the host', async () => {
    const target = await echo();
    const { port } = await stage({ allow: ['127.0.0.1'] });
    const request = Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, target >> 8, target & 255]);
    const got = new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () =>
        socket.end(Buffer.concat([socksGreeting, request, Buffer.from('ping')])),
      );
      socket.on('data', (bytes) => (text += bytes.toString('latin1'))).on('close', () => resolve(text));
    });
    expect(await got).toBe(`${socksAnswer(0)}ping`);
  });

  test('byte by byte', async () => {
    const target = await listen(createServer((socket) => void socket.end('hello')));
    const { port } = await stage({ allow: ['ok.test'] }, { names });
    const bytes = [...socksGreeting, ...socksName('ok.test', target)].map((byte) => Buffer.from([byte]));
    expect(await say(port, ...bytes)).toBe(`${socksAnswer(0)}hello`);
  });

  test.each([
    ['a host that is not listed', socksName('evil.test', 443), 2],
    ['this machine', Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, 0, 80]), 2],
    ['this machine in version 6', Buffer.from([5, 1, 0, 4, ...Array.from({ length: 15 }, () => 0), 1, 0, 80]), 2],
    ['a host that does not answer', socksName('ok.test', 1), 4],
    ['a name that is none', socksName('a/b', 443), 8],
    ['an unknown kind of address', Buffer.from([5, 1, 0, 9, 1, 1]), 8],
    ['to be called', socksName('ok.test', 443, 2), 7],
    ['datagrams', socksName('ok.test', 443, 3), 7],
  ])('%s is refused', async (_, request, code) => {
    const { port } = await stage({ allow: ['ok.test'] }, { names });
    expect(await say(port, socksGreeting, request)).toBe(socksAnswer(code));
  });

  test('datagrams are named among what was refused', async () => {
    const { port, proxy, traffic } = await stage({ allow: ['ok.test'] }, { names });
    await say(port, socksGreeting, socksName('ok.test', 53, 3));
    expect(proxy.denied()).toEqual([{ host: 'ok.test', port: 53, protocol: 'socks5_udp', reason: 'policy_denied' }]);
    expect(traffic).toEqual([]);
  });

  test('a program that wants to log in is sent away', async () => {
    const { port } = await stage({ allow: ['*'] });
    expect(await say(port, Buffer.from([5, 1, 2]))).toBe('\x05\xff');
  });
});
