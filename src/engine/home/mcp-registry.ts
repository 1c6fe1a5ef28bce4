import { readTextIfPossible } from '../../adapters/disk/regular-files.ts';
import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import { editUserConfig, userConfigValue } from '../../adapters/gather/config/edit-user-config.ts';
import { findTrust } from '../../adapters/gather/config/project-trust.ts';
import { projectFolders } from '../../adapters/gather/files/project-folders.ts';
import { configuredToken } from '../../adapters/mcp/call-failure.ts';
import { McpConnection } from '../../adapters/mcp/connection.ts';
import { credentialStore } from '../../adapters/mcp/credential-store.ts';
import type { ListedTool } from '../../adapters/mcp/listed-tools.ts';
import { listingFiles } from '../../adapters/mcp/listing-file.ts';
import { openCallbackServer } from '../../adapters/mcp/oauth-login.ts';
import { defined } from '../../base/objects.ts';
import { type McpServerConfig, readMcpServers } from '../../core/config/servers/mcp-servers.ts';
import { formatTomlKey } from '../../core/config/toml/toml-key.ts';
import { hideSecrets } from '../../core/policy/secrets.ts';
import { isJsonObject, objectAt, parseJsonObject, stringAt, valueAt } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { type Outcome, endWithFullStop } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { createMcpHost } from '../thread-setup/thread-mcp.ts';
import { join } from 'node:path';

export interface ListedServer {
  readonly name: string;
  /** The configured table, with secrets hidden. */
  readonly table: JsonObject;
  readonly enabled: boolean;
  /** Number of tools listed last. Absent: the server was never seen. */
  readonly tools?: number;
  /** Why its last start failed. Absent: it started, or that is not known. */
  readonly failure?: string;
  readonly isLoggedIn: boolean;
  readonly problem?: Outcome;
}

interface ImportableServers {
  readonly servers: readonly (readonly [name: string, table: JsonObject])[];
  readonly left: readonly (readonly [name: string, why: string])[];
}

export class McpRegistry {
  readonly #engine: EngineParts;

  constructor(engine: EngineParts) {
    this.#engine = engine;
  }

