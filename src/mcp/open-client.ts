import { pathToFileURL } from 'node:url';
import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { McpElicitation, McpElicited } from '../ports/mcp-servers.ts';
import { type JsonObject, mostLevels, nestsDeeperThan } from '../protocol/json.ts';
import { type AllTools, listAllTools, mostPages } from './list-all-tools.ts';
import { isTooLarge } from './huge-schemas.ts';
import { readListing, type ServerListing } from './listed-tool.ts';
import type { McpWorld, PlacedServer } from './mcp-world.ts';
import { wantsTask } from './call-as-task.ts';
import { elicitedPage } from './elicited-page.ts';
import { isUnauthorized } from './call-failure.ts';
import { type OpenTransport, openTransport } from './open-transport.ts';

type Library = typeof import('@modelcontextprotocol/client');

/** A connection that is open. */
export interface OpenClient {
  readonly client: Client;
  readonly listing: ServerListing;
  /** Schemas as the server wrote them, by the raw name of the tool. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** Raw names of tools that are called as tasks. */
  readonly tasks: ReadonlySet<string>;
  /** Tools that were left out, by name. */
  readonly malformed: readonly string[];
  /** Why the connection ended by itself. */
  endedBecause(): string;
  /** The server wants a login, and the user was sent to a page: waits for them. Whether there is a login now. */
  finishLogin(): Promise<boolean>;
}

export interface ClientWatch {
  readonly signal: AbortSignal;
  /** The server wants to know something of the user. `taskId`: the task that it says the question is about. */
  elicit(asked: McpElicitation, taskId: string | undefined): Promise<McpElicited>;
  closed(): void;
  /** The first line of the server that is no message of the protocol. */
  odd(line: string): void;
  /** A request of a login begins at this host, or has ended. */
  loginAt(host: string | undefined): void;
  toolsChanged(): void;
}

/** How often the user is sent to a page before a server is given up. */
const mostLogins = 3;

/** Connects and asks what there is. Rejects with an error whose message says why not. */
export async function openClient(server: PlacedServer, world: McpWorld, watch: ClientWatch): Promise<OpenClient> {
  const library = await import('@modelcontextprotocol/client');
  for (let logins = 0; ; logins++) {
    const way = openTransport(library, server, world, watch);
    const client = clientFor(library, server, world, watch);
    try {
      return await connect(client, way, server, watch);
    } catch (error) {
      const ended = way.endedBecause();
      if (ended !== undefined) throw new Error(ended, { cause: error });
      if (!isUnauthorized(error) || logins >= mostLogins || !(await way.finishLogin())) throw error;
    } finally {
      if (client.transport !== undefined && !opened.has(client)) await client.close().catch(() => {});
    }
  }
}

/** Those that someone has. */
const opened = new WeakSet<Client>();

async function connect(
  client: Client,
  way: OpenTransport,
  { config }: PlacedServer,
  watch: ClientWatch,
): Promise<OpenClient> {
  const options = { timeout: config.startupTimeoutMs, signal: watch.signal };
  await client.connect(way.transport, options);
  const found = await listTools(client, options);
  Object.assign(client, { onclose: () => watch.closed() });
  opened.add(client);
  const endedBecause = (): string => way.endedBecause() ?? 'the connection was closed';
  return { client, ...found, endedBecause, finishLogin: () => way.finishLogin() };
}

function clientFor(library: Library, { config, cwd }: PlacedServer, world: McpWorld, watch: ClientWatch): Client {
  const isProgram = config.transport.kind === 'program';
  const client = new library.Client(world.client, {
    capabilities: { elicitation: { form: { applyDefaults: true }, url: {} }, ...(isProgram ? { roots: {} } : {}) },
    // Schemas of strangers are not compiled: the model judges what comes back.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
    versionNegotiation: { mode: isProgram ? 'legacy' : 'auto' },
    listMaxPages: mostPages,
    listChanged: { tools: { autoRefresh: false, onChanged: () => watch.toolsChanged() } },
  });
  client.setRequestHandler('elicitation/create', (request) => answerElicitation(config.name, request, watch));
  if (isProgram) client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(cwd).href }] }));
  return client;
}

/** All pages, as far as tools are of use. */
export async function listTools(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Pick<OpenClient, 'listing' | 'schemas' | 'tasks' | 'malformed'>> {
  const capabilities = client.getServerCapabilities() ?? {};
  const none: AllTools = { tools: [], malformed: [] };
  const { tools, malformed } = capabilities.tools === undefined ? none : await listAllTools(client, options);
  const raw = tools.filter((tool) => !isTooLarge(tool));
  const tooLarge = tools.filter(isTooLarge).map((tool) => String(tool['name']));
  const instructions = client.getInstructions();
  const about = {
    hasResources: capabilities.resources !== undefined,
    ...(instructions === undefined ? {} : { instructions }),
  };
  const listing = readListing(raw, about);
  const schemas = new Map(raw.map((tool) => [String(tool['name']), tool['inputSchema'] as JsonObject] as const));
  const tasks = new Set(raw.filter(wantsTask).map((tool) => String(tool['name'])));
  return { listing, schemas, tasks, malformed: [...malformed, ...tooLarge] };
}

const declined: ElicitResult = { action: 'decline' };

async function answerElicitation(server: string, { params }: ElicitRequest, watch: ClientWatch): Promise<ElicitResult> {
  const { message } = params;
  const task = (params._meta ?? {})['io.modelcontextprotocol/related-task'] as
    | { readonly taskId?: unknown }
    | undefined;
  const taskId = typeof task?.taskId === 'string' ? task.taskId : undefined;
  if (params.mode === 'url') {
    const url = elicitedPage(params.url);
    return url === undefined ? declined : ((await watch.elicit({ server, message, url }, taskId)) as ElicitResult);
  }
  const schema = params.requestedSchema as unknown as JsonObject;
  return nestsDeeperThan(mostLevels, schema)
    ? declined
    : ((await watch.elicit({ server, message, schema }, taskId)) as ElicitResult);
}
