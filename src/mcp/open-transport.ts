import { resolve } from 'node:path';
import type { Transport } from '@modelcontextprotocol/client';
import type { McpAddressConfig, McpProgramConfig } from '../config/mcp-servers.ts';
import type { StartServerProcess } from '../ports/server-process.ts';
import { defined } from '../protocol/defined.ts';
import { type boundedFetch, fetchFor, UnreachableServer } from './bounded-fetch.ts';
import { configuredToken } from './call-failure.ts';
import { endOnFlood } from './end-on-flood.ts';
import type { McpWorld, PlacedServer } from './mcp-world.ts';
import { LoginSession } from './oauth/login-session.ts';
import { PipeTransport } from './pipe-transport.ts';
import { serverEnvironment } from './server-environment.ts';

type Library = typeof import('@modelcontextprotocol/client');

/** The way to a server. */
export interface OpenTransport {
  readonly transport: Transport;
  /** Why it closed by itself. */
  endedBecause(): string | undefined;
  /** The user was sent to a page: waits until they are back. Whether there is a login now. */
  finishLogin(): Promise<boolean>;
}

/** Nothing is started or sent yet. An error says in a sentence why there is no way. */
export function openTransport(
  library: Library,
  { config, cwd }: PlacedServer,
  world: McpWorld,
  watch: TransportWatch,
): OpenTransport {
  const { transport, startupTimeoutMs } = config;
  return transport.kind === 'program'
    ? programPipe(transport, cwd, world, watch.odd)
    : addressStream(library, transport, world, { ...watch, limitMs: startupTimeoutMs });
}

interface TransportWatch {
  /** Ends requests of a login. */
  readonly signal: AbortSignal;
  /** The first line of the server that is no message of the protocol. */
  odd(line: string): void;
  /** A request of a login begins at this host, or has ended. */
  loginAt(host: string | undefined): void;
}

function programPipe(
  program: McpProgramConfig,
  cwd: string,
  world: McpWorld,
  odd: (line: string) => void,
): OpenTransport {
  const { command, args } = program;
  // A path is the user's own choice. A name is looked up, and not where commands could have put something.
  const path = command.includes('/') ? resolve(program.cwd ?? cwd, command) : world.findProgram(command);
  if (path === undefined) throw new Error(`the program ${JSON.stringify(command)} was not found`);
  const env = serverEnvironment(program, { ...world.env, PATH: world.searchPath() });
  const { sandbox } = program;
  const start = sandbox === undefined ? world.startProcess : startConfined(world, { sandbox, cwd });
  // Programs load code from the folder that they start in, and in that of the thread commands may have put some.
  const folder = program.cwd ?? (sandbox === undefined ? world.programFolder() : cwd);
  const transport = new PipeTransport({ argv: [path, ...args], cwd: folder, env }, start, odd);
  endOnFlood(transport, (why) => transport.end(why));
  return { transport, endedBecause: () => transport.ended?.why, finishLogin: () => Promise.resolve(false) };
}

function startConfined(world: McpWorld, where: Parameters<McpWorld['confine']>[1]): StartServerProcess {
  return async (command, watch) => {
    const confined = await world.confine(command, where);
    if ('code' in confined) {
      const reason = `its sandbox ${JSON.stringify(where.sandbox)} cannot be used: ${confined.message}`;
      return { kind: 'not-started', reason };
    }
    return world.startProcess(confined, watch);
  };
}

/** A login of the user's, where one is kept or can be made. A token or a header of the configuration comes first. */
function loginFor(address: McpAddressConfig, world: McpWorld): LoginSession | undefined {
  const { visitor, credentials: store, env, random } = world;
  if (configuredToken(address) !== undefined) return undefined;
  if (visitor === undefined && store.read(address.url).tokens === undefined) return undefined;
  const { clientSecretVariable } = address.oauth;
  const clientSecret = clientSecretVariable === undefined ? undefined : env[clientSecretVariable];
  return new LoginSession({ address, store, random, ...defined({ visitor, clientSecret }) });
}

function addressStream(
  library: Library,
  address: McpAddressConfig,
  world: McpWorld,
  watch: Omit<TransportWatch, 'odd'> & { readonly limitMs: number },
): OpenTransport {
  const { env } = world;
  const { url, bearerTokenVariable, headerVariables } = address;
  const token = bearerTokenVariable === undefined ? undefined : env[bearerTokenVariable]?.trim();
  if (bearerTokenVariable !== undefined && !token) throw new Error(`the variable ${bearerTokenVariable} is not set`);
  const named = Object.entries(headerVariables).flatMap(([header, variable]) => {
    const value = env[variable]?.trim();
    return value === undefined || value === '' ? [] : [[header, value] as const];
  });
  const headers = {
    ...address.headers,
    ...Object.fromEntries(named),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  const login = loginFor(address, world);
  const transport = new library.StreamableHTTPClientTransport(new URL(url), {
    ...defined({ authProvider: login }),
    // Not as `requestInit`: the library sends that to the servers of a login, too.
    fetch: withLogin(fetchFor(url, headers), login, watch),
    reconnectionOptions: {
      maxReconnectionDelay: 5000,
      initialReconnectionDelay: 500,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
  });
  const finishLogin = async (): Promise<boolean> => {
    const back = await login?.broughtBack();
    if (back === undefined) return false;
    await transport.finishAuth(back);
    return true;
  };
  let ended: string | undefined;
  endOnFlood(transport, (why) => {
    ended = why;
    void transport.close();
  });
  return { transport, endedBecause: () => ended, finishLogin };
}

/**
 * Bounds the requests of a login, which the library sends without a signal: they are for tokens, clients and metadata,
 * and an authorization server that never answers must not keep a start or the whole process waiting.
 */
function withLogin(
  send: typeof boundedFetch,
  login: LoginSession | undefined,
  { signal, limitMs, loginAt }: Omit<TransportWatch, 'odd'> & { readonly limitMs: number },
): typeof boundedFetch {
  return async (input, init = {}) => {
    if (init.signal) return send(input, init);
    const { host } = new URL(input);
    const limit = AbortSignal.timeout(limitMs);
    const stop = AbortSignal.any([signal, limit]);
    const whole = async (): Promise<Response> => readWhole(await send(input, { ...init, signal: stop }));
    const { body } = init;
    const isRenewal = body instanceof URLSearchParams && body.get('grant_type') === 'refresh_token';
    loginAt(host);
    try {
      return await (isRenewal && login !== undefined
        ? login.renew(body, () => whole().catch(lateAt(host)), stop)
        : whole().catch(lateAt(host)));
    } finally {
      loginAt(undefined);
    }
  };

  function lateAt(host: string): (error: unknown) => never {
    return (error) => {
      if (error instanceof Error && error.name === 'TimeoutError')
        throw new UnreachableServer(
          `its login server ${host} did not answer within ${limitMs / 1000} s`,
          'Try again later.',
          { cause: error },
        );
      throw error;
    };
  }
}

/** Reads all of an answer, so that its end is waited for under the same limit as its beginning. */
async function readWhole(response: Response): Promise<Response> {
  const bytes = await response.arrayBuffer();
  const whole = new Response(bytes.byteLength === 0 ? null : bytes, response);
  Object.defineProperty(whole, 'url', { value: response.url });
  Object.defineProperty(whole, 'redirected', { value: response.redirected });
  return whole;
}