  /** The servers for a folder, or the one named. The user reads failures now, so they are waited for again. */
  async list(folder: string, only?: string): Promise<readonly ListedServer[]> {
    const { home } = this.#engine;
    const { config, layers, servers, disabled, problems } = await this.#configured(folder);
    const [listings, credentials] = [listingFiles(home), credentialStore(home, this.#engine)];
    return Object.keys(config.mcpServers ?? {})
      .filter((name) => only === undefined || name === only)
      .toSorted()
      .map((name) => {
        const server = servers.find((each) => each.name === name);
        const problem = Object.hasOwn(problems, name) ? problems[name] : undefined;
        const tables = layers.map(({ values }) => objectAt(objectAt(values, 'mcp_servers'), name) ?? {});
        const listing = server && listings.read(server);
        const failure = server && listings.failure(server);
        if (server !== undefined && failure?.isQuick === false && listing === undefined)
          listings.writeFailure(server, { ...failure, isQuick: true });
        return {
          name,
          table: shownServer(name, Object.assign({}, ...tables) as JsonObject),
          enabled: !disabled.includes(name),
          ...defined({ tools: listing?.tools.length, failure: failure?.why }),
          isLoggedIn:
            server?.transport.kind === 'address' && credentials.read(server.transport.url).tokens !== undefined,
          ...defined({ problem }),
        };
      });
  }

  /** The tools that a server listed last. Undefined if it was never seen. */
  async tools(name: string, folder: string): Promise<readonly ListedTool[] | undefined> {
    const server = (await this.#configured(folder)).servers.find((each) => each.name === name);
    return server && listingFiles(this.#engine.home).read(server)?.tools;
  }

  async save(name: string, table: JsonObject): Promise<Outcome | undefined> {
    return editUserConfig(this.#engine, ['mcp_servers', name], table);
  }

  async remove(name: string, folder: string): Promise<Outcome | undefined> {
    if (await this.own(name)) return editUserConfig(this.#engine, ['mcp_servers', name], undefined);
    const { config } = await configInFolder(this.#engine.base, folder);
    return Object.hasOwn(config.mcpServers ?? {}, name) ? notInUserFile(name) : unknownServer(name);
  }

  async own(name: string): Promise<boolean> {
    return (await userConfigValue(this.#engine, ['mcp_servers', name])) !== undefined;
  }

  /** Servers in a trusted project's `.mcp.json` that the user's file lacks, and why others cannot be imported. */
  async importable(folder: string): Promise<ImportableServers | Outcome> {
    const { config } = await configInFolder(this.#engine.base, folder);
    // Only the file at the project's root counts: a command may have put one into a folder below it.
    const [root = folder] = projectFolders(folder, config.projectRootMarkers);
    if (findTrust(root, config, this.#engine.base.home).trust !== 'trusted') {
      const message = 'This project is not trusted, so its .mcp.json is not read.';
      return { code: 'project-untrusted', message, next: 'Set trust_level for it in your config.toml first.' };
    }
    const text = readTextIfPossible(join(root, '.mcp.json'), { maxBytes: 1_000_000 });
    const found = objectAt(parseJsonObject(text ?? ''), 'mcpServers') ?? {};
    const known = Object.keys(config.mcpServers ?? {});
    const read = Object.entries(found).map(([name, server]) => {
      if (known.includes(name)) return [name, 'Your configuration has a server of that name.'] as const;
      return [name, isJsonObject(server) ? convertImportedServer(server) : 'It is no table.'] as const;
    });
    return {
      servers: read.flatMap(([name, table]) => (typeof table === 'string' ? [] : [[name, table] as const])),
      left: read.flatMap(([name, why]) => (typeof why === 'string' ? [[name, why] as const] : [])),
    };
  }

  /** Sends the user to the server's page and keeps the login. `show` gets the page. */
  async login(name: string, folder: string, show: (page: URL) => void): Promise<Outcome | undefined> {
    const server = await this.#atAddress(name, folder);
    if ('code' in server) return server;
    const visitor = await openCallbackServer({ port: server.transport.oauth.callbackPort ?? 0, show });
    const connection = new McpConnection({ config: server, cwd: folder }, { ...createMcpHost(this.#engine), visitor });
    const started = await connection.start();
    const { problem } = connection;
    await connection.close();
    visitor.close();
    if (started.kind === 'open') return undefined;
    return problem?.code === 'mcp-login-needed' ? loginRefused(server) : loginFailed(name, started.why, started.next);
  }

  /** Returns whether there was a login. */
  async logout(name: string, folder: string): Promise<boolean | Outcome> {
    const server = await this.#atAddress(name, folder);
    if ('code' in server) return server;
    return credentialStore(this.#engine.home, this.#engine).remove(server.transport.url);
  }

  async #configured(folder: string) {
    const { base } = this.#engine;
    const { config, layers } = await configInFolder(base, folder);
    return { config, layers, ...readMcpServers(config.mcpServers, base.requirements.mcpServers) };
  }

  async #atAddress(name: string, folder: string) {
    const { servers, problems } = await this.#configured(folder);
    const server = servers.find((each) => each.name === name);
    if (server === undefined)
      return (Object.hasOwn(problems, name) ? problems[name] : undefined) ?? unknownServer(name);
    const { transport } = server;
    if (transport.kind === 'address') return { ...server, transport } satisfies McpServerConfig;
    const message = `The MCP server ${JSON.stringify(name)} is a program: there is no login to it.`;
    return { code: 'mcp-no-login', message, next: 'Give it what it needs with env or env_vars.' } satisfies Outcome;
  }
}

const shownServer = (name: string, table: JsonObject): JsonObject =>
  valueAt(hideSecrets({ mcp_servers: { [name]: table } }), ['mcp_servers', name]) as JsonObject;

/** The server still wants a login after this one, so advice just to log in would not help. */
function loginRefused(server: McpServerConfig): Outcome {
  const { name } = server;
  const token = configuredToken(server.transport);
  const key = formatTomlKey(['mcp_servers', name]);
  if (token !== undefined) {
    const message = `The MCP server ${JSON.stringify(name)} rejected the token in ${token}. While one is configured, there is no login in the browser.`;
    const correct = `Correct the token, or remove the setting from ${key} and log in again.`;
    return { code: 'mcp-login-failed', message, next: correct };
  }
  const next = 'Use an account that may use the server, or set bearer_token_env_var to a variable with a token.';
  return loginFailed(name, 'the server does not accept it', next);
}

function loginFailed(
  name: string,
  why: string,
  next = `Check ${formatTomlKey(['mcp_servers', name])} in your config.toml, then try again.`,
): Outcome {
  const message = `The login to the MCP server ${JSON.stringify(name)} did not work: ${endWithFullStop(why)}`;
  return { code: 'mcp-login-failed', message, next };
}

function unknownServer(name: string): Outcome {
  const message = `There is no MCP server ${JSON.stringify(name)}.`;
  return { code: 'mcp-server-unknown', message, next: 'See `capstan mcp list`.' };
}

function notInUserFile(name: string): Outcome {
  const message = `The MCP server ${JSON.stringify(name)} is not in your config.toml: another file has it.`;
  const key = formatTomlKey(['mcp_servers', name, 'enabled']);
  return { code: 'mcp-server-elsewhere', message, next: `Remove it there, or set ${key} = false in your config.toml.` };
}

/** Converts a server to the form of config.toml; a variable `${NAME}` stays a name. Returns a sentence if it cannot. */
export function convertImportedServer(given: JsonObject): JsonObject | string {
  const [command, url] = [stringAt(given, 'command'), stringAt(given, 'url')];
  if ((command === undefined) === (url === undefined)) return 'It must have either a command or a url.';
  if (given['type'] === 'sse') return 'It uses the old transport sse, which Capstan does not have.';
  const table = url === undefined ? programTable(command ?? '', given) : addressTable(url, given);
  const [key] = Object.entries(table).find(([, value]) => JSON.stringify(value).includes('${')) ?? [];
  if (key === undefined) return table;
  return `Its ${key} names a variable as \${NAME}, which config.toml cannot: write the value.`;
}

function addressTable(url: string, given: JsonObject): JsonObject {
  const headers = Object.entries(textsIn(given['headers']));
  const token = headers.flatMap(([name, value]) =>
    /^authorization$/i.test(name) ? (/^Bearer \$\{(\w+)\}$/i.exec(value)?.slice(1) ?? []) : [],
  )[0];
  const named = headers.flatMap(([name, value]) => {
    const variable = /^\$\{(\w+)\}$/.exec(value)?.[1];
    return variable === undefined ? [] : [[name, variable] as const];
  });
  const isFixed = ([name]: readonly [string, string]): boolean =>
    !named.some(([other]) => other === name) && (token === undefined || !/^authorization$/i.test(name));
  return {
    url,
    ...defined({ bearer_token_env_var: token }),
    ...notEmpty({
      http_headers: Object.fromEntries(headers.filter(isFixed)),
      env_http_headers: Object.fromEntries(named),
    }),
  };
}

function programTable(command: string, given: JsonObject): JsonObject {
  const { args } = given;
  const words = Array.isArray(args) && args.every((word: Json) => typeof word === 'string') ? args : [];
  const env = Object.entries(textsIn(given['env']));
  const passed = env.filter(([name, value]) => value === `\${${name}}`).map(([name]) => name);
  const own = env.filter(([name]) => !passed.includes(name));
  return {
    command,
    ...notEmpty({ args: words as readonly Json[], env: Object.fromEntries(own), env_vars: passed }),
  };
}

/** Without empty lists and tables. */
const notEmpty = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => Object.keys(value ?? {}).length > 0));

function textsIn(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  );
}
