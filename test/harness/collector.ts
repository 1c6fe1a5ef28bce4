import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type Json, type JsonObject } from '../../src/protocol/json.ts';
import { whenTestEnds } from './when-test-ends.ts';

export interface Collected {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

/** A collector of telemetry on this machine. `hangs`: it takes everything and answers nothing. */
export async function startCollector({ status = 200, text = '{}', hangs = false } = {}): Promise<{
  readonly url: string;
  readonly requests: readonly Collected[];
  /** Resolves with so many requests. */
  arrived(count: number): Promise<readonly Collected[]>;
}> {
  const requests: Collected[] = [];
  let check = (): void => {};
  const server = createServer(async (message, response) => {
    const text_ = Buffer.concat(await Array.fromAsync(message)).toString('utf8');
    requests.push({ path: message.url ?? '', headers: message.headers, body: JSON.parse(text_) as JsonObject });
    check();
    if (!hangs) response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    arrived: (count) =>
      new Promise((resolve) => {
        check = () => void (requests.length >= count && resolve(requests));
        check();
      }),
  };
}

/** Attributes as one object. */
export function attributesOf(list: Json | undefined): Readonly<Record<string, unknown>> {
  const pairs = (Array.isArray(list) ? (list as readonly Json[]) : []).filter(isJsonObject);
  return Object.fromEntries(pairs.map(({ key, value }) => [String(key), Object.values(value as JsonObject)[0]]));
}
