import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ScriptedModel } from '../../src/testing/index.ts';
import { whenTestEnds } from './when-test-ends.ts';

/** Stands in for Ollama or LM Studio: has a list of models, and hands all other requests to a scripted one. */
export async function startLocalServer(
  models: readonly string[],
  behind?: ScriptedModel,
  /** `silent`: it never answers. */
  pages: Readonly<Record<string, JsonObject | 'silent'>> = {},
  port = 0,
): Promise<{ port: number; asked: readonly string[]; givenUp: readonly string[] }> {
  const asked: string[] = [];
  const givenUp: string[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '');
    const page = pages[incoming.url ?? ''];
    if (page === 'silent') return void outgoing.on('close', () => givenUp.push(incoming.url ?? ''));
    if (page !== undefined) {
      outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(page));
    } else if (incoming.url === '/v1/models') {
      const data = models.map((id) => ({ id, object: 'model' }));
      outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }));
    } else if (behind === undefined) {
      outgoing.writeHead(404).end('404 page not found');
    } else {
      const { method, headers } = incoming;
      const endpoint = (incoming.url ?? '').replace(/^\/v1/, '');
      const passed = request(`${behind.url}${endpoint}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(passed);
    }
  });
  return { port: await listen(server, port), asked, givenUp };
}

/** Answers every question in the same way. */
export async function startOtherServer(status: number, text: string): Promise<{ port: number }> {
  return { port: await listen(createServer((_, outgoing) => outgoing.writeHead(status).end(text))) };
}

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  whenTestEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
