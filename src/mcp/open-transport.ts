import type { StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client';
import type { McpAddressConfig, McpProgramConfig } from '../config/mcp-servers.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { McpWorld, PlacedServer } from './mcp-world.ts';
import { PipeTransport } from './pipe-transport.ts';
import { serverEnvironment } from './server-environment.ts';

type Library = typeof import('@modelcontextprotocol/client');

/** The way to a server. Nothing is started or sent yet. An error says in a sentence why there is none. */
export function openTransport(library: Library, { config, cwd }: PlacedServer, world: McpWorld): Transport {
  const { transport } = config;
  return transport.kind === 'program' ? programPipe(transport, cwd, world) : addressStream(library, transport, world);
}

function programPipe(program: McpProgramConfig, cwd: string, world: McpWorld): PipeTransport {
  const { command, args } = program;
  // A path is the user's own choice. A name is looked up, and not where commands could have put something.
  const path = command.includes('/') ? command : world.findProgram(command);
  if (path === undefined) throw new Error(`the program ${JSON.stringify(command)} was not found`);
  const env = serverEnvironment(program, world.env);
  return new PipeTransport({ argv: [path, ...args], cwd: program.cwd ?? cwd, env }, world.startProcess);
}

function addressStream(library: Library, address: McpAddressConfig, { env }: McpWorld): StreamableHTTPClientTransport {
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
  return new library.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: boundedFetch,
    reconnectionOptions: {
      maxReconnectionDelay: 5000,
      initialReconnectionDelay: 500,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
  });
}
