import { words } from '../../core/config/keys/key-kinds.ts';
import type { McpAddressConfig, McpProgramConfig, McpServerConfig } from '../../core/config/servers/mcp-servers.ts';
import type { StartServerProcess } from '../../ports/mcp-servers.ts';
import type { PlainCommand, RunnableCommand } from '../../ports/sandbox.ts';
import type { Clock } from '../../ports/system.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { type boundedFetch, createServerFetch, withOtherBody, UnreachableServer } from './bounded-fetch.ts';
import { configuredToken } from './call-failure.ts';
import type { CredentialStore } from './credential-store.ts';
import type { ListingFiles } from './listing-file.ts';
import { LoginSession, type LoginBrowser } from './oauth-login.ts';
import { PipeTransport } from './pipe-transport.ts';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { resolve } from 'node:path';

type Library = typeof import('@modelcontextprotocol/client');

export interface OpenTransport {
  readonly transport: Transport;
  endedBecause(): string | undefined;
  /** Waits for the user, who was sent to a login page. Resolves to whether there is a login now. */
  finishLogin(): Promise<boolean>;
}

/** Neither starts a program nor sends anything yet. An error says in a sentence why the server cannot be reached. */
export function openTransport(
  library: Library,
  { config, cwd }: ServerWithFolder,
  world: McpClientPorts,
  watch: TransportWatch,
): OpenTransport {
  const { transport, startupTimeoutMs } = config;
  return transport.kind === 'program'
    ? programPipe(transport, cwd, world, watch.odd)
    : addressStream(library, transport, world, { ...watch, limitMs: startupTimeoutMs });
}

export interface TransportWatch {
  readonly signal: AbortSignal;
  /** Reports the server's first line that is not a protocol message. */
  odd(line: string): void;
  /** A login request to this host begins; undefined: it has ended. */
  loginAt(host: string | undefined): void;
}

function programPipe(
  program: McpProgramConfig,
  cwd: string,
  world: McpClientPorts,
  odd: (line: string) => void,
): OpenTransport {
  const { command, args } = program;
  // A path is the user's own choice. A name is searched for, except where commands could have placed a program.
  const path = command.includes('/') ? resolve(program.cwd ?? cwd, command) : world.findProgram(command);
  if (path === undefined) throw new Error(`the program ${JSON.stringify(command)} was not found`);
  const env = serverEnvironment(program, { ...world.env, PATH: world.searchPath() });
  const { sandbox } = program;
  const start = sandbox === undefined ? world.startProcess : startConfined(world, { sandbox, cwd });
  // Programs load code from their working folder, and commands may have put some into the thread's.
  const folder = program.cwd ?? (sandbox === undefined ? world.programFolder() : cwd);
  const transport = new PipeTransport({ argv: [path, ...args], cwd: folder, env }, start, odd);
  endOnFlood(transport, (why) => transport.end(why));
  return { transport, endedBecause: () => transport.ended, finishLogin: () => Promise.resolve(false) };
}

const startConfined =
  (world: McpClientPorts, where: Parameters<McpClientPorts['confine']>[1]): StartServerProcess =>
  async (command, watch) => {
    const confined = await world.confine(command, where);
    if ('code' in confined) {
      const reason = `its sandbox ${JSON.stringify(where.sandbox)} cannot be used: ${confined.message}`;
      return { kind: 'not-started', reason };
    }
    return world.startProcess(confined, watch);
  };

/** The user's login, if one is stored or can be made. A configured token or header wins over it. */
function loginFor(address: McpAddressConfig, world: McpClientPorts): LoginSession | undefined {
  const { visitor, credentials: store, env, random } = world;
  if (configuredToken(address) !== undefined) return undefined;
  if (visitor === undefined && store.read(address.url).tokens === undefined) return undefined;
  const { clientSecretVariable } = address.oauth;
  const clientSecret = clientSecretVariable === undefined ? undefined : env[clientSecretVariable];
  return new LoginSession({ address, store, random, visitor, clientSecret });
}

