import { defined } from '../../base/objects.ts';
import type { McpAddressConfig, McpProgramConfig, McpServerConfig } from '../../core/config/servers/mcp-servers.ts';
import type { StartServerProcess } from '../../ports/mcp-servers.ts';
import type { PlainCommand, RunnableCommand } from '../../ports/sandbox.ts';
import type { Clock } from '../../ports/system.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Variables } from '../../protocol/shell.ts';
import { type boundedFetch, fetchForServer, UnreachableServer } from './bounded-fetch.ts';
import { configuredToken } from './call-failure.ts';
import type { CredentialStore } from './credential-store.ts';
import type { ListingFiles } from './listing-file.ts';
import { LoginSession, type LoginVisitor } from './oauth-login.ts';
import { PipeTransport } from './pipe-transport.ts';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { resolve } from 'node:path';

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
  world: McpHost,
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
  world: McpHost,
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

function startConfined(world: McpHost, where: Parameters<McpHost['confine']>[1]): StartServerProcess {
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
function loginFor(address: McpAddressConfig, world: McpHost): LoginSession | undefined {
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
  world: McpHost,
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
    fetch: withLogin(fetchForServer(url, headers), login, watch),
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

/** So many requests of a server may wait for our answer. */
const mostWaiting = 1000;
/** An id may have any length, and is kept until then: a long one counts as several. */
const idCharacters = 1000;

/**
 * Has `end` called when the server sends requests and waits for no answer: each one is held until its answer has
 * left. To be called before the transport is given to a client.
 */
export function endOnFlood(transport: Transport, end: (why: string) => void): void {
  const waiting = new Map<unknown, number>();
  /** Those whose answer is on its way: the server can take them back no longer. */
  const answered = new Set<unknown>();
  let weight = 0;
  let isOver = false;
  const forget = (id: unknown): void => {
    weight -= waiting.get(id) ?? 0;
    waiting.delete(id);
    answered.delete(id);
  };
  const send = transport.send.bind(transport);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the interface of the library
  transport.onmessage = (message: JSONRPCMessage) => {
    if (!('method' in message)) return;
    if (!('id' in message)) {
      // One that the server takes back is not answered.
      const id = message.method === 'notifications/cancelled' ? message.params?.['requestId'] : undefined;
      if (!answered.has(id)) forget(id);
      return;
    }
    const own = 1 + Math.floor(String(message.id).length / idCharacters);
    weight += own;
    // An answer takes off one of those that share an id: nothing tells them apart.
    waiting.set(message.id, own);
    if (isOver || weight <= mostWaiting) return;
    isOver = true;
    end(`it sent more than ${mostWaiting} requests that have no answer yet`);
  };
  transport.send = async (message, options) => {
    if ('method' in message) return send(message, options);
    answered.add(message.id);
    await send(message, options).finally(() => forget(message.id));
  };
}

/** What connections to servers need of the engine. */
export interface McpHost {
  readonly clock: Clock;
  readonly env: Variables;
  /** Who we are, for servers. */
  readonly client: { readonly name: string; readonly version: string };
  readonly startProcess: StartServerProcess;
  /** Isolates a server's process. `sandbox`: the mode or profile that the configuration names; `cwd`: the thread's folder. */
  confine(
    command: PlainCommand,
    where: { readonly sandbox: string; readonly cwd: string },
  ): Promise<RunnableCommand | Outcome>;
  /** Where a program is that the user names; undefined where it is not, or where commands could have put it there. */
  findProgram(name: string): string | undefined;
  /** The search path for programs, without folders that commands may write. */
  searchPath(): string;
  /** The folder that programs start in: no command may write there. */
  programFolder(): string;
  readonly listings: ListingFiles;
  readonly credentials: CredentialStore;
  /** Text that no one can guess. */
  random(): string;
  /** Sends the user to the page of a login. Absent: no one is asked, and a server that wants a login fails. */
  readonly visitor?: LoginVisitor;
}

/** A server, and the folder of the thread, which it works on. */
export interface PlacedServer {
  readonly config: McpServerConfig;
  readonly cwd: string;
}

/** What any program needs to find its files, its language and the certificates of its network. */
const base = `
  HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
  NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE
  XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
`
  .trim()
  .split(/\s+/);

/** A server gets this and no more: variables with keys go only to those whose configuration names them. */
export function serverEnvironment(
  { env, passed }: Pick<McpProgramConfig, 'env' | 'passed'>,
  ours: Variables,
): Readonly<Record<string, string>> {
  const given = [...base, ...passed].flatMap((name) => {
    const value = ours[name];
    return value === undefined || name.startsWith('CAPSTAN_') ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), ...env };
}
