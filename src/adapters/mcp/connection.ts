import type { McpServerConfig } from '../../core/config/servers/mcp-servers.ts';
import { formatTomlKey } from '../../core/config/toml/toml-key.ts';
import type { McpAnswer, McpCallOptions, McpElicitation, McpElicitationAnswer } from '../../ports/mcp-servers.ts';
import { valueOrAbort } from '../../protocol/abort.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import { isJsonObject, type Json, type JsonObject, mostLevels, nestsDeeperThan } from '../../protocol/json.ts';
import { type Outcome, endWithFullStop } from '../../protocol/outcome.ts';
import { quoteShellCommand } from '../../protocol/shell.ts';
import {
  configuredToken,
  describeSchemaFault,
  explainCallFailure,
  findLoginProblem,
  findUnreachableServer,
  isLostConnection,
  isUnauthorized,
  loginRequiredMessage,
  requestedElicitations,
} from './call-failure.ts';
import { serverSecretHider } from './credential-store.ts';
import type { ServerListing } from './listed-tools.ts';
import { EndlessListError, listTools, openClient, type OpenClient } from './open-client.ts';
import type { McpClientPorts, ServerWithFolder } from './open-transport.ts';
import { AsyncLocalStorage } from 'node:async_hooks';

/** Runs a call on a connected server. `began`: reports the id of the task that continues it. */
type WithClient = (open: OpenClient, signal: AbortSignal, began: (taskId: string) => void) => Promise<JsonObject>;
/** The call being worked on: messages on its response stream belong to it. */
const callAtHand = new AsyncLocalStorage<McpCallOptions>();

type Started =
  | { readonly kind: 'open'; readonly open: OpenClient }
  | { readonly kind: 'failed'; readonly why: string; readonly next: string | undefined };

const mostLogins = 3;
const userPatienceMs = 300_000;
/** After a faster failure the next process waits for the server again: that costs it little. */
const longStartMs = 3000;
/** After this many list changes in one connection the server is no longer asked. */
const mostChanges = 100;

/** One server: started on first use, restarted when it is gone, until closed. */
export class McpConnection {
  readonly server: ServerWithFolder;
  #listing: ServerListing | undefined;
  #problem: Outcome | undefined;
  readonly #world: McpClientPorts;
  readonly #closing = new AbortController();
  /** Running calls with their tasks, the newest last: a server's question is about one of them. */
  readonly #calls = new Map<McpCallOptions, Set<string>>();
  readonly #listeners = new Set<() => void>();
  #starting: Promise<Started> | undefined;
  #open: OpenClient | undefined;
  #wasOpen = false;
  #hasFailed = false;
  #changes = 0;
  #isListing = false;
  #isStale = false;

  constructor(server: ServerWithFolder, world: McpClientPorts) {
    this.server = server;
    this.#world = world;
    this.#listing = world.listings.read(server.config);
    const failed = this.#listing === undefined ? world.listings.failure(server.config) : undefined;
    if (failed?.isQuick === false) this.#problem = notStartedBefore(server.config.name, failed.why);
  }

  /** The server's last listing, from this process or an earlier one. Absent: never seen. */
  get listing(): ServerListing | undefined {
    return this.#listing;
  }
  /** Why the last start failed, in this process or, if it took long, in an earlier one. */
  get problem(): Outcome | undefined {
    return this.#problem;
  }

  get isSeen(): boolean {
    return this.#wasOpen || this.#hasFailed;
  }

  get oddTools(): Outcome | undefined {
    const names = this.#open?.malformed ?? [];
    return names.length === 0 ? undefined : malformedTools(this.server.config.name, names);
  }

