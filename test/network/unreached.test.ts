import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { connectionFailure, noAnswerFailure } from '../../src/adapters/model/http/failures/answer-failure.ts';
import type { RequestRetry } from '../../src/ports/model.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { ask, clientAt, far } from './client.ts';

/** A server that does this with every connection. */
async function closing(end: (socket: Socket) => void): Promise<{ port: number; seen: { connections: number } }> {
  const seen = { connections: 0 };
  const server = createServer((socket) => {
    seen.connections += 1;
    end(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => void server.close());
  return { port: (server.address() as AddressInfo).port, seen };
}

const peer = { shown: 'https://api.example.com', setting: 'the base URL of the provider' };
const authority =
  'Check the base URL of the provider. For a private certificate authority, set CODEX_CA_CERTIFICATE to the file with its certificate.';

describe('a connection that cannot be made', () => {
  it.each([
    [
      'ECONNREFUSED',
      'Nothing listens at https://api.example.com: the connection was refused (ECONNREFUSED).',
      'Start the server, or correct the base URL of the provider.',
    ],
    [
      'ENOTFOUND',
      'The host in https://api.example.com could not be found (ENOTFOUND).',
      'Check the spelling of the base URL of the provider, and the network.',
    ],
    [
      'EAI_AGAIN',
      'The host in https://api.example.com could not be looked up: the name server did not answer (EAI_AGAIN).',
      'Check the network and its name server (DNS), then try again.',
    ],
    [
      'ENETUNREACH',
      'No network leads to https://api.example.com (ENETUNREACH).',
      'Check the network, a VPN, and the base URL of the provider.',
    ],
    [
      'ETIMEDOUT',
      'https://api.example.com did not take the connection in time (ETIMEDOUT).',
      'Check the network, a firewall on the way, and the base URL of the provider.',
    ],
    [
      'ECONNRESET',
      'https://api.example.com closed the connection without an answer (ECONNRESET).',
      'Check that the server works, and what stands between Capstan and it.',
    ],
    [
      'CERT_HAS_EXPIRED',
      'The certificate of https://api.example.com has expired (CERT_HAS_EXPIRED).',
      'Check the clock of this machine. If it is right, the server needs a new certificate.',
    ],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'The certificate of https://api.example.com does not belong to this host (ERR_TLS_CERT_ALTNAME_INVALID).',
      'Check the host in the base URL of the provider: the certificate is for another name.',
    ],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'The certificate of https://api.example.com is not from an authority that is trusted (SELF_SIGNED_CERT_IN_CHAIN).',
      authority,
    ],
    ['CERT_REVOKED', 'The connection to https://api.example.com is not secure (CERT_REVOKED).', authority],
  ])('has a sentence of its own: %s', (code, message, next) => {
    const failure = connectionFailure(peer, code);
    expect([failure.code, failure.message, failure.next]).toEqual(['connection-failed', message, next]);
  });

  it('is tried three times elsewhere, as often as the configuration says where it does, and then it is final', async () => {
    const tried: (readonly [number, number])[] = [];
    const found = async (more: object): Promise<unknown> => {
      tried.length = 0;
      const client = clientAt(`http://${far}/v1`, {}, { requestMaxRetries: 4, ...more });
      const onRetry = ({ attempt, of, isFinal }: RequestRetry): void => {
        expect(isFinal).toBe(true);
        tried.push([attempt, of]);
      };
      const failure = await ask({
        ...client,
        stream: (request, signal) => client.stream({ ...request, onRetry }, signal),
      });
      return [failure === 'answered' ? failure : [failure.code, failure.retry, failure.cause], [...tried]];
    };
    const lost = ['connection-failed', 'never', 'connection'];
    expect(await found({})).toEqual([
      lost,
      [
        [1, 2],
        [2, 2],
      ],
    ]);
    expect(await found({ connectMaxRetries: 1 })).toEqual([lost, [[1, 1]]]);
    expect(await found({ connectMaxRetries: 0 })).toEqual([lost, []]);
  });

  it('fails as fast where a server on this machine takes connections and closes them without a byte', async () => {
    const { port, seen } = await closing((socket) => void socket.once('data', () => socket.destroy()));
    const tried: string[] = [];
    const client = clientAt(`http://127.0.0.1:${port}/v1`, {}, { requestMaxRetries: 4 });
    const onRetry = ({ attempt, of, isFinal }: RequestRetry): void =>
      void tried.push(`${attempt} of ${of}, ${isFinal === true ? 'final' : 'not final'}`);
    const failure = await ask({
      ...client,
      stream: (request, signal) => client.stream({ ...request, onRetry }, signal),
    });
    expect([failure, tried, seen.connections]).toEqual([
      {
        code: 'connection-failed',
        message: `http://127.0.0.1:${port} closed the connection without an answer (ECONNRESET).`,
        next: 'Check that the server works, what stands between Capstan and it, and whether the base URL of the provider must begin with https://.',
        retry: 'never',
        cause: 'connection',
      },
      ['1 of 2, final', '2 of 2, final'],
      3,
    ]);
  });

  it.each(['http', 'https'])('fails as fast where a proxy closes connections without a byte (%s)', async (scheme) => {
    const { port, seen } = await closing((socket) => void socket.once('data', () => socket.destroy()));
    const variable = scheme === 'http' ? 'HTTP_PROXY' : 'HTTPS_PROXY';
    const [url, proxy] = [`${scheme}://${far}/v1`, { [variable]: `http://127.0.0.1:${port}` }];
    expect([await ask(clientAt(url, proxy, { requestMaxRetries: 4 })), seen.connections]).toEqual([
      {
        code: 'connection-failed',
        message: `http://127.0.0.1:${port} (the proxy in ${variable}) closed the connection without an answer (ECONNRESET).`,
        next: `Check that the proxy works, and what stands between Capstan and it. If the provider needs no proxy, add its host to NO_PROXY.`,
        retry: 'never',
        cause: 'connection',
      },
      3,
    ]);
    await ask(clientAt(url, proxy, { requestMaxRetries: 4, connectMaxRetries: 0 }));
    expect(seen.connections).toBe(4);
  });

  it('is another matter where an answer began, or where the server worked on it first', async () => {
    const begun = await closing((socket) => {
      socket.once('data', () => void socket.end('HTTP/1.1 200'));
    });
    const [real, past] = [performance.now.bind(performance), { ms: 0 }];
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + past.ms);
    whenTestEnds(() => void clock.mockRestore());
    const slow = await closing((socket) => {
      socket.once('data', () => {
        past.ms += 60_000;
        socket.destroy();
      });
    });
    const at = (port: number) => clientAt(`http://127.0.0.1:${port}/v1`, {}, { requestMaxRetries: 4 });
    const working = 'Check that the server works, and what stands between Capstan and it.';
    expect([await ask(at(begun.port)), begun.seen.connections]).toEqual([
      expect.objectContaining({ retry: {}, next: working }),
      5,
    ]);
    expect([await ask(at(slow.port)), slow.seen.connections]).toEqual([expect.objectContaining({ retry: {} }), 5]);
  });

  it.each([
    [
      'an answer whose head is too long',
      `HTTP/1.1 200 OK\r\na: ${'b'.repeat(70_000)}`,
      (origin: string) => [
        `The head of the answer from ${origin} is longer than 64 KB (HPE_HEADER_OVERFLOW).`,
        'Check the base URL of the provider, and what stands between Capstan and the server.',
      ],
    ],
    [
      'another protocol',
      'SSH-2.0-OpenSSH_9.2\r\n',
      (origin: string) => [
        `The server at ${origin} does not speak HTTP (HPE_INVALID_CONSTANT).`,
        'Check the port in the base URL of the provider, and whether it must begin with https://.',
      ],
    ],
  ])('is not tried again after %s', async (_, answer, words) => {
    const { port, seen } = await closing((socket) => void socket.once('data', () => socket.end(answer)));
    const origin = `http://127.0.0.1:${port}`;
    const failure = await ask(clientAt(`${origin}/v1`, {}, { requestMaxRetries: 4 }));
    const [message, next] = words(origin);
    expect([failure, seen.connections]).toEqual([
      { code: 'connection-failed', message, next, retry: 'never', cause: 'refused' },
      1,
    ]);
  });

  it('is tried again after another protocol where an earlier request used the connection', async () => {
    const event = 'data: {"type":"response.completed","response":{"id":"r"}}\n\n';
    const { port, seen } = await closing((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${event.length}\r\n\r\n${event}`);
        socket.once('data', () => socket.end('rest of it\r\n'));
      });
    });
    const client = clientAt(`http://127.0.0.1:${port}/v1`, {});
    expect([await ask(client), await ask(client), seen.connections]).toEqual(['answered', 'answered', 2]);
  });

  it.each([
    ['https://127.0.0.1:8443', true],
    ['https://[fd00::1]:8443', true],
    ['https://192.168.1.7', true],
    ['https://api.example.com', false],
    ['https://8.8.8.8', false],
  ])('with TLS is not to be made without it, unless the host is near: %s', (origin, isNear) => {
    const lost = { kind: 'lost', code: 'EPROTO', stale: false } as const;
    expect(noAnswerFailure(lost, { origin, idleMs: 1000 })).toMatchObject({
      message: `The server at ${origin} does not speak TLS correctly (EPROTO).`,
      next: isNear
        ? 'Check the base URL of the provider: a server without TLS needs http:// instead of https://.'
        : 'Check the host and port in the base URL of the provider, and what stands between Capstan and the server.',
    });
  });

  it('over a WebSocket on this machine fails as fast, and once', async () => {
    const server = createServer((socket) => void socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    whenTestEnds(() => void server.close());
    const client = clientAt(`http://127.0.0.1:${port}/v1`, {}, { supportsWebsockets: true, requestMaxRetries: 4 });
    expect(await ask(client)).toEqual(
      expect.objectContaining({
        message: `Nothing listens at http://127.0.0.1:${port}: the connection was refused (ECONNREFUSED).`,
        retry: 'never',
      }),
    );
  });
});
