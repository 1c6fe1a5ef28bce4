import { allowsServer, type AllowedServers } from '../../policy/allowed-mcp-servers.ts';
import { defined } from '../../../base/objects.ts';
import { isWebAddress } from '../../../protocol/http.ts';
import { isJsonObject, type Json } from '../../../protocol/json.ts';
import type { McpApprovalMode } from '../../../protocol/permissions.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ConfiguredMcpServer } from '../keys/key-table.ts';

/** An MCP server ready to start. Variables are only named here; they are read at its start. */
export interface McpServerConfig {
  readonly name: string;
  readonly transport: McpTransportConfig;
  /** A thread does not start without it. */
  readonly required: boolean;
  readonly startupTimeoutMs: number;
  readonly toolTimeoutMs: number;
  /** Raw names. Absent: all of the server's tools. */
  readonly enabledTools?: readonly string[];
  readonly disabledTools: readonly string[];
  readonly approval: { readonly default: McpApprovalMode; readonly tools: Readonly<Record<string, ToolApproval>> };
  readonly isParallel: boolean;
  readonly omitFrom: readonly string[];
}

/** `digest`: the approval holds only for the tool's description at that time. */
export type ToolApproval = { readonly mode: McpApprovalMode; readonly digest?: string };
export type McpTransportConfig = McpProgramConfig | McpAddressConfig;

export interface McpProgramConfig {
  readonly kind: 'program';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly passed: readonly string[];
  /** Absent: a folder that no command may write. */
  readonly cwd?: string;
  /** The sandbox mode or permission profile of its process. Absent: unsandboxed. */
  readonly sandbox?: string;
}

export interface McpAddressConfig {
  readonly kind: 'address';
  readonly url: string;
  readonly bearerTokenVariable?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Header name to variable; a header whose variable is unset or blank is left out. */
  readonly headerVariables: Readonly<Record<string, string>>;
  readonly oauth: McpOauthConfig;
}

export interface McpOauthConfig {
  /** May be an address at which the server reads about this program. */
  readonly clientId?: string;
  /** The variable with the secret of a pre-registered client. */
  readonly clientSecretVariable?: string;
  readonly callbackPort?: number;
  readonly scopes?: readonly string[];
  readonly resource?: string;
}

type McpServerProblem = Outcome<'mcp-server-config' | 'mcp-server-not-allowed'>;

export interface McpServersReading {
  /** Enabled servers, sorted by name. */
  readonly servers: readonly McpServerConfig[];
  readonly disabled: readonly string[];
  readonly problems: Readonly<Record<string, Outcome>>;
}

const programKeys = ['args', 'env', 'envVars', 'cwd', 'sandbox'] as const;
const addressKeys = ['bearerTokenEnvVar', 'httpHeaders', 'envHttpHeaders', 'scopes', 'oauth', 'oauthResource'] as const;

/** `required`: the servers that the administrator allows. */
export function readMcpServers(
  given: Readonly<Record<string, ConfiguredMcpServer>> = {},
  required?: AllowedServers,
): McpServersReading {
  const names = Object.keys(given).toSorted();
  const isOff = (name: string): boolean => given[name]?.enabled === false;
  const read = names
    .filter((name) => !isOff(name))
    .map((name) => [name, allowedServer(readServer(name, given[name] ?? {}), required)] as const);
  return {
    servers: read.flatMap(([, server]) => ('code' in server ? [] : [server])),
    disabled: names.filter(isOff),
    problems: Object.fromEntries(read.flatMap(([name, server]) => ('code' in server ? [[name, server]] : []))),
  };
}

function allowedServer(
  server: McpServerConfig | McpServerProblem,
  required: AllowedServers | undefined,
): McpServerConfig | McpServerProblem {
  if ('code' in server || required === undefined || allowsServer(required, server.name, server.transport))
    return server;
  return {
    code: 'mcp-server-not-allowed',
    message: `mcp_servers in ${required.source} does not allow the MCP server ${JSON.stringify(server.name)}: it is not used.`,
    next: 'Ask the administrator of this machine.',
  };
}

