import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** One answer: events of a stream, or an error of HTTP. */
export type ToyAnswer = readonly object[] | { readonly status: number; readonly body: object };

export interface ToyServer {
  readonly url: string;
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
}

/** A server of the toy format, which gives its answers one after the other. */
export async function startToyServer(answers: readonly ToyAnswer[]): Promise<ToyServer> {
  const requests: ToyServer['requests'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = answers[requests.length] ?? { status: 500, body: {} };
      requests.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      });
      if ('status' in answer) {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(answer.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v9`, requests };
}
