import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../src/protocol/json.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** A server at an address that wants a login, and the pages of that login: they let every visitor in. */
export async function guardedServer() {
  const seen: string[] = [];
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

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
        if (request.headers.authorization === 'Bearer the-token') return json(...answerTo(parseJsonObject(body)));
        response.writeHead(401, {
          'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
        });
        return void response.end();
      case '/.well-known/oauth-protected-resource/mcp':
        return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      case '/.well-known/oauth-authorization-server':
        return json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
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
        if (!body.includes('code=the-code')) return json({ error: 'invalid_grant' }, 400);
        return json({ access_token: 'the-token', token_type: 'Bearer' });
      default:
        response.writeHead(404);
        response.end();
    }
  }
  return { url: `${origin}/mcp`, seen };
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
