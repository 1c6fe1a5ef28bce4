import type { IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { systemDialer } from '../../src/adapters/sandbox/network/connection-gate.ts';
import {
  closeStages,
  echo,
  get,
  listen,
  names,
  publicAddress,
  say,
  socksGreeting,
  socksName,
  stage,
  website,
} from '../harness/proxy-stage.ts';

afterEach(closeStages);

describe('plain HTTP', () => {
  test('is passed on to the checked address, with the checked host', async () => {
    const site = await website();
    const { port, proxy, traffic } = await stage({ allow: ['ok.test'] }, { names });
    const answer = await say(
      port,
      `POST http://ok.test:${site.port}/a?b HTTP/1.1\r\nHost: evil.test\r\nProxy-Authorization: secret\r\nConnection: x-hop, close\r\nX-Hop: 1\r\nX-End: 2\r\nContent-Length: 4\r\n\r\nbody`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('X-Own: yes');
    expect(answer).toContain('you asked for /a?b');
    expect(site.bodies).toEqual(['body']);
    const { headers } = site.requests[0] as IncomingMessage;
    expect(headers).toEqual({ host: `ok.test:${site.port}`, connection: 'close', 'x-end': '2', 'content-length': '4' });
    expect(traffic).toEqual(['resolve ok.test', `connect ${publicAddress} ${site.port}`]);
    expect(proxy.denied()).toEqual([]);
  });

  test('a body of unknown length keeps its frame', async () => {
    const site = await website();
    const { port } = await stage({ allow: ['ok.test'] }, { names });
    const frame = 'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
    expect(await say(port, `GET http://ok.test:${site.port}/ HTTP/1.1\r\nHost: x\r\n${frame}`)).toContain('200 OK');
    expect(site.bodies).toEqual(['hello']);
  });

  test('a refusal says why, and no name leaves the machine', async () => {
    const { port, proxy, traffic } = await stage({ allow: ['ok.test'], deny: ['bad.test'] }, { names });
    const answer = await say(port, get('http://secret-in-a-name.evil.test/x'));
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toContain('x-proxy-error: blocked-by-allowlist');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      status: 'blocked',
      host: 'secret-in-a-name.evil.test',
      reason: 'not_allowed',
      decision: 'deny',
      source: 'baseline_policy',
      protocol: 'http',
      port: 80,
      message:
        'This host is not on the allow list of the permission profile. The user can add it there, or allow it by a rule.',
    });
    expect(await say(port, get('http://bad.test/'))).toContain('x-proxy-error: blocked-by-denylist');
    expect(await say(port, get('http://bad.test/'))).toContain('"reason":"denied"');
    expect(traffic).toEqual([]);
    expect(proxy.denied()).toEqual([
      { host: 'secret-in-a-name.evil.test', port: 80, protocol: 'http', reason: 'not_allowed' },
      { host: 'bad.test', port: 80, protocol: 'http', reason: 'denied' },
    ]);
  });

  test.each([
    ['a name that leads to this machine', 'http://inside.test/', ['resolve inside.test']],
    ['a name of which one address is private', 'http://mixed.test/', ['resolve mixed.test']],
    ['this machine', 'http://localhost/', []],
    ['this machine by its address', 'http://127.0.0.1/', []],
    ['this machine, oddly spelled', 'http://0x7f.1/', []],
    ['this machine in version 6', 'http://[::1]/', []],
    ['this machine, mapped', 'http://[::ffff:127.0.0.1]/', []],
    ['the service of a cloud', 'http://169.254.169.254/', []],
  ])('%s is refused though every host is allowed', async (_, address, traffic) => {
    const staged = await stage({ allow: ['*'] }, { names });
    expect(await say(staged.port, get(address))).toContain('"reason":"not_allowed_local"');
    expect(staged.traffic).toEqual(traffic);
  });

  test('local hosts are reached where they are allowed', async () => {
    const site = await website();
    const { port } = await stage({ allow: ['*'], local: true }, { names });
    expect(await say(port, get(`http://inside.test:${site.port}/`))).toContain('200 OK');
    const listed = await stage({ allow: ['127.0.0.1'] });
    expect(await say(listed.port, get(`http://127.0.0.1:${site.port}/`))).toContain('200 OK');
  });

  test('a name that leads nowhere is no refusal', async () => {
    const { port, traffic, proxy } = await stage({ allow: ['*'] }, { names });
    expect(await say(port, get('http://gone.test/'))).toMatch(/^HTTP\/1\.1 502 .*The name of this host cannot be/s);
    expect(traffic).toEqual(['resolve gone.test']);
    expect(proxy.denied()).toEqual([{ host: 'gone.test', port: 80, protocol: 'http', reason: 'unresolved' }]);
  });

  test('a name whose lookup takes too long is the same', async () => {
    const ways = { ...systemDialer, resolve: () => new Promise<never>(() => {}) };
    const { port } = await stage({ allow: ['*'] }, { ways, lookupMs: 30 });
    const answer = await say(port, get('http://slow.test/'));
    expect(answer).toMatch(/^HTTP\/1\.1 502 .*The name of this host cannot be resolved\.\n$/s);
  });

  test('an address that is denied is not reached by a name', async () => {
    const { port } = await stage({ allow: ['*'], deny: [publicAddress] }, { names });
    expect(await say(port, get('http://ok.test/'))).toContain('"reason":"denied"');
  });

  test('a name that changes between two lookups is asked once, and its checked address dialled', async () => {
    const site = await website();
    const answers = [[publicAddress], ['127.0.0.1']];
    const dialled: string[] = [];
    const { port } = await stage(
      { allow: ['ok.test'] },
      {
        ways: {
          resolve: async () => answers.shift() ?? [],
          connect: (address, target, signal) => (
            dialled.push(address),
            systemDialer.connect('127.0.0.1', target, signal)
          ),
        },
      },
    );
    expect(await say(port, get(`http://ok.test:${site.port}/`))).toContain('200 OK');
    expect(await say(port, get(`http://ok.test:${site.port}/`))).toContain('not_allowed_local');
    expect(dialled).toEqual([publicAddress]);
  });

  test('a host that does not answer', async () => {
    const { port } = await stage({ allow: ['ok.test'] }, { names });
    expect(await say(port, get('http://ok.test:1/'))).toMatch(/^HTTP\/1\.1 502 Bad Gateway/);
  });
});

