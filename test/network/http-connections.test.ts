import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSender } from '../../src/adapters/model/http/network/exchange.ts';
import { readWholeBody } from '../../src/adapters/model/http/network/response-body.ts';
import { parseTarget } from '../../src/adapters/model/http/network/destination.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  whenTestEnds(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function asker(url: string) {
  const send = createSender({ environment: {} })(parseTarget(url)!);
  const { signal } = new AbortController();
  return async (body = 'x', more: Partial<Parameters<typeof send>[0]> = {}) => {
    const opened = await send({ headers: {}, body: [Buffer.from(body)], idleMs: 2000, signal, ...more });
    if (opened.kind !== 'answer') return opened;
    const read = await readWholeBody(opened.body, { idleMs: 2000, maxBytes: 1_000_000 });
    return { status: opened.head.status, ...read };
  };
}

/** Until the other end has read what was written: both ends are in this process. */
async function received(): Promise<void> {
  await setTimeout(20);
  for (let round = 0; round < 5; round++) await setImmediate();
}

/** Answers each connection with these, one per request; counts connections. */
async function talking(...answers: readonly string[]) {
  const seen = { connections: 0, requests: [] as number[] };
  const url = await listening(
    createServer((socket) => {
      const number = seen.connections++;
      socket.on('data', () => {
        const answer = answers[seen.requests.push(number) - 1];
        if (answer === undefined) socket.destroy();
        else if (answer.endsWith('!')) socket.end(answer.slice(0, -1));
        else socket.write(answer);
      });
    }),
  );
  return { url, seen };
}

const plain = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

it.each([
  ['of a known length is reused', plain, [0, 0]],
  ['in chunks too', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', [0, 0]],
  ['that closes is not', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok', [0, 1]],
  ['that ends with the connection is not', 'HTTP/1.1 200 OK\r\n\r\nok!', [0, 1]],
  ['with something behind it is not', `${plain}HTTP/1.1 200 OK\r\n`, [0, 1]],
  [
    'that is kept for a second is not',
    `HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok`,
    [0, 1],
  ],
  ['that is kept for longer is', `HTTP/1.1 200 OK\r\nkeep-alive: timeout=5\r\ncontent-length: 2\r\n\r\nok`, [0, 0]],
])('the connection of an answer %s', async (_, answer, connections) => {
  const { url, seen } = await talking(answer, plain);
  const ask = asker(url);
  for (let i = 0; i < 2; i++) expect(await ask()).toEqual({ status: 200, kind: 'whole', text: 'ok' });
  expect(seen.requests).toEqual(connections);
});

it('a kept connection that dies before the answer is stale, a new one is lost', async () => {
  const { url } = await talking(plain);
  const ask = asker(url);
  await ask();
  expect(await ask()).toEqual({ kind: 'lost', code: 'ECONNRESET', stale: true, before: 'answer' });
  expect(await ask()).toEqual({ kind: 'lost', code: 'ECONNRESET', stale: false, before: 'answer' });
});

it('where one kept connection is dead, no other is tried', async () => {
  let isDead = false;
  const url = await listening(
    createServer((socket) => {
      const isOld = !isDead;
      socket.on('data', () => (isDead && isOld ? socket.resetAndDestroy() : socket.write(plain)));
    }),
  );
  const ask = asker(url);
  await Promise.all([ask(), ask(), ask()]);
  isDead = true;
  expect(await ask()).toMatchObject({ kind: 'lost', stale: true });
  expect(await ask()).toMatchObject({ status: 200 });
});

it('a kept connection that dies after it began to answer is lost, and not stale', async () => {
  let requests = 0;
  const url = await listening(
    createServer((socket) => {
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) return void socket.write(plain);
        socket.write('HTTP/1.1 102 Processing\r\n\r\n');
        void received().then(() => socket.resetAndDestroy());
      });
    }),
  );
  const ask = asker(url);
  await ask();
  expect(await ask()).toEqual({ kind: 'lost', code: 'ECONNRESET', stale: false });
});

it('what comes before a request is no answer to it', async () => {
  const late = 'HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n';
  const after = Promise.withResolvers<void>();
  const url = await listening(
    createServer((socket) => {
      socket.write(late);
      void received().then(after.resolve);
    }),
  );
  expect(await asker(url)('x', { after: after.promise })).toEqual({ kind: 'lost', code: 'ECONNRESET', stale: false });
});

it('a request that finds nobody was not sent', async () => {
  const server = createServer();
  const url = await listening(server);
  await new Promise((done) => server.close(done));
  let sent = 0;
  expect(await asker(url)('x', { onSent: () => void sent++ })).toMatchObject({ kind: 'lost', code: 'ECONNREFUSED' });
  expect(sent).toBe(0);
});

it('an answer that is over keeps its connection for a moment only', async () => {
  let open = 0;
  const url = await listening(
    createServer((socket) => {
      open += 1;
      const timer = setInterval(() => socket.write('1\r\nx\r\n'), 100);
      socket.on('close', () => {
        open -= 1;
        clearInterval(timer);
      });
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'));
    }),
  );
  const send = createSender({ environment: {} })(parseTarget(url)!);
  const { signal } = new AbortController();
  const opened = await send({ headers: {}, body: [], idleMs: 2000, signal });
  if (opened.kind !== 'answer') throw new Error(opened.kind);
  opened.body.release();
  expect(open).toBe(1);
  await expect.poll(() => open).toBe(0);
});

it('what a server sends unasked is not taken for the next answer', async () => {
  let connections = 0;
  const unasked = Promise.withResolvers<void>();
  const url = await listening(
    createServer((socket) => {
      connections += 1;
      socket.on('data', async () => {
        socket.write(plain);
        await received();
        if (!socket.destroyed) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwrong');
        unasked.resolve();
      });
    }),
  );
  const ask = asker(url);
  await ask();
  await unasked.promise;
  await received();
  expect(await ask()).toMatchObject({ status: 200, text: 'ok' });
  expect(connections).toBe(2);
});

it('an answer that is cut is not whole', async () => {
  const { url } = await talking('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nok!');
  expect(await asker(url)()).toEqual({ status: 200, kind: 'cut', code: 'ECONNRESET' });
});

it('an answer before the request is whole counts, and its connection is not used again', async () => {
  let connections = 0;
  const url = await listening(
    createServer((socket) => {
      connections += 1;
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno');
      });
    }),
  );
  const ask = asker(url);
  for (let i = 0; i < 2; i++) expect(await ask('x'.repeat(20_000_000))).toMatchObject({ status: 413, text: 'no' });
  expect(connections).toBe(2);
});

it('a protocol that nobody asked for is no answer', async () => {
  const { url } = await talking('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n');
  expect(await asker(url)()).toEqual({ kind: 'lost', code: 'HPE_UNEXPECTED_UPGRADE', stale: false });
});

it('a server of Node gets the request as Node would send it', async () => {
  const got: unknown[] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      got.push({ method, url, headers, text: Buffer.concat(chunks).toString() });
      response.end('ok');
    });
  });
  const url = await listening(server);
  const ask = asker(`${url}/a?b=c`);
  await ask('hi', { headers: { accept: 'x' } });
  await ask('', { method: 'GET' });
  const host = new URL(url).host;
  const wire = { 'accept-encoding': 'identity', connection: 'keep-alive' };
  expect(got).toEqual([
    {
      method: 'POST',
      url: '/v1/a?b=c',
      headers: { accept: 'x', 'content-length': '2', host, ...wire },
      text: 'hi',
    },
    { method: 'GET', url: '/v1/a?b=c', headers: { host, ...wire }, text: '' },
  ]);
});
