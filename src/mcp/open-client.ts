import { pathToFileURL } from 'node:url';
import type { Client, ElicitRequest, ElicitResult, Transport } from '@modelcontextprotocol/client';
import type { McpElicitation, McpElicited } from '../ports/mcp-servers.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { mostTools, readListing, type ServerListing } from './listed-tool.ts';
import type { McpWorld, PlacedServer } from './mcp-world.ts';
import { openTransport } from './open-transport.ts';
import { PipeTransport } from './pipe-transport.ts';

/** A connection that is open. */
export interface OpenClient {
  readonly client: Client;
  readonly listing: ServerListing;
  /** Schemas as the server wrote them, by the raw name of the tool. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** Why the connection ended by itself. */
  endedBecause(): string;
}

export interface ClientWatch {
  readonly signal: AbortSignal;
  /** The server wants to know something of the user. */
  elicit(asked: McpElicitation): Promise<McpElicited>;
  closed(): void;
  toolsChanged(): void;
}

/** Connects and asks what there is. Rejects with an error whose message says why not. */
export async function openClient(server: PlacedServer, world: McpWorld, watch: ClientWatch): Promise<OpenClient> {
  const { config } = server;
  const library = await import('@modelcontextprotocol/client');
  const transport = openTransport(library, server, world);
  const isProgram = config.transport.kind === 'program';
  const client = new library.Client(world.client, {
    capabilities: { elicitation: { form: {}, url: {} }, ...(isProgram ? { roots: {} } : {}) },
    // Schemas of strangers are not compiled: the model judges what comes back.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
    versionNegotiation: { mode: isProgram ? 'legacy' : 'auto' },
    listChanged: { tools: { autoRefresh: false, onChanged: () => watch.toolsChanged() } },
  });
  client.setRequestHandler('elicitation/create', (request) => answerElicitation(config.name, request, watch));
  if (isProgram) {
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(server.cwd).href }] }));
  }
  const endedBecause = (): string => whyClosed(transport);
  try {
    await client.connect(transport, { timeout: config.startupTimeoutMs, signal: watch.signal });
    const { listing, schemas } = await listTools(client, { signal: watch.signal, timeout: config.startupTimeoutMs });
    Object.assign(client, { onclose: () => watch.closed() });
    return { client, listing, schemas, endedBecause };
  } catch (error) {
    await client.close().catch(() => {});
    const ended = transport instanceof PipeTransport ? transport.ended?.why : undefined;
    throw ended === undefined ? error : new Error(ended);
  }
}

function whyClosed(transport: Transport): string {
  return (transport instanceof PipeTransport ? transport.ended?.why : undefined) ?? 'the connection was closed';
}

/** All pages, as far as tools are of use. */
export async function listTools(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Pick<OpenClient, 'listing' | 'schemas'>> {
  const capabilities = client.getServerCapabilities() ?? {};
  const found: Json[] = [];
  let cursor: string | undefined;
  if (capabilities.tools !== undefined) {
    for (let page = 0; page < mostTools && found.length < mostTools; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, options);
      found.push(...(tools as unknown as readonly Json[]));
      if (nextCursor === undefined || nextCursor === cursor) break;
      cursor = nextCursor;
    }
  }
  const instructions = client.getInstructions();
  const about = {
    hasResources: capabilities.resources !== undefined,
    ...(instructions === undefined ? {} : { instructions }),
  };
  const listing = readListing(found, about);
  const raw = found as readonly JsonObject[];
  const schemas = new Map(raw.map((tool) => [String(tool['name']), tool['inputSchema'] as JsonObject] as const));
  return { listing, schemas };
}

async function answerElicitation(server: string, { params }: ElicitRequest, watch: ClientWatch): Promise<ElicitResult> {
  const asked: McpElicitation =
    params.mode === 'url'
      ? { server, message: params.message, url: params.url }
      : { server, message: params.message, schema: params.requestedSchema as unknown as JsonObject };
  return (await watch.elicit(asked)) as ElicitResult;
}
