import { accessTokenVariable } from '../../../../core/policy/environment/shell-environment-policy.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { quoteShellCommand } from '../../../../protocol/shell.ts';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node';
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';

export interface AccessToken {
  /** Undefined: none is required, and everyone on this machine has access. */
  readonly token: string | undefined;
  /** Generated for this run, so it has to be shown. */
  readonly isNew: boolean;
}

interface TokenChoices {
  readonly host: string;
  readonly noToken: boolean;
  readonly file: string | undefined;
  readonly variable: string | undefined;
  readonly cwd: string;
}

const shortest = 16;

export function resolveAccessToken({ host, noToken, file, variable, cwd }: TokenChoices): AccessToken | Outcome {
  if (noToken) {
    if (isOwnMachine(host)) return { token: undefined, isNew: false };
    const message = `mcp-server: without a token, ${host} would let everyone on the network run commands here.`;
    return { code: 'usage', message, next: 'Leave out --no-token, or listen on 127.0.0.1.' };
  }
  const given = file === undefined ? variable : readToken(resolve(cwd, file));
  if (typeof given === 'object') return given;
  if (given === undefined || given === '') return { token: randomBytes(24).toString('base64url'), isNew: true };
  if (given.length >= shortest && !/\s/.test(given)) return { token: given, isNew: false };
  const where = file === undefined ? accessTokenVariable : file;
  return {
    code: 'weak-token',
    message: `The token in ${where} has fewer than ${shortest} characters, or spaces.`,
    next: 'Make one with `openssl rand -hex 24`.',
  };
}

const openToOthers = (path: string): Outcome => ({
  code: 'token-open',
  message: `Other users of this machine can read or change the token file ${path}.`,
  next: `Close it with \`chmod 600 ${quoteShellCommand([path])}\`.`,
});

function readToken(path: string): string | Outcome {
  try {
    const file = openSync(path, 'r');
    try {
      // Other users could read the token, and their programs use the server as this user.
      if ((fstatSync(file).mode & 0o077) !== 0) return openToOthers(path);
      return readFileSync(file, 'utf8').trim();
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { code: 'token-unreadable', message: `The token could not be read: ${why}.`, next: 'Check --token-file.' };
  }
}

export const mcpHttpPath = '/mcp';

/**
 * Returns true if a request may proceed, else answers it, without reading its body. Host and origin come before the
 * token: a page in a browser can send requests to this machine.
 */
export function createRequestGuard({ token, host }: Pick<AccessToken, 'token'> & Pick<HttpAddress, 'host'>) {
  const isRightHost = isWildcard(host)
    ? () => true
    : hostHeaderValidation([...localhostAllowedHostnames(), bracketedHost(host)]);
  const isRightOrigin = originValidation(localhostAllowedOrigins());
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!isRightHost(request, response) || !isRightOrigin(request, response)) return false;
    if (token !== undefined && !isBearer(request.headers.authorization, token)) {
      response.setHeader('www-authenticate', 'Bearer realm="capstan"');
      return rejectHttpRequest(response, 401, 'Send the token of the server as "Authorization: Bearer TOKEN".');
    }
    const [path] = (request.url ?? '').split('?', 1);
    return path === mcpHttpPath || rejectHttpRequest(response, 404, `The server is at ${mcpHttpPath}.`);
  };
}

export function rejectHttpRequest(response: ServerResponse, status: number, message: string): false {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }));
  return false;
}

/** Compares digests, so that the time it takes reveals nothing about the token. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** True if only this machine can reach it. */
const isOwnMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';
export const bracketedHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export interface HttpAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

const ownMachine = '127.0.0.1';

/** `[HOST:]PORT`, with the host in brackets if it has colons. */
export function parseHttpAddress(written: string): HttpAddress | Outcome<'usage'> {
  const parts = /^(?:(?:\[([^\]]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(written);
  const port = Number(parts?.[3]);
  if (parts !== null && port <= 65_535) return { host: parts[1] ?? (parts[2] || ownMachine), port };
  return {
    code: 'usage',
    message: `mcp-server: --http does not take ${JSON.stringify(written)}.`,
    next: 'Give a port, or a host and a port: `--http 8931` or `--http 127.0.0.1:8931`.',
  };
}