function readServer(name: string, given: ConfiguredMcpServer): McpServerConfig | McpServerProblem {
  const transport = transportOf(name, given);
  if ('code' in transport) return transport;
  const tools = Object.entries(given.tools ?? {}).flatMap(([tool, { approvalMode: mode, approvedDigest: digest }]) =>
    mode === undefined ? [] : [[tool, { mode, ...defined({ digest }) }] as const],
  );
  const { startupTimeoutSec, startupTimeoutMs = 30_000, toolTimeoutSec = 300 } = given;
  return {
    name,
    transport,
    required: given.required ?? false,
    startupTimeoutMs: startupTimeoutSec === undefined ? startupTimeoutMs : startupTimeoutSec * 1000,
    toolTimeoutMs: toolTimeoutSec * 1000,
    ...defined({ enabledTools: given.enabledTools }),
    disabledTools: given.disabledTools ?? [],
    approval: { default: given.defaultToolsApprovalMode ?? 'auto', tools: Object.fromEntries(tools) },
    isParallel: given.supportsParallelToolCalls ?? false,
    omitFrom: given.omitToolsFrom ?? [],
  };
}

function transportOf(name: string, given: ConfiguredMcpServer): McpTransportConfig | McpServerProblem {
  const { command, url } = given;
  if (given.bearerToken !== undefined) {
    const next = `Put the token in an environment variable, and name the variable in mcp_servers.${name}.bearer_token_env_var.`;
    return problem(name, 'has a bearer_token, which Capstan does not read', next);
  }
  if (command !== undefined && url !== undefined)
    return problem(name, 'has both a command and a url', 'Remove one of them.');
  if (command !== undefined) return programOf(name, command, given);
  if (url !== undefined) return addressOf(name, url, given);
  return problem(name, 'has neither a command nor a url', 'Set one of them, or enabled = false.');
}

function programOf(name: string, command: string, given: ConfiguredMcpServer): McpProgramConfig | McpServerProblem {
  const odd = addressKeys.find((key) => given[key] !== undefined);
  if (odd !== undefined)
    return problem(name, `has a command, and ${written(odd)} is for a url`, `Remove ${written(odd)}.`);
  const passed = (given.envVars as readonly Json[] | undefined)?.map(variableOf) ?? [];
  if (passed.includes(undefined)) {
    const next = 'Write names of variables, or tables with a name and source = "local".';
    return problem(name, 'has an entry in env_vars that is not valid', next);
  }
  const { args = [], env = {}, cwd, sandbox } = given;
  const names = passed.filter((variable) => variable !== undefined && variable !== '') as readonly string[];
  return { kind: 'program', command, args, env, passed: names, ...defined({ cwd, sandbox }) };
}

/** Empty for a variable of another machine, which has no value here. */
function variableOf(entry: Json): string | undefined {
  if (typeof entry === 'string') return entry === '' ? undefined : entry;
  if (!isJsonObject(entry)) return undefined;
  const { name, source = 'local' } = entry;
  if (typeof name !== 'string' || name === '') return undefined;
  if (source === 'remote') return '';
  return source === 'local' ? name : undefined;
}

function addressOf(name: string, url: string, given: ConfiguredMcpServer): McpAddressConfig | McpServerProblem {
  const odd = programKeys.find((key) => given[key] !== undefined);
  if (odd !== undefined)
    return problem(name, `has a url, and ${written(odd)} is for a command`, `Remove ${written(odd)}.`);
  const form = 'Write an address that begins with https:// or http://.';
  if (!isWebAddress(url)) return problem(name, 'has a url that is not a web address', form);
  const { clientId, callbackPort, clientSecretEnvVar: clientSecretVariable } = given.oauth ?? {};
  return {
    kind: 'address',
    url,
    ...defined({ bearerTokenVariable: given.bearerTokenEnvVar }),
    headers: given.httpHeaders ?? {},
    headerVariables: given.envHttpHeaders ?? {},
    oauth: defined({
      clientId,
      callbackPort,
      clientSecretVariable,
      scopes: given.scopes,
      resource: given.oauthResource,
    }),
  };
}

const written = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function problem(name: string, what: string, next: string): McpServerProblem {
  return {
    code: 'mcp-server-config',
    message: `The MCP server ${JSON.stringify(name)} ${what}: it is not used.`,
    next,
  };
}
