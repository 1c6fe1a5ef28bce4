import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node';
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server';

/** Who may use a server over HTTP. */
export interface HttpAccess {
  /** Undefined: everyone on this machine. */
  readonly token: string | undefined;
  /** The name or address that it listens on. */
  readonly host: string;
}

/** Where the protocol is served. */
export const httpPath = '/mcp';

/**
 * Whether a request may go on; if not, it is answered. Nothing of its body is read before. A page in a browser can send
 * requests to this machine: the host that it was sent to and the page that it came from are looked at before the token.
 */
export function createGuard({
  token,
  host,
}: HttpAccess): (request: IncomingMessage, response: ServerResponse) => boolean {
  const isRightHost = isWildcard(host)
    ? () => true
    : hostHeaderValidation([...localhostAllowedHostnames(), bracketed(host)]);
  const isRightOrigin = originValidation(localhostAllowedOrigins());
  return (request, response) => {
    if (!isRightHost(request, response) || !isRightOrigin(request, response)) return false;
    if (token !== undefined && !isBearer(request.headers.authorization, token)) {
      response.setHeader('www-authenticate', 'Bearer realm="capstan"');
      return refuse(response, 401, 'Send the token of the server as "Authorization: Bearer TOKEN".');
    }
    const [path] = (request.url ?? '').split('?', 1);
    return path === httpPath || refuse(response, 404, `The server is at ${httpPath}.`);
  };
}

function refuse(response: ServerResponse, status: number, message: string): false {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }));
  return false;
}

/** Compares digests, so that the time it takes says nothing about the token. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Whether only this machine can reach it. */
export function isOwnMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** As it stands in an address. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
