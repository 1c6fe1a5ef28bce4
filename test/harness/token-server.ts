import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/protocol/json.ts';

export interface TokenServer {
  readonly requests: readonly JsonObject[];
  /** Makes programs renew their tokens here. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** The place that renews the tokens of a login: it answers with a status and a body. */
export async function startTokenServer(
  respond: (request: JsonObject) => readonly [number, JsonObject],
): Promise<TokenServer> {
  const requests: JsonObject[] = [];
  const server = createServer(async (message, response) => {
    const request = JSON.parse(Buffer.concat(await Array.fromAsync(message)).toString('utf8')) as JsonObject;
    requests.push(request);
    const [status, body] = respond(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    env: { CODEX_REFRESH_TOKEN_URL_OVERRIDE: `http://127.0.0.1:${port}/oauth/token` },
    close: () => void server.close(),
  };
}

/** A token that says when it expires, in seconds. */
export function webToken(expires: number, more: JsonObject = {}): string {
  return ['{"alg":"none"}', JSON.stringify({ exp: expires, ...more }), 'signature-of-a-token']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}