function addressStream(
  library: Library,
  address: McpAddressConfig,
  world: McpClientPorts,
  watch: Omit<TransportWatch, 'odd'> & { readonly limitMs: number },
): OpenTransport {
  const { env } = world;
  const { url, bearerTokenVariable: variable, headerVariables } = address;
  const token = variable === undefined ? undefined : env[variable]?.trim();
  if (variable !== undefined && !token) throw new Error(`the variable ${variable} is not set`);
  const named = Object.entries(headerVariables).map(([header, name]) => [header, env[name]?.trim()] as const);
  const bearer = token !== undefined && { Authorization: `Bearer ${token}` };
  const headers = { ...address.headers, ...Object.fromEntries(named.filter(([, value]) => value)), ...bearer };
  const login = loginFor(address, world);
  const transport = new library.StreamableHTTPClientTransport(new URL(url), {
    authProvider: login,
    // Not through `requestInit`, which the library also sends to login servers.
    fetch: withLogin(createServerFetch(url, headers), login, watch),
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
 * Limits login requests (tokens, clients, metadata), which the library sends without a signal: an authorization server
 * that never answers must not block a start or the whole process.
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
    const inTime = (): Promise<Response> => whole().catch(lateAt(host));
    const { body } = init;
    const isRenewal = body instanceof URLSearchParams && body.get('grant_type') === 'refresh_token';
    loginAt(host);
    try {
      return await (isRenewal && login !== undefined ? login.renew(body, inTime, stop) : inTime());
    } finally {
      loginAt(undefined);
    }
  };

  function lateAt(host: string): (error: unknown) => never {
    return (error) => {
      if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
      const why = `its login server ${host} did not answer within ${limitMs / 1000} s`;
      throw new UnreachableServer(why, 'Try again later.', { cause: error });
    };
  }
}

/** Reads the whole answer, so that one time limit covers all of it. */
async function readWhole(response: Response): Promise<Response> {
  const bytes = await response.arrayBuffer();
  return withOtherBody(response, bytes.byteLength === 0 ? null : bytes);
}

/** Limit of the server's requests that wait for our answer. */
const mostWaiting = 1000;
/** Pending ids are kept and may have any length, so a long one counts as several. */
const idCharacters = 1000;

/**
 * Calls `end` when the server sends requests without waiting for answers; each is held until its answer has left. Call
 * this before the transport is given to a client.
 */
export function endOnFlood(transport: Transport, end: (why: string) => void): void {
  const waiting = new Map<unknown, number>();
  /** Answers on their way: the server can no longer cancel these requests. */
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
      const id = message.method === 'notifications/cancelled' ? message.params?.['requestId'] : undefined;
      if (!answered.has(id)) forget(id);
      return;
    }
    const own = 1 + Math.floor(String(message.id).length / idCharacters);
    weight += own;
    // If requests share an id, the first answer removes the newest; the others count until the end.
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

export interface McpClientPorts {
  readonly clock: Clock;
  readonly env: EnvironmentVariables;
  /** Our identity for servers. */
  readonly client: { readonly name: string; readonly version: string };
  readonly startProcess: StartServerProcess;
  /** Isolates a server's process. `sandbox`: the configured mode or profile; `cwd`: the thread's folder. */
  confine(
    command: PlainCommand,
    where: { readonly sandbox: string; readonly cwd: string },
  ): Promise<RunnableCommand | Outcome>;
  /** The place of a program that the user names; undefined if it is missing or commands could have put it there. */
  findProgram(name: string): string | undefined;
  /** Leaves out folders that commands may write. */
  searchPath(): string;
  /** Working folder of programs; no command may write it. */
  programFolder(): string;
  readonly listings: ListingFiles;
  readonly credentials: CredentialStore;
  random(): string;
  /** Sends the user to a login page. Absent: no one is asked, and a server that wants a login fails. */
  readonly visitor?: LoginBrowser;
}

/** `cwd` is the folder of the thread. */
export type ServerWithFolder = { readonly config: McpServerConfig; readonly cwd: string };

/** Needed by any program to find its files, its language and its network's certificates. */
const base = words(`
  HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
  NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE
  XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
`);

/** Servers get only these variables: those with keys go only to servers whose configuration names them. */
export function serverEnvironment(
  { env, passed }: Pick<McpProgramConfig, 'env' | 'passed'>,
  ours: EnvironmentVariables,
) {
  const given = [...base, ...passed].flatMap((name) => {
    const value = ours[name];
    return value === undefined || name.startsWith('CAPSTAN_') ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), ...env };
}
