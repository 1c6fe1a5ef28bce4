import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { NetworkLists } from '../../protocol/network-lists.ts';
import { systemWays, type Ways } from './dial.ts';
import type { GateOptions } from './gate.ts';
import { createCommandProxy, type CommandProxy } from './command-proxy.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function listen(server: Server): Promise<number> {
  closers.push(() => server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 20_000, interval: 10 });

const none: NetworkLists = { allow: [], deny: [], local: false, methods: 'any' };
/** A name of the public internet for the proxy, which finds this machine behind it. */
const publicAddress = '93.184.216.34';

interface Stage {
  readonly port: number;
  readonly proxy: CommandProxy;
  /** Names that were looked up, and addresses that were dialled. */
  readonly traffic: string[];
  /** How many connections of programs are open. */
  open(): Promise<number>;
  /** How many there were. */
  taken(): number;
}

async function stage(
  lists: Partial<NetworkLists>,
  more: Partial<GateOptions> & { names?: Record<string, string[]> } = {},
): Promise<Stage> {
  const traffic: string[] = [];
  const ways: Ways = {
    async resolve(name) {
      traffic.push(`resolve ${name}`);
      const found = more.names?.[name];
      if (found === undefined) throw new Error('no such name');
      return found;
    },
    connect(address, port) {
      traffic.push(`connect ${address} ${port}`);
      return systemWays.connect(address === publicAddress ? '127.0.0.1' : address, port);
    },
  };
  const proxy = createCommandProxy({ lists: { ...none, ...lists }, ways, ...more });
  closers.push(() => proxy.close());
  const listener = createServer();
  const port = await listen(listener);
  proxy.serve(listener);
  const open = () => new Promise<number>((resolve) => listener.getConnections((_, count) => resolve(count)));
  let count = 0;
  listener.on('connection', () => (count += 1));
  return { port, proxy, traffic, open, taken: () => count };
}

/** Sends bytes and gives back all that comes, until the other side ends. */
function say(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('data', (bytes) => (got += bytes.toString('latin1')));
    socket.on('error', () => {}).on('close', () => resolve(got));
    socket.on('end', () => socket.end());
    void (async () => {
      for (const part of parts) {
        socket.write(part);
        await new Promise((next) => setTimeout(next, 20));
      }
    })();
  });
}

async function website(): Promise<{ port: number; requests: IncomingMessage[]; bodies: string[] }> {
  const requests: IncomingMessage[] = [];
  const bodies: string[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(request);
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.setHeader('X-Own', 'yes').end(`you asked for ${request.url}`);
    });
  });
  return { port: await listen(server), requests, bodies };
}

const echo = () => listen(createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket)));
const names = { 'ok.test': [publicAddress], 'mixed.test': [publicAddress, '10.0.0.7'], 'inside.test': ['127.0.0.1'] };
const get = (address: string, method = 'GET') =>
  `${method} ${address} HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n`;

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
      protocol: 'http',
      port: 80,
      message: 'This host is not on the allow list of the permission profile.',
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
    ['a name that leads nowhere', 'http://gone.test/', ['resolve gone.test']],
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
          connect: (address, target) => (dialled.push(address), systemWays.connect('127.0.0.1', target)),
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
    expect(answer).toMatch(/\r\n\r\nThis host is not on the allow list of the permission profile\.\n$/);
    expect(proxy.denied()).toEqual([{ host: 'ok.test', port: 22, protocol: 'https', reason: 'not_allowed' }]);
  });

  test.each(['ok.test', 'ok.test:99999', ':443', 'a b:443', 'ok.test:443:1'])('%j is no target', async (target) => {
    const { port } = await stage({ allow: ['*'] }, { names });
    expect(await say(port, `CONNECT ${target} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 Bad Request/);
  });
});

const socksGreeting = Buffer.from([5, 1, 0]);
function socksName(host: string, port: number, command = 1): Buffer {
  return Buffer.from([5, command, 0, 3, host.length, ...Buffer.from(host), port >> 8, port & 255]);
}
const socksAnswer = (code: number) => Buffer.from([5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0]).toString('latin1');

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

describe('a host that no list names', () => {
  const ask = (decide: GateOptions['decide'], more: Partial<GateOptions> = {}) =>
    stage({ allow: ['ok.test'], deny: ['bad.test'] }, { names, ...more, ...(decide && { decide }) });

  test('is asked about once, however often it is wanted', async () => {
    const asked: unknown[] = [];
    const { port, proxy } = await ask(async (host) => (asked.push(host), 'allow'), {
      ways: { resolve: async () => [publicAddress], connect: (_, to) => systemWays.connect('127.0.0.1', to) },
    });
    const site = await website();
    const wanted = get(`http://new.test:${site.port}/`);
    const answers = await Promise.all([say(port, wanted), say(port, wanted)]);
    for (const answer of [...answers, await say(port, wanted)]) expect(answer).toContain('200 OK');
    expect(asked).toEqual([{ name: 'new.test', port: site.port, protocol: 'http' }]);
    expect(proxy.denied()).toEqual([]);
  });

  test.each<[string, GateOptions['decide']]>([
    ['the answer is no', async () => 'deny'],
    ['the question fails', () => Promise.reject(new Error('gone'))],
    [
      'the question throws',
      () => {
        throw new Error('gone');
      },
    ],
    ['no one answers in time', () => new Promise(() => {})],
  ])('is refused when %s', async (_, decide) => {
    const { port, traffic } = await ask(decide, { decideMs: 30 });
    expect(await say(port, get('http://new.test/'))).toContain('"reason":"not_allowed"');
    expect(traffic).toEqual([]);
  });

  test('an answer opens neither what is denied nor what is local', async () => {
    const { port } = await ask(async () => 'allow');
    expect(await say(port, get('http://bad.test/'))).toContain('"reason":"denied"');
    expect(await say(port, get('http://127.0.0.1/'))).toContain('"reason":"not_allowed_local"');
    expect(await say(port, get('http://inside.test/'))).toContain('"reason":"not_allowed_local"');
  });

  test('a command cannot ask without end', async () => {
    let asked = 0;
    const { port } = await ask(async () => (++asked, 'deny'));
    await Promise.all(Array.from({ length: 30 }, (_, at) => say(port, get(`http://new${at}.test/`))));
    expect(asked).toBe(20);
  });
});

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

  test('SOCKS5 that goes wrong is closed', async () => {
    const { port } = await stage({ allow: ['*'] });
    expect(await say(port, socksGreeting, Buffer.from([4, 1, 0, 1, 1]))).toBe('\x05\0');
  });

  test('connections beyond the limit are closed, and the others live', async () => {
    const { port, open } = await stage({ allow: ['*'] }, { names });
    const idle = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    closers.push(() => idle.forEach((socket) => socket.destroy()));
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
