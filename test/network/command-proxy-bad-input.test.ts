import { connect, createServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { systemDialer } from '../../src/adapters/sandbox/network/connection-gate.ts';
import {
  closeStages,
  get,
  listen,
  names,
  onClose,
  say,
  socksGreeting,
  socksName,
  soon,
  stage,
} from '../harness/proxy-stage.ts';

afterEach(closeStages);

describe('what no program should send', () => {
  test.each([
    ['no request', 'hello\r\n\r\n'],
    ['bytes', Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 7 + 128) % 256))],
    ['the start of TLS', Buffer.from([22, 3, 1, 0, 1, 0])],
    ['SOCKS4', Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0])],
    ['a path without a host', 'GET / HTTP/1.1\r\nHost: ok.test\r\n\r\n'],
    ['another scheme', 'GET ftp://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nConnection: close\r\n\r\n'],
    ['two lengths', 'POST http://ok.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    ['headers without end', `GET http://ok.test/ HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`],
  ])('%s gets an error', async (_, bytes) => {
    const { port, traffic } = await stage({ allow: ['*'] }, { names });
    expect(await say(port, bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(traffic).toEqual([]);
  });

  test('any bytes get an answer or an end, and the proxy goes on', async () => {
    const { port, open } = await stage({ allow: ['*'] }, { names });
    const start = fc.constantFrom(
      '',
      'GET ',
      'GET http://',
      'CONNECT ',
      'POST http://ok.test/ HTTP/1.1\r\n',
      '\x05\x01\0',
      '\x05\x01\0\x05\x01\0\x03',
    );
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ maxLength: 200 }), async (text, bytes) => {
        const sent = Buffer.concat([Buffer.from(text, 'latin1'), bytes]);
        await new Promise((resolve) => {
          connect(port, '127.0.0.1')
            .on('error', () => {})
            .on('close', resolve)
            .resume()
            .end(sent);
        });
      }),
      { numRuns: 150 },
    );
    await soon(async () => expect(await open()).toBe(0));
    expect(await say(port, get('http://127.0.0.1/'))).toContain('403');
  });

  test('SOCKS5 that goes wrong is closed', async () => {
    const { port } = await stage({ allow: ['*'] });
    expect(await say(port, socksGreeting, Buffer.from([4, 1, 0, 1, 1]))).toBe('\x05\0');
  });

  test('connections beyond the limit are closed, and the others live', async () => {
    const { port, open } = await stage({ allow: ['*'] }, { names });
    const idle = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    onClose(() => idle.forEach((socket) => socket.destroy()));
    await soon(() => expect(idle.filter((socket) => !socket.destroyed)).toHaveLength(256));
    idle.slice(0, 100).forEach((socket) => socket.destroy());
    await soon(async () => expect(await open()).toBeLessThan(256));
    expect(await say(port, get('http://127.0.0.1/'))).toContain('403');
  });

  test('no refused program leaves a connection behind, even if it only ends its half', async () => {
    const { port, open, taken } = await stage({ allow: ['ok.test'] }, { names });
    const refused = [
      get('http://evil.test/'),
      'CONNECT evil.test:443 HTTP/1.1\r\n\r\n',
      'CONNECT evil HTTP/1.1\r\n\r\n',
      'garbage\r\n\r\n',
      Buffer.concat([socksGreeting, socksName('evil.test', 443)]),
      Buffer.from([5, 1, 2]),
      socksGreeting,
      'GET http://ok.',
      '',
    ];
    for (const bytes of refused)
      connect(port, '127.0.0.1')
        .on('error', () => {})
        .end(bytes);
    await soon(() => expect(taken()).toBe(refused.length));
    await soon(async () => expect(await open()).toBe(0));
  });

  test('closing ends connections that are still being opened', async () => {
    const signals: AbortSignal[] = [];
    const ways = {
      ...systemDialer,
      connect: (_: string, __: number, signal: AbortSignal) => (signals.push(signal), new Promise<never>(() => {})),
    };
    const { port, proxy } = await stage({ allow: ['127.0.0.1'] }, { ways });
    const answer = say(port, 'CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n');
    await soon(() => expect(signals).toHaveLength(1));
    proxy.close();
    expect(await answer).toBe('');
    expect(signals[0]?.aborted).toBe(true);
  });

  test('closing ends everything', async () => {
    let reached = 0;
    const target = await listen(createServer((socket) => void ((reached += 1), socket.on('error', () => {}).resume())));
    const { port, proxy, traffic } = await stage({ allow: ['127.0.0.1'] });
    const answer = say(port, `CONNECT 127.0.0.1:${target} HTTP/1.1\r\n\r\n`);
    await soon(() => expect(traffic).toEqual([`connect 127.0.0.1 ${target}`]));
    await soon(() => expect(reached).toBe(1));
    proxy.close();
    // Whatever had arrived by then, the connection is over.
    expect(typeof (await answer)).toBe('string');
  });
});
