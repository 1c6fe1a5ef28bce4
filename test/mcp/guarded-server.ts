import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../src/protocol/json.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/**
 * A server at an address that wants a login, and the pages of that login: they let every visitor in. `split`: metadata
 * and login have origins of their own, and a token that expires is renewed. `registers`:
 * says where clients are registered.
 */
export async function guardedServer({ split = false, registers = true } = {}) {
  const seen: string[] = [];
  /** Which places got the configured headers. */
  const keys: { readonly place: string; readonly headers: readonly (string | undefined)[] }[] = [];
  const listen = async (place: string, host: string): Promise<string> => {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://x');
      const headers = ['x-static', 'x-variable'].map((name) => request.headers[name] as string | undefined);
      keys.push({ place: `${place} ${request.method} ${pathname}`, headers });
      void handle(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    whenTestEnds(() => void server.close());
    return `http://${host}:${(server.address() as AddressInfo).port}`;
  };
  const origin = await listen('server', '127.0.0.1');
  const metadata = split ? await listen('metadata', 'localhost') : origin;
  const login = split ? await listen('login', '127.0.0.1') : origin;
  let renewed = !split;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const asked = new URL(request.url ?? '/', origin);
    seen.push(`${request.method} ${asked.pathname}`);
    const json = (value: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    switch (asked.pathname) {
      case '/mcp':
        if (request.headers.authorization === (renewed ? 'Bearer the-token' : 'Bearer another'))
          return json(...answerTo(parseJsonObject(body)));
        response.writeHead(401, {
          'www-authenticate': `Bearer resource_metadata="${metadata}/.well-known/oauth-protected-resource/mcp"`,
        });
        return void response.end();
      case '/.well-known/oauth-protected-resource/mcp':
        return json({ resource: `${origin}/mcp`, authorization_servers: [login] });
      case '/.well-known/oauth-authorization-server':
        return json({
          issuer: login,
          authorization_endpoint: `${login}/authorize`,
          token_endpoint: `${login}/token`,
          ...(registers && { registration_endpoint: `${login}/register` }),
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        });
      case '/register':
        return json({ ...parseJsonObject(body), client_id: 'client' }, 201);
      case '/authorize': {
        const back = new URL(asked.searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', 'the-code');
        back.searchParams.set('state', asked.searchParams.get('state') ?? '');
        response.writeHead(302, { location: back.href });
        return void response.end();
      }
      case '/token':
        if (split && body.includes('refresh_token=renewal')) {
          renewed = true;
          return json({ access_token: 'the-token', token_type: 'Bearer' });
        }
        if (!body.includes('code=the-code')) return json({ error: 'invalid_grant' }, 400);
        return json({
          access_token: renewed ? 'the-token' : 'another',
          token_type: 'Bearer',
          ...(split && { refresh_token: 'renewal' }),
        });
      default:
        response.writeHead(404);
        response.end();
    }
  }
  return {
    url: `${origin}/mcp`,
    seen,
    keys,
    /** The token that was given out is no longer accepted. */
    expire: () => (renewed = true),
  };
}

function answerTo(message: JsonObject | undefined): readonly [object, number] {
  const { id, method, params } = message ?? {};
  if (id === undefined) return [{}, 202];
  const result = (value: object): readonly [object, number] => [{ jsonrpc: '2.0', id, result: value }, 200];
  switch (method) {
    case 'initialize':
      return result({
        protocolVersion: isJsonObject(params) ? params['protocolVersion'] : '',
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      });
    case 'tools/list':
      return result({
        tools: [{ name: 'secret', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
      });
    case 'tools/call':
      return result({ content: [{ type: 'text', text: 'the secret' }] });
    default:
      return [{ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }, 200];
  }
}
