import { accessTokenVariable } from '../../../../core/policy/environment/shell-environment-policy.ts';
import { thrownMessage } from '../../../../protocol/display-text.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { shellWords } from '../../../../protocol/shell.ts';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node';
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';

export interface AccessToken {
  /** Undefined: everyone on this machine has access. */
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

export interface HttpAccess extends Pick<AccessToken, 'token'>, Pick<TokenChoices, 'host'> {}

const shortest = 16;

export function accessToken({ host, noToken, file, variable, cwd }: TokenChoices): AccessToken | Outcome {
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

function readToken(path: string): string | Outcome {
  try {
    const file = openSync(path, 'r');
    try {
      if ((fstatSync(file).mode & 0o077) === 0) return readFileSync(file, 'utf8').trim();
      // Other users could read the token, and their programs use the server as this user.
      const message = `Other users of this machine can read or change the token file ${path}.`;
      return { code: 'token-open', message, next: `Close it with \`chmod 600 ${shellWords([path])}\`.` };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const message = `The token could not be read: ${thrownMessage(error)}.`;
    return { code: 'token-unreadable', message, next: 'Check --token-file.' };
  }
}

export const httpPath = '/mcp';

/**
 * Returns true if a request may proceed, else answers it, without reading its body. Host and origin come before the
 * token: a page in a browser can send requests to this machine.
 */
export function createGuard({ token, host }: HttpAccess) {
  const isWildcard = host === '0.0.0.0' || host === '::';
  const isRightHost = hostHeaderValidation([...localhostAllowedHostnames(), bracketedHost(host)]);
  const isRightOrigin = originValidation(localhostAllowedOrigins());
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!isWildcard && !isRightHost(request, response)) return false;
    if (!isRightOrigin(request, response)) return false;
    if (token !== undefined && !isBearer(request.headers.authorization, token)) {
      response.setHeader('www-authenticate', 'Bearer realm="capstan"');
      return refuse(response, 401, 'Send the token of the server as "Authorization: Bearer TOKEN".');
    }
    const [path] = (request.url ?? '').split('?', 1);
    return path === httpPath || refuse(response, 404, `The server is at ${httpPath}.`);
  };
}

export function refuse(response: ServerResponse, status: number, message: string): false {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }));
  return false;
}

/** Compares digests, so that the time it takes reveals nothing about the token. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? '';
  const [one, other] = [given, token].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(one!, other!);
}

const isOwnMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

export const bracketedHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export interface HttpAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

const ownMachine = '127.0.0.1';

/** `[HOST:]PORT`, with the host in brackets if it has colons. */
export function readHttpAddress(written: string): HttpAddress | Outcome<'usage'> {
  const parts = /^(?:(?:\[([^\]]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(written);
  const port = Number(parts?.[3]);
  if (parts !== null && port <= 65_535) return { host: parts[1] ?? (parts[2] || ownMachine), port };
  return {
    code: 'usage',
    message: `mcp-server: --http does not take ${JSON.stringify(written)}.`,
    next: 'Give a port, or a host and a port: `--http 8931` or `--http 127.0.0.1:8931`.',
  };
}
