import type { McpElicitation, McpElicitationAnswer } from '../../ports/mcp-servers.ts';
import { arrayAt, isJsonObject, mostLevels, nestsDeeperThan, objectAt, stringAt } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { ErrorWithAdvice } from './bounded-fetch.ts';
import { toShownWebAddress, isUnauthorized } from './call-failure.ts';
import { parseServerListing, type ServerListing } from './listed-tools.ts';
import { openTransport } from './open-transport.ts';
import type { McpClientPorts, OpenTransport, ServerWithFolder, TransportWatch } from './open-transport.ts';
import { hasHugeSchema } from './pipe-transport.ts';
import type { Client, ElicitRequest, ElicitResult, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { pathToFileURL } from 'node:url';

type Library = typeof import('@modelcontextprotocol/client');

export interface OpenClient extends Pick<OpenTransport, 'finishLogin'> {
  readonly client: Client;
  readonly listing: ServerListing;
  /** Schemas as the server wrote them, keyed by the tool's raw name. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** Raw names of tools that are called as tasks. */
  readonly tasks: ReadonlySet<string>;
  readonly malformed: readonly string[];
  endedBecause(): string;
}

export interface ClientWatch extends TransportWatch {
  /** The server asks the user something. `taskId`: the task that it says the question is about. */
  elicit(asked: McpElicitation, taskId: string | undefined): Promise<McpElicitationAnswer>;
  closed(): void;
  toolsChanged(): void;
}

const mostLogins = 3;

/** Connects and lists the tools. Rejects with an error whose message gives the reason. */
export async function openClient(
  server: ServerWithFolder,
  world: McpClientPorts,
  watch: ClientWatch,
): Promise<OpenClient> {
  const library = await import('@modelcontextprotocol/client');
  for (let logins = 0; ; logins++) {
    const way = openTransport(library, server, world, watch);
    const client = clientFor(library, server, world, watch);
    let isOpen = false;
    try {
      const open = await connect(client, way, server.config.startupTimeoutMs, watch);
      isOpen = true;
      return open;
    } catch (error) {
      const ended = way.endedBecause();
      if (ended !== undefined) throw new Error(ended, { cause: error });
      if (!isUnauthorized(error) || logins >= mostLogins || !(await way.finishLogin())) throw error;
    } finally {
      if (client.transport !== undefined && !isOpen) await client.close().catch(() => {});
    }
  }
}

async function connect(client: Client, way: OpenTransport, timeout: number, watch: ClientWatch): Promise<OpenClient> {
  const options = { timeout, signal: watch.signal };
  await client.connect(way.transport, options);
  const found = await listTools(client, options);
  Object.assign(client, { onclose: () => watch.closed() });
  const endedBecause = (): string => way.endedBecause() ?? 'the connection was closed';
  return { client, ...found, endedBecause, finishLogin: () => way.finishLogin() };
}

function clientFor(
  library: Library,
  { config, cwd }: ServerWithFolder,
  world: McpClientPorts,
  watch: ClientWatch,
): Client {
  const isProgram = config.transport.kind === 'program';
  const client = new library.Client(world.client, {
    capabilities: { elicitation: { form: { applyDefaults: true }, url: {} }, ...(isProgram ? { roots: {} } : {}) },
    // Schemas of strangers are not compiled: the model judges the results.
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

export async function listTools(client: Client, options: ListOptions) {
  const { tools: hasTools, resources } = client.getServerCapabilities() ?? {};
  const none: AllTools = { tools: [], malformed: [] };
  const { tools, malformed } = hasTools === undefined ? none : await listAllTools(client, options);
  const raw = tools.filter((tool) => !hasHugeSchema(tool));
  const tooLarge = tools.filter(hasHugeSchema).map((tool) => String(tool['name']));
  const about = { hasResources: resources !== undefined, instructions: client.getInstructions() };
  const listing = parseServerListing(raw, about);
  const schemas = new Map(raw.map((tool) => [String(tool['name']), tool['inputSchema'] as JsonObject] as const));
  const tasks = new Set(raw.filter(wantsTask).map((tool) => String(tool['name'])));
  return { listing, schemas, tasks, malformed: [...malformed, ...tooLarge] };
}

const declined: ElicitResult = { action: 'decline' };

async function answerElicitation(server: string, { params }: ElicitRequest, watch: ClientWatch): Promise<ElicitResult> {
  const { message } = params;
  const task = (params._meta ?? {})['io.modelcontextprotocol/related-task'] as JsonObject | undefined;
  const ask = async (asked: McpElicitation) => (await watch.elicit(asked, stringAt(task, 'taskId'))) as ElicitResult;
  if (params.mode === 'url') {
    const url = toShownWebAddress(params.url);
    return url === undefined ? declined : ask({ server, message, url });
  }
  const schema = params.requestedSchema as unknown as JsonObject;
  return nestsDeeperThan(mostLevels, schema) ? declined : ask({ server, message, schema });
}

type ListOptions = { readonly signal: AbortSignal; readonly timeout: number };
type AllTools = { readonly tools: readonly JsonObject[]; readonly malformed: readonly string[] };
/** A longer list counts as endless. */
const mostPages = 16;

/** The user who configured the server cannot fix that. */
export class EndlessListError extends ErrorWithAdvice {}
const endlessList = `its list of tools does not end after ${mostPages} pages`;
const reportIt = 'Report this to the maker of the server, or set its enabled to false.';

/** Lists all pages. The library refuses a list with one malformed tool; then it is read again without that tool. */
async function listAllTools(client: Client, options: ListOptions): Promise<AllTools> {
  try {
    const { tools } = await client.listTools(undefined, { ...options, cacheMode: 'refresh' });
    return { tools: tools as unknown as readonly JsonObject[], malformed: [] };
  } catch (error) {
    if (isEndless(error)) throw new EndlessListError(endlessList, reportIt, { cause: error });
    const read = options.signal.aborted ? undefined : await readPages(client, options).catch(() => undefined);
    if (read === undefined) throw error;
    const tools = read.filter(isTool);
    if (tools.length === read.length) throw error;
    return { tools, malformed: read.flatMap((tool, at) => (isTool(tool) ? [] : [nameOf(tool, at)])) };
  }
}

const isEndless = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'LIST_PAGINATION_EXCEEDED';

async function readPages(client: Client, options: ListOptions): Promise<readonly Json[] | undefined> {
  const found: Json[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, anyObjectSchema, options);
    const tools = arrayAt(answer, 'tools');
    if (tools === undefined) return undefined;
    found.push(...tools);
    cursor = stringAt(answer, 'nextCursor');
    if (cursor === undefined) return found;
  }
  return undefined;
}

function isTool(value: Json): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { name, description, annotations } = value;
  const isDescribed = description === undefined || typeof description === 'string';
  const isAnnotated = annotations === undefined || isJsonObject(annotations);
  const hasSchema = objectAt(value, 'inputSchema')?.['type'] === 'object';
  return typeof name === 'string' && isDescribed && isAnnotated && hasSchema;
}

const nameOf = (value: Json, at: number): string =>
  (isJsonObject(value) ? stringAt(value, 'name') : undefined) ?? `number ${at + 1}`;

/** For answers that we check ourselves. */
const anyObjectSchema: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'capstan',
    validate: (value: unknown) =>
      isJsonObject(value) ? { value } : { issues: [{ message: 'the result is not an object' }] },
  },
};

type TaskOptions = ListOptions & { began(taskId: string): void };
const wantsTask = (tool: JsonObject): boolean => objectAt(tool, 'execution')?.['taskSupport'] === 'required';

/** Calls a tool as a task, which continues after the call is answered. Waits for it; cancels it when interrupted. */
export async function callAsTask(client: Client, params: JsonObject, { began, ...options }: TaskOptions) {
  const ask = { method: 'tools/call', params: { ...params, task: {} } };
  const begun = await client.request(ask, anyObjectSchema, options);
  const taskId = stringAt(objectAt(begun, 'task'), 'taskId');
  // A server may still answer at once.
  if (taskId === undefined) return begun;
  began(taskId);
  try {
    return await client.request({ method: 'tasks/result', params: { taskId } }, anyObjectSchema, options);
  } catch (error) {
    const cancel = { method: 'tasks/cancel', params: { taskId } };
    void client.request(cancel, anyObjectSchema, { timeout: 1000 }).catch(() => {});
    throw error;
  }
}