test('where only reading is allowed, requests that do more are refused, and so are tunnels', async () => {
  const site = await website();
  const { port, proxy } = await stage({ allow: ['ok.test'], methods: 'reading' }, { names });
  expect(await say(port, get(`http://ok.test:${site.port}/`))).toContain('200 OK');
  expect(await say(port, get(`http://ok.test:${site.port}/`, 'POST'))).toContain(
    'x-proxy-error: blocked-by-method-policy',
  );
  expect(await say(port, `CONNECT ok.test:443 HTTP/1.1\r\n\r\n`)).toContain('x-proxy-error: blocked-by-mitm-required');
  await say(port, socksGreeting, socksName('ok.test', 443));
  await say(port, socksGreeting, socksName('ok.test', 22));
  await say(port, socksGreeting, socksName('ok.test', 53, 3));
  expect(proxy.denied().map(({ protocol, port: to, reason }) => `${protocol} ${to} ${reason}`)).toEqual([
    `http ${site.port} method_not_allowed`,
    'https 443 mitm_required',
    'socks5_tcp 443 mitm_required',
    'socks5_tcp 22 method_not_allowed',
    'socks5_udp 53 method_not_allowed',
  ]);
});

describe('CONNECT', () => {
  test('a lot of bytes, both ways at once, to a host that reads slowly', async () => {
    const size = 8 * 1024 * 1024;
    const target = await listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        let count = 0;
        socket.on('data', (bytes) => {
          count += bytes.length;
          socket.pause();
          setImmediate(() => socket.resume());
        });
        socket.on('end', () => socket.end(` ${count}`));
        socket.write(Buffer.alloc(size, 'x'));
      }),
    );
    const { port } = await stage({ allow: ['ok.test'] }, { names });
    const { length, end } = await new Promise<{ length: number; end: string }>((resolve) => {
      let [length, end] = [0, ''];
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('data', (bytes) => {
        length += bytes.length;
        end = bytes.toString('latin1').slice(-20);
      });
      socket.on('close', () => resolve({ length, end }));
      socket.write(`CONNECT ok.test:${target} HTTP/1.1\r\n\r\n`);
      socket.end(Buffer.alloc(size, 'y'));
    });
    const greeting = 'HTTP/1.1 200 Connection Established\r\n\r\n'.length;
    expect(end).toContain(` ${size}`);
    expect(length).toBe(greeting + size + ` ${size}`.length);
  });

  test('carries bytes both ways, also those that came with the request', async () => {
    const target = await echo();
    const { port, traffic } = await stage({ allow: [`ok.test:${target}`] }, { names });
    const answer = new Promise<string>((resolve) => {
      let got = '';
      const socket = connect(port, '127.0.0.1');
      socket.on('data', (bytes) => {
        got += bytes.toString();
        if (got.endsWith('one')) socket.end('two');
      });
      socket.on('close', () => resolve(got));
      socket.write(`CONNECT ok.test:${target} HTTP/1.1\r\nHost: ok.test\r\n\r\none`);
    });
    expect(await answer).toBe('HTTP/1.1 200 Connection Established\r\n\r\nonetwo');
    expect(traffic).toEqual(['resolve ok.test', `connect ${publicAddress} ${target}`]);
  });

  test('is refused with a text', async () => {
    const { port, proxy } = await stage({ allow: ['ok.test:443'] }, { names });
    const answer = await say(port, 'CONNECT ok.test:22 HTTP/1.1\r\n\r\n');
    expect(answer).toMatch(
      /^HTTP\/1\.1 403 Forbidden\r\ncontent-type: text\/plain\r\nx-proxy-error: blocked-by-allowlist/,
    );
    expect(answer).toMatch(/\r\n\r\nThis host is not on the allow list of the permission profile\. The user [^\n]*\n$/);
    expect(proxy.denied()).toEqual([{ host: 'ok.test', port: 22, protocol: 'https', reason: 'not_allowed' }]);
  });

  test.each(['ok.test', 'ok.test:99999', ':443', 'a b:443', 'ok.test:443:1'])('%j is no target', async (target) => {
    const { port } = await stage({ allow: ['*'] }, { names });
    expect(await say(port, `CONNECT ${target} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 Bad Request/);
  });
});