  /** Calls the listener when the listing changes. Returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Starts the server if it does not run. Never rejects. */
  start(): Promise<Started> {
    if (this.#open !== undefined) return Promise.resolve({ kind: 'open', open: this.#open });
    return (this.#starting ??= this.#begin().finally(() => (this.#starting = undefined)));
  }

  async #begin(): Promise<Started> {
    const { name, startupTimeoutMs } = this.server.config;
    const began = this.#world.clock.now();
    const late = new AbortController();
    let [odd, loginHost]: (string | undefined)[] = [];
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const limit = (milliseconds: number, why: () => string): void => {
      clearTimeout(timer);
      if (!isOver) timer = setTimeout(() => late.abort(new Error(why())), milliseconds);
    };
    const limitServer = (): void =>
      limit(startupTimeoutMs, () => {
        const who = loginHost === undefined ? 'it' : `its login server ${loginHost}`;
        return `${who} did not answer within ${startupTimeoutMs / 1000} s${oddWords(odd)}`;
      });
    limitServer();
    const { visitor } = this.#world;
    const visit = (page: URL): Promise<URLSearchParams> => {
      limit(userPatienceMs, () => `no one came back from the login page within ${userPatienceMs / 60_000} minutes`);
      return visitor!.visit(page).finally(limitServer);
    };
    const signal = AbortSignal.any([this.#closing.signal, late.signal]);
    try {
      const world = visitor === undefined ? this.#world : { ...this.#world, visitor: { ...visitor, visit } };
      const opening = openClient(this.server, world, {
        signal,
        elicit: (asked, taskId) => this.#elicit(asked, taskId),
        closed: () => this.#lost(),
        odd: (line) => (odd = this.#shown(line)),
        loginAt: (host) => (loginHost = host),
        toolsChanged: () => void this.#listAgain(),
      });
      const open = await valueOrAbort(opening, signal, undefined);
      if (open === undefined) {
        void opening.then(({ client }) => client.close()).catch(() => {});
        throw signal.reason;
      }
      this.#open = open;
      this.#wasOpen = true;
      this.#problem = undefined;
      this.#world.listings.forgetFailure(this.server.config);
      this.#learn(open.listing);
      return { kind: 'open', open };
    } catch (error) {
      this.#hasFailed = true;
      const wantsLogin = isUnauthorized(error);
      const reason: unknown = late.signal.aborted ? late.signal.reason : error;
      const why = wantsLogin ? loginRequiredMessage(this.server.config) : firstLine(this.#shown(reasonOf(reason)));
      const found = reason instanceof EndlessListError ? reason : undefined;
      const next = (found ?? findUnreachableServer(reason) ?? findLoginProblem(reason))?.next;
      this.#problem = wantsLogin ? notLoggedIn(this.server.config) : notStarted(name, why, next);
      const isLong = late.signal.aborted || this.#world.clock.now() - began >= longStartMs;
      const failure = { why: wantsLogin ? whyNoLogin(this.server.config) : why, isQuick: !isLong || wantsLogin };
      if (!this.#closing.signal.aborted) this.#world.listings.writeFailure(this.server.config, failure);
      return { kind: 'failed', why, next };
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  #learn(listing: ServerListing): void {
    if (JSON.stringify(listing) === JSON.stringify(this.#listing)) return;
    this.#listing = listing;
    this.#world.listings.write(this.server.config, listing);
    for (const listener of this.#listeners) listener();
  }

  /** One request at a time: changes reported meanwhile share the next one. */
  async #listAgain(): Promise<void> {
    this.#isStale = true;
    if (this.#isListing) return;
    this.#isListing = true;
    while (this.#isStale) {
      this.#isStale = false;
      await this.#listOnce();
    }
    this.#isListing = false;
  }

  async #listOnce(): Promise<void> {
    const open = this.#open;
    this.#changes += 1;
    if (open === undefined || this.#changes > mostChanges) return;
    const options = { signal: this.#closing.signal, timeout: this.server.config.startupTimeoutMs };
    const found = await listTools(open.client, options).catch(() => undefined);
    if (found === undefined || this.#open !== open) return;
    this.#open = { ...open, ...found };
    this.#learn(found.listing);
  }

  /** Removes secrets from a text that Capstan shows, keeps in threads and gives to the model. */
  get #shown(): (text: string) => string {
    const { config } = this.server;
    const { env, credentials: store } = this.#world;
    const credentials = config.transport.kind === 'address' ? store.read(config.transport.url) : {};
    return serverSecretHider(config, { env, credentials });
  }

  #lost(): void {
    this.#open = undefined;
    this.#changes = 0;
  }

  /**
   * A question goes to the call identified by its task or response stream. Over pipes neither is known, so the newest
   * call gets it. Without a running call, Capstan declines the question.
   */
  async #elicit(asked: McpElicitation, taskId: string | undefined): Promise<McpElicitationAnswer> {
    const calls = [...this.#calls];
    const ofTask = taskId === undefined ? undefined : calls.find(([, tasks]) => tasks.has(taskId))?.[0];
    const atHand = callAtHand.getStore();
    const call = ofTask ?? (atHand !== undefined && this.#calls.has(atHand) ? atHand : calls.at(-1)?.[0]);
    return call?.elicit === undefined ? { action: 'decline' } : call.elicit(asked);
  }

  /**
   * Does something with the server, (re)starting it if needed. If the connection is lost meanwhile, it is repeated
   * once, and only if that does no harm. Never rejects.
   */
  async use(
    what: WithClient,
    ways: McpCallOptions,
    { isRepeatable }: { readonly isRepeatable: boolean },
  ): Promise<McpAnswer> {
    const { name } = this.server.config;
    let losses = 0;
    let visits = 0;
    for (let attempt = 0; ; attempt++) {
      const isAgain = this.#wasOpen && this.#open === undefined;
      if (isAgain) ways.warn(startedAgain(name));
      const started = await valueOrAbort(this.start(), ways.signal, undefined);
      if (started === undefined) return { kind: 'failed', why: 'the turn was interrupted.' };
      if (started.kind === 'failed') return { kind: 'failed', why: `the server could not be started: ${started.why}.` };
      const { open } = started;
      const tasks = new Set<string>();
      this.#calls.set(ways, tasks);
      try {
        const signal = AbortSignal.any([ways.signal, this.#closing.signal]);
        const began = (taskId: string): void => void tasks.add(taskId);
        const result = await callAtHand.run(ways, () => what(open, signal, began));
        if (nestsDeeperThan(mostLevels, result)) return { kind: 'failed', why: tooDeep };
        return { kind: 'result', result: result['isError'] === true ? membersWithTexts(result, this.#shown) : result };
      } catch (error) {
        if (ways.signal.aborted) return { kind: 'failed', why: 'the turn was interrupted.' };
        if (isUnauthorized(error) && attempt < mostLogins && (await open.finishLogin().catch(() => false))) continue;
        const pages = requestedElicitations(error, name);
        if (pages.length > 0 && visits++ === 0 && (await hasVisited(pages, ways))) continue;
        if (!isLostConnection(error, this.#open !== open))
          return { kind: 'failed', why: explainCallFailure(error, this.server.config, this.#shown) };
        if (this.#open === open) await open.client.close().catch(() => {});
        this.#lost();
        if (!isRepeatable || losses++ > 0) {
          const why = `the server was lost while the call was under way: ${this.#shown(open.endedBecause())}. What the call did is unknown.`;
          return { kind: 'failed', why };
        }
      } finally {
        this.#calls.delete(ways);
      }
    }
  }

  /** Ends the server. Never rejects. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('it was closed'));
    await this.#starting;
    const open = this.#open;
    this.#open = undefined;
    await open?.client.close().catch(() => {});
  }
}

function withTexts(value: Json, shown: (text: string) => string): Json {
  if (typeof value === 'string') return shown(value);
  if (Array.isArray(value)) return value.map((member: Json) => withTexts(member, shown));
  return isJsonObject(value) ? membersWithTexts(value, shown) : value;
}

function membersWithTexts(value: JsonObject, shown: (text: string) => string): JsonObject {
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, member]) => [key, member && withTexts(member, shown)]));
}

const tooDeep = `the server answered, but its result has more than ${mostLevels} levels of lists and objects and cannot be read.`;

function notStarted(name: string, why: string, advice: string | undefined): Outcome {
  const message = `The MCP server ${JSON.stringify(name)} did not start: ${endWithFullStop(why)}`;
  const check = `Check ${formatTomlKey(['mcp_servers', name])} in your config.toml, or set its enabled to false.`;
  return { code: 'mcp-server-not-started', message, next: advice ?? check };
}

function notStartedBefore(name: string, why: string): Outcome {
  const message = `The MCP server ${JSON.stringify(name)} did not start in an earlier run: ${why}. Capstan tries it again, but does not wait for it.`;
  const next = `Check ${formatTomlKey(['mcp_servers', name])} in your config.toml. After \`capstan mcp get ${quoteShellCommand([name])}\` the next run waits for it again.`;
  return { code: 'mcp-server-not-started', message, next };
}

/** A program that is no MCP server often says so on its output. */
const oddWords = (line: string | undefined): string =>
  line === undefined ? '' : `, and wrote ${JSON.stringify(line.slice(0, 100))}, which is no message of MCP`;

async function hasVisited(pages: readonly McpElicitation[], { elicit }: McpCallOptions): Promise<boolean> {
  for (const page of pages) if ((await elicit?.(page))?.action !== 'accept') return false;
  return true;
}

/** The rest is a long list of faults. */
function firstLine(reason: string): string {
  const [line = ''] = reason.split('\n', 1);
  // Cut first: the pattern could begin at each of these characters.
  return line.slice(0, 500).replace(/[:.\s[{]+$/, '');
}

function malformedTools(name: string, tools: readonly string[]): Outcome {
  const shown = tools.slice(0, 10).map((tool) => JSON.stringify(tool.slice(0, 64)));
  const more = tools.length > 10 ? ` and ${tools.length - 10} more` : '';
  const message = `The MCP server ${JSON.stringify(name)} lists tools that are malformed or too large: ${shown.join(', ')}${more}. They are left out; the others work.`;
  return { code: 'mcp-tools-malformed', message, next: 'Report this to the maker of the server.' };
}

/** Unwraps library errors to find an unreachable server or a failed login. Malformed answers give a list of faults. */
function reasonOf(error: unknown): string {
  const found = findUnreachableServer(error) ?? findLoginProblem(error) ?? error;
  const words = messageOfThrown(found).trim();
  const wrong = describeSchemaFault(words);
  if (wrong !== undefined) return `it sent an answer of the wrong form (${wrong})`;
  return words === '' ? 'the connection failed for a reason that is not known' : words;
}

function notLoggedIn(config: McpServerConfig): Outcome {
  const message = `The MCP server ${JSON.stringify(config.name)} did not start: ${whyNoLogin(config)}.`;
  const token = configuredToken(config.transport);
  const next = token ? `Correct the token in ${token}.` : `Run: capstan mcp login ${quoteShellCommand([config.name])}`;
  return { code: 'mcp-login-needed', message, next };
}

function whyNoLogin(config: McpServerConfig): string {
  const token = configuredToken(config.transport);
  return token === undefined ? 'it wants a login' : `it rejected the token in ${token}`;
}

function startedAgain(name: string): Outcome {
  const message = `The MCP server ${JSON.stringify(name)} has ended and is started again.`;
  return { code: 'mcp-server-restarted', message, next: 'Nothing needs to be done.' };
}

/** Servers shared by the threads of one engine: equal configuration in the same folder is one server. */
export class ServerPool {
  readonly #world: McpClientPorts;
  readonly #shared = new Map<string, { readonly connection: McpConnection; users: number }>();

  constructor(world: McpClientPorts) {
    this.#world = world;
  }

  /** Starts nothing yet. Release it as often as it is taken. */
  take(server: ServerWithFolder): McpConnection {
    const key = keyOf(server);
    const shared = this.#shared.get(key) ?? { connection: new McpConnection(server, this.#world), users: 0 };
    shared.users += 1;
    this.#shared.set(key, shared);
    return shared.connection;
  }

  /** Ends the server when no thread uses it any more. Never rejects. */
  async release(connection: McpConnection): Promise<void> {
    const key = keyOf(connection.server);
    const shared = this.#shared.get(key);
    if (shared?.connection !== connection) return;
    shared.users -= 1;
    if (shared.users > 0) return;
    this.#shared.delete(key);
    await connection.close();
  }
}

const keyOf = ({ config, cwd }: ServerWithFolder): string => JSON.stringify([config, cwd]);
