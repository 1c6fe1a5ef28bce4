import type { LoginLimits } from '../../../../core/policy/requirements.ts';
import { createHash } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SignInOutcome =
  | { readonly kind: 'code'; readonly code: string }
  /** The issuer refused. `why` is its short error code. */
  | { readonly kind: 'denied'; readonly why: string }
  | UnfinishedSignIn;

/** The user took too long or stopped the sign-in. */
export type UnfinishedSignIn = { readonly kind: 'ended'; readonly why: 'late' | 'stopped' };

export interface SignInCallback {
  readonly redirectUri: string;
  /** Resolves once. The server listens until it is closed, so that the user's browser gets its page. */
  readonly back: Promise<SignInOutcome>;
  close(): Promise<void>;
}

export interface CallbackOptions {
  /** Tried in this order; the issuer redirects only to these. */
  readonly ports: readonly number[];
  /** Secret between us and the sign-in page. */
  readonly state: string;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

const path = '/auth/callback';
/** A browser needs one or two; other pages may try to connect as often as they like. */
const mostConnections = 16;
const headPatienceMs = 10_000;
const longestHead = 16 * 1024;

/** Waits on the loopback interface for the redirect. Undefined: all ports are in use. */
export async function openSignInCallback(options: CallbackOptions): Promise<SignInCallback | undefined> {
  const { ports, state, patienceMs, signal } = options;
  const back = Promise.withResolvers<SignInOutcome>();
  let isOver = false;
  const finish = (brought: SignInOutcome): void => {
    isOver = true;
    back.resolve(brought);
  };
  const { createServer } = process.getBuiltinModule('node:http');
  const limits = { maxHeaderSize: longestHead, headersTimeout: headPatienceMs, requestTimeout: headPatienceMs };
  const server = createServer({ ...limits, connectionsCheckingInterval: 1000 }, (request, response) => {
    const read = readCallback(request, state, (server.address() as AddressInfo).port);
    if (typeof read === 'number') return reply(response, read, texts[read]);
    if (isOver) return reply(response, 409, texts[409]);
    finish(read);
    return reply(response, 200, read.kind === 'code' ? texts[200] : denied);
  });
  server.maxConnections = mostConnections;
  const port = await listenOnFirst(server, ports);
  if (port === undefined) return undefined;
  const timer = setTimeout(() => finish({ kind: 'ended', why: 'late' }), patienceMs);
  const onAbort = (): void => finish({ kind: 'ended', why: 'stopped' });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    redirectUri: `http://127.0.0.1:${port}${path}`,
    back: back.promise,
    close: () =>
      new Promise((resolve) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        server.close(() => resolve());
        // Idle and slow connections must not delay the end.
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), signal.aborted ? 0 : 200).unref();
      }),
  };
}

const texts = {
  200: 'You are signed in. You can close this page and return to the terminal.\n',
  400: 'This is not the answer to the sign-in that runs here.\n',
  404: 'Not found.\n',
  405: 'Only GET is answered here.\n',
  409: 'This sign-in is over.\n',
} as const;
const denied = 'The sign-in was not completed. Return to the terminal.\n';

/** Any page can send a browser here, under any host name. Only the sign-in page knows the state. */
function readCallback(
  { method, url = '/', headers }: IncomingMessage,
  state: string,
  port: number,
): Extract<SignInOutcome, { kind: 'code' | 'denied' }> | 400 | 404 | 405 {
  if (method !== 'GET') return 405;
  if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`) return 400;
  const asked = URL.canParse(url, 'http://127.0.0.1') ? new URL(url, 'http://127.0.0.1') : undefined;
  if (asked?.pathname !== path) return 404;
  const given = asked.searchParams;
  if (given.getAll('state').length !== 1 || given.get('state') !== state) return 400;
  const [code, error] = [given.get('code') ?? '', given.get('error')];
  if (error !== null) return { kind: 'denied', why: /^[\w.-]{1,64}$/.test(error) ? error : 'error' };
  return /^[\x21-\x7e]{1,4096}$/.test(code) ? { kind: 'code', code } : 400;
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(text);
}

async function listenOnFirst(server: Server, ports: readonly number[]): Promise<number | undefined> {
  for (const port of ports) {
    const listening = await new Promise<boolean>((resolve) => {
      const onError = (): void => resolve(false);
      server.once('error', onError);
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
        server.off('error', onError);
        resolve(true);
      });
    });
    if (listening) return (server.address() as AddressInfo).port;
  }
  return undefined;
}

/** PKCE: proves to the issuer that the holder of the code is the program that requested it. */
export type PkcePair = { readonly verifier: string; readonly challenge: string };

export function createPkcePair(random: (bytes: number) => Buffer): PkcePair {
  const verifier = random(64).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export type SignInPageOptions = Pick<LoginLimits, 'workspaces'> &
  Readonly<Record<'issuer' | 'clientId' | 'redirectUri' | 'challenge' | 'state' | 'originator', string>>;

export function signInPageUrl(page: SignInPageOptions): string {
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: page.clientId,
    redirect_uri: page.redirectUri,
    scope: 'openid profile email offline_access api.connectors.read api.connectors.invoke',
    code_challenge: page.challenge,
    code_challenge_method: 'S256',
    id_token_add_organizations: 'true',
    codex_cli_simplified_flow: 'true',
    state: page.state,
    originator: page.originator,
  });
  if (page.workspaces !== undefined) parameters.set('allowed_workspace_id', page.workspaces.join(','));
  return `${page.issuer}/oauth/authorize?${parameters}`;
}
