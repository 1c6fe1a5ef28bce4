import { describe, expect, it } from 'vitest';
import { certify } from './certificate.ts';
import { ask, clientAt, far, fileWith, startModel } from './client.ts';
import { startProxy, startTls } from './servers.ts';

const basic = `Basic ${Buffer.from('anna:pass/word').toString('base64')}`;

describe('a proxy', () => {
  it('forwards requests to servers without TLS', async () => {
    const { model, port, at } = await startModel();
    const proxy = await startProxy({ to: port });
    const client = clientAt(at(`http://${far}:8123`), {
      HTTP_PROXY: `http://anna:pass%2Fword@127.0.0.1:${proxy.port}`,
    });
    expect([await ask(client), await ask(client)]).toEqual(['answered', 'answered']);
    const line = `POST ${at(`http://${far}:8123`)}/responses ${basic}`;
    expect(proxy.asked).toEqual([line, line]);
    expect(model.requests.map(({ headers }) => headers.host)).toEqual([`${far}:8123`, `${far}:8123`]);
  });

  it('carries one tunnel for many requests to a server with TLS', async () => {
    const { model, port, at } = await startModel();
    const server = certify(far);
    const proxy = await startProxy({ to: await startTls(server, port) });
    const client = clientAt(at(`https://${far}`), {
      HTTPS_PROXY: `http://anna:pass%2Fword@127.0.0.1:${proxy.port}`,
      CODEX_CA_CERTIFICATE: fileWith(certify('other.invalid').certificate + server.certificate),
    });
    expect([await ask(client), await ask(client)]).toEqual(['answered', 'answered']);
    expect(proxy.asked).toEqual([`CONNECT ${far}:443 ${basic}`]);
    expect(model.requests.map(({ connection }) => connection)).toEqual([
      model.requests[0]!.connection,
      model.requests[0]!.connection,
    ]);
    expect(model.requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([undefined, undefined]);
  });

  it('may be spoken with over TLS, by both kinds of requests', async () => {
    const { port, at } = await startModel();
    const [server, gate] = [certify(far), certify('localhost')];
    const CODEX_CA_CERTIFICATE = fileWith(server.certificate + gate.certificate);
    const forwarding = await startProxy({ to: port });
    const tunnelling = await startProxy({ to: await startTls(server, port) });
    const HTTP_PROXY = `https://localhost:${await startTls(gate, forwarding.port)}`;
    const HTTPS_PROXY = `https://localhost:${await startTls(gate, tunnelling.port)}`;
    const environment = { HTTP_PROXY, HTTPS_PROXY, CODEX_CA_CERTIFICATE };
    expect([
      await ask(clientAt(at(`http://${far}`), environment)),
      await ask(clientAt(at(`https://${far}`), environment)),
      forwarding.asked,
      tunnelling.asked,
    ]).toEqual(['answered', 'answered', [`POST ${at(`http://${far}`)}/responses -`], [`CONNECT ${far}:443 -`]]);
  });

  it('is left out for this machine and for what NO_PROXY names', async () => {
    const { port, at } = await startModel();
    const HTTP_PROXY = 'http://127.0.0.1:1';
    const NO_PROXY = 'example.invalid';
    expect([
      await ask(clientAt(at(`http://127.0.0.1:${port}`), { HTTP_PROXY })),
      await ask(clientAt(at(`http://localhost:${port}`), { HTTP_PROXY })),
      await ask(clientAt(`http://${'x'.repeat(64)}.${far}`, { HTTP_PROXY, NO_PROXY })),
    ]).toEqual(['answered', 'answered', expect.objectContaining({ message: expect.stringContaining('ENOTFOUND') })]);
  });

  it('that says nothing is left as soon as the request is given up', async () => {
    const left = Promise.withResolvers<void>();
    const proxy = await startProxy({ to: 1, refuses: 'silence', onLeft: left.resolve });
    const abort = new AbortController();
    const client = clientAt(`https://${far}/v1`, { HTTPS_PROXY: `127.0.0.1:${proxy.port}` });
    const pending = ask(client, abort.signal);
    while (proxy.asked.length === 0) await new Promise((look) => setTimeout(look, 5));
    abort.abort();
    expect(await pending).toEqual(expect.objectContaining({ code: 'aborted' }));
    await left.promise;
  });
});

/** Checks the messages that people read when a proxy is in the way. */
describe('a proxy that', () => {
  const secret = 'user-0123456789:password-0123456789@';

  it('refuses a request', async () => {
    const proxy = await startProxy({ to: 1, refuses: 407 });
    const shown = `http://127.0.0.1:${proxy.port}`;
    const known = { HTTP_PROXY: `http://${secret}127.0.0.1:${proxy.port}` };
    expect([
      await ask(clientAt(`http://${far}/v1`, { http_proxy: shown })),
      await ask(clientAt(`http://${far}/v1`, known)),
    ]).toEqual([
      {
        code: 'connection-failed',
        message: `The proxy in http_proxy (${shown}) requires a user name and password (status 407).`,
        next: 'Add them to http_proxy: http://NAME:PASSWORD@HOST:PORT.',
        retry: 'never',
        cause: 'refused',
      },
      {
        code: 'connection-failed',
        message: `The proxy in HTTP_PROXY (${shown}) does not accept the user name and password (status 407).`,
        next: 'Correct the user name and password in HTTP_PROXY.',
        retry: 'never',
        cause: 'refused',
      },
    ]);
    expect(proxy.asked.length).toBe(2);
  });

  it.each([
    [407, 'never', 'does not accept the user name and password', 'Correct the user name and password in ALL_PROXY.'],
    [403, 'never', `does not allow a connection to https://${far}`, undefined],
    [502, 'later', `could not connect to https://${far}`, undefined],
  ])('refuses a tunnel with %i', async (status, retry, what, next) => {
    const proxy = await startProxy({ to: 1, refuses: status });
    const client = clientAt(`https://${far}/v1`, { ALL_PROXY: `${secret}127.0.0.1:${proxy.port}` });
    expect(await ask(client)).toEqual({
      code: 'connection-failed',
      message: `The proxy in ALL_PROXY (http://127.0.0.1:${proxy.port}) ${what} (status ${status}).`,
      next:
        next ??
        'Check the base URL of the provider and what the proxy allows. If the host needs no proxy, add it to NO_PROXY.',
      // It was tried again as often as connections are.
      retry: 'never',
      cause: retry === 'never' ? 'refused' : 'connection',
    });
    expect(proxy.asked.length).toBe(retry === 'never' ? 1 : 3);
  });

  it('quotes what identifies us is not quoted', async () => {
    const proxy = await startProxy({ to: 1, refuses: 400 });
    const client = clientAt(`http://${far}/v1`, { HTTP_PROXY: `http://${secret}127.0.0.1:${proxy.port}` });
    expect(await ask(client)).toEqual(
      expect.objectContaining({ message: expect.stringMatching(/which may have given it: Basic <hidden>$/) }),
    );
  });

  it.each([
    [403, 'Access denied by Zscaler', 'Access denied by Zscaler', 'never'],
    [502, '', undefined, {}],
    [200, '<!DOCTYPE html><html><title>Sign in</title>', 'a web page, "Sign in"', 'never'],
  ])('may have given an answer with %i is named', async (status, body, says, retry) => {
    const proxy = await startProxy({ to: 1, refuses: status, body });
    const client = clientAt(`http://${far}/v1`, { HTTP_PROXY: `http://${secret}127.0.0.1:${proxy.port}` });
    const failure = await ask(client);
    const opening = `An answer with status ${status} came through http://127.0.0.1:${proxy.port} (the proxy in HTTP_PROXY), which may have given it`;
    expect(failure).toMatchObject({
      message: says === undefined ? `${opening}.` : `${opening}: ${says}`,
      next: expect.stringMatching(
        / If the proxy gave this answer, check what it allows\. If the host needs no proxy, add it to NO_PROXY\.$/,
      ),
      status,
      retry,
    });
  });

  it('forwards an error of the API is not named', async () => {
    const body = '{"error":{"message":"No such field."}}';
    const proxy = await startProxy({ to: 1, refuses: 400, body });
    const failure = await ask(clientAt(`http://${far}/v1`, { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }));
    expect(failure).toMatchObject({
      message: 'The provider answered with status 400: No such field.',
      next: 'Check the model name and the settings of the provider, then try again.',
    });
  });

  it.each(['http', 'https'])('is down (%s)', async (scheme) => {
    const variable = scheme === 'http' ? 'HTTP_PROXY' : 'HTTPS_PROXY';
    expect(await ask(clientAt(`${scheme}://${far}/v1`, { [variable]: `http://${secret}127.0.0.1:1` }))).toEqual({
      code: 'connection-failed',
      message: `Nothing listens at http://127.0.0.1:1 (the proxy in ${variable}): the connection was refused (ECONNREFUSED).`,
      next: `Start the proxy, or correct ${variable}. If the provider needs no proxy, add its host to NO_PROXY.`,
      retry: 'never',
      cause: 'connection',
    });
  });

  it('says nothing', async () => {
    const proxy = await startProxy({ to: 1, refuses: 'silence' });
    const HTTPS_PROXY = `http://${secret}127.0.0.1:${proxy.port}`;
    expect(await ask(clientAt(`https://${far}/v1`, { HTTPS_PROXY }, { streamIdleTimeoutMs: 100 }))).toEqual({
      code: 'stream-idle',
      message: `http://127.0.0.1:${proxy.port} (the proxy in HTTPS_PROXY) did not answer for 0.1 seconds.`,
      next: 'Check the network and HTTPS_PROXY, then try again.',
      retry: {},
      cause: 'idle',
    });
    expect(proxy.asked.length).toBeLessThan(2);
  });

  it('is not blamed for what it forwards to a slow model', async () => {
    const proxy = await startProxy({ to: 1, refuses: 'silence' });
    const HTTP_PROXY = `http://${secret}127.0.0.1:${proxy.port}`;
    expect(await ask(clientAt(`http://${far}/v1`, { HTTP_PROXY }, { streamIdleTimeoutMs: 100 }))).toEqual({
      code: 'stream-idle',
      message: `No answer came through http://127.0.0.1:${proxy.port} (the proxy in HTTP_PROXY) for 0.1 seconds: the provider or the proxy is slow.`,
      next: 'Try again. If the model needs longer, raise stream_idle_timeout_ms of the provider. If other requests fail as well, check HTTP_PROXY.',
      retry: {},
      cause: 'idle',
    });
  });

  it('speaks no TLS', async () => {
    const proxy = await startProxy({ to: 1 });
    const client = clientAt(`https://${far}/v1`, { HTTPS_PROXY: `https://localhost:${proxy.port}` });
    expect(await ask(client)).toEqual({
      code: 'connection-failed',
      message: `The server at https://localhost:${proxy.port} (the proxy in HTTPS_PROXY) does not speak TLS correctly (EPROTO).`,
      next: 'Check HTTPS_PROXY: a server without TLS needs http:// instead of https://.',
      retry: 'never',
      cause: 'refused',
    });
  });

  it('opens a tunnel and answers by itself', async () => {
    const page = await startProxy({ to: (await startModel()).port });
    const client = clientAt(`https://${far}/v1`, { HTTPS_PROXY: `http://${secret}127.0.0.1:${page.port}` });
    expect(await ask(client)).toEqual({
      code: 'connection-failed',
      message: `No TLS connection to https://${far} could be made through http://127.0.0.1:${page.port} (the proxy in HTTPS_PROXY): the proxy or the server does not speak TLS correctly (EPROTO).`,
      next: 'Check the base URL of the provider and what the proxy allows. If the host needs no proxy, add it to NO_PROXY.',
      retry: 'never',
      cause: 'refused',
    });
    expect(page.asked.length).toBe(1);
  });

  it('cannot be understood from its variable', async () => {
    const problems = await Promise.all(
      ['http://', `socks5://${secret}127.0.0.1:1`, 'http://user:pass/word-0123@proxy.invalid:1'].map((HTTPS_PROXY) =>
        ask(clientAt(`https://${far}/v1`, { HTTPS_PROXY })),
      ),
    );
    const problem = (what: string) => ({
      code: 'connection-failed',
      message: `HTTPS_PROXY ${what}.`,
      next:
        'Set HTTPS_PROXY to an HTTP proxy, such as http://proxy.example.com:8080 (in a user name or password, ' +
        'write @ as %40, / as %2F and so on), or unset it.',
      retry: 'never',
      cause: 'refused',
    });
    const noAddress = problem('is not the address of a proxy');
    expect(problems).toEqual([noAddress, problem('is a SOCKS proxy, which Capstan does not support'), noAddress]);
  });
});
