import { describe, expect, it } from 'vitest';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import type { ModelClient, ModelPrompt } from '../../src/ports/model.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { certify } from './certificate.ts';
import { clientAt, far, fileWith, startModel, type Variables } from './client.ts';
import { startProxy, startTls } from './servers.ts';

const prompt: ModelPrompt = {
  options: { model: 'm', parallelToolCalls: true, cacheKey: 't', labels: {} },
  instructions: 'Be kind.',
  tools: [],
  input: [],
};

function socketClientAt(url: string, environment: Variables): ModelClient {
  const client = clientAt(url, environment, { supportsWebsockets: true, websocketConnectTimeoutMs: 5000 });
  whenTestEnds(() => client.close?.());
  return client;
}

/** The kinds of all events of a request of the conversation. */
async function ask(client: ModelClient): Promise<readonly string[]> {
  const request = { body: responsesEncoder().body(prompt), prompt, headers: {} };
  const events = await Array.fromAsync(client.stream(request, new AbortController().signal));
  return events.map((event) => (event.kind === 'notice' ? event.outcome.message : event.kind));
}

const answered = ['created', 'item', 'completed'];

describe('a WebSocket', () => {
  it('goes through a tunnel to a server with TLS, whose authority a file names', async () => {
    const { model, port, at } = await startModel();
    const server = certify(far);
    const proxy = await startProxy({ to: await startTls(server, port) });
    const client = socketClientAt(at(`https://${far}`), {
      HTTPS_PROXY: `http://anna:word@127.0.0.1:${proxy.port}`,
      CODEX_CA_CERTIFICATE: fileWith(server.certificate),
    });
    expect([await ask(client), await ask(client)]).toEqual([answered, answered]);
    expect(proxy.asked).toEqual([`CONNECT ${far}:443 Basic ${Buffer.from('anna:word').toString('base64')}`]);
    expect(model.requests.map(({ frame, headers }) => [frame?.kind, headers['proxy-authorization']])).toEqual([
      ['full', undefined],
      ['full', undefined],
    ]);
  });

  it('goes through a tunnel also to a server without TLS: what only forwards would not pass it on', async () => {
    const { model, port, at } = await startModel();
    const gate = certify('localhost');
    const proxy = await startProxy({ to: port });
    const secure = await startTls(gate, proxy.port);
    const CODEX_CA_CERTIFICATE = fileWith(gate.certificate);
    const plain = socketClientAt(at(`http://${far}`), { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
    const overTls = socketClientAt(at(`http://${far}`), {
      HTTP_PROXY: `https://localhost:${secure}`,
      CODEX_CA_CERTIFICATE,
    });
    expect([await ask(plain), await ask(overTls)]).toEqual([answered, answered]);
    expect(proxy.asked).toEqual([`CONNECT ${far}:80 -`, `CONNECT ${far}:80 -`]);
    expect(model.frames.length).toBe(2);
  });

  it('that is not secure is not opened, and nothing is sent', async () => {
    const { model, port, at } = await startModel();
    const client = socketClientAt(at(`https://localhost:${await startTls(certify('localhost'), port)}`), {});
    expect(await ask(client)).toEqual(['failed']);
    expect([model.upgrades, model.requests.length]).toEqual([0, 0]);
  });
});
