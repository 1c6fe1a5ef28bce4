import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMcpServers } from '../../../src/core/config/servers/mcp-servers.ts';
import { startServerProcess } from '../../../src/adapters/exec/server-process.ts';
import { listingFiles } from '../../../src/adapters/mcp/listing-file.ts';
import { credentialStore } from '../../../src/adapters/mcp/credential-store.ts';
import { ServerPool } from '../../../src/adapters/mcp/connection.ts';
import { ThreadServers } from '../../../src/adapters/mcp/thread-servers.ts';
import type { McpCallOptions } from '../../../src/ports/mcp-servers.ts';
import { SimulatedLocks } from '../../../src/testing/simulated-disk.ts';
import {
  type Json,
  type JsonObject,
  objectAt,
  parseJsonObject,
  stringAt,
  arrayAt,
} from '../../../src/protocol/json.ts';

/**
 * The client of Capstan as a program for the conformance suite: the suite gives the address of a server as the last
 * argument and looks at what the server is sent. The user is played by code that visits pages and says yes.
 */
const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = parseJsonObject(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') ?? {};
const home = mkdtempSync(join(tmpdir(), 'capstan-conformance-'));

const redirectUrl = 'http://127.0.0.1:41414/callback';
const visitor = {
  redirectUrl,
  async visit(page: URL): Promise<URLSearchParams> {
    const response = await fetch(page, { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? redirectUrl).searchParams;
  },
};

/** A client that is known beforehand, or one that describes itself at an address. */
function oauth(): object {
  const id = stringAt(context, 'client_id');
  if (id !== undefined) return { clientId: id, clientSecretEnvVar: 'CLIENT_SECRET' };
  return scenario === 'auth/basic-cimd' ? { clientId: 'https://conformance-test.local/client-metadata.json' } : {};
}

const { servers: configs, problems } = readMcpServers({
  conformance: { url, oauth: oauth(), startupTimeoutSec: 20, toolTimeoutSec: 20 },
});
for (const { message } of Object.values(problems)) throw new Error(message);
const clock = { now: () => Date.now(), sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
const pool = new ServerPool({
  clock,
  env: { CLIENT_SECRET: stringAt(context, 'client_secret') },
  client: { name: 'capstan', version: '0' },
  searchPath: () => process.env['PATH'] ?? '',
  programFolder: () => '/',
  startProcess: startServerProcess,
  confine: async () => ({ code: 'none', message: 'No server here has a sandbox.', next: '' }),
  findProgram: () => undefined,
  listings: listingFiles(home),
  credentials: credentialStore(home, { locks: new SimulatedLocks(), clock }),
  random: () => crypto.randomUUID(),
  visitor,
});
const connections = configs.map((config) => pool.take({ config, cwd: home }));
const servers = new ThreadServers(connections, {}, () => ({ tools: 20_000, texts: 20_000 }));
const ways: McpCallOptions = {
  signal: new AbortController().signal,
  warn: ({ message }) => console.error(message),
  elicit: async () => ({ action: 'accept', content: {} }),
};

await servers.settle(ways.signal, ({ message }) => console.error(message));
const wanted = arrayAt(context, 'toolCalls') as readonly JsonObject[] | undefined;
const calls =
  wanted?.map((call) => ({ tool: stringAt(call, 'name') ?? '', given: objectAt(call, 'arguments') ?? {} })) ??
  servers.tools.direct.map(({ tool, spec }) => ({
    tool,
    given: argumentsFor(tool, objectAt(spec, 'parameters') ?? {}),
  }));
const failed = connections.some(({ problem }) => problem !== undefined);
for (const { tool, given } of calls) {
  const call = { server: 'conformance', tool, arguments: given, isRepeatable: false, metadata: {} };
  const answer = await servers.call(call, ways);
  console.log(JSON.stringify(answer));
}
await Promise.all(connections.map((connection) => pool.release(connection)));
rmSync(home, { recursive: true });
process.exit(failed ? 1 : 0);

/** One tool wants to see the schema of another one as the model is given it. */
function argumentsFor(tool: string, schema: JsonObject): JsonObject {
  const other = servers.tools.direct.find((each) => each.tool === 'json_schema_2020_12_tool');
  return tool === 'json_schema_echo' && other !== undefined
    ? { schema: objectAt(other.spec, 'parameters') ?? {} }
    : sample(schema);
}

/** Arguments that a schema takes. */
function sample(schema: JsonObject): JsonObject {
  const members = Object.entries(objectAt(schema, 'properties') ?? {}) as readonly (readonly [string, JsonObject])[];
  return Object.fromEntries(members.map(([name, of]) => [name, sampleValue(of)]));
}

function sampleValue(schema: JsonObject): Json {
  switch (schema['type']) {
    case 'number':
    case 'integer':
      return 5;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return sample(schema);
    default:
      return 'x';
  }
}
