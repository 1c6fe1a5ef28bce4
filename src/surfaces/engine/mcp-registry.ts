import { join } from 'node:path';
import { formatTomlKey } from '../../config/toml-key.ts';
import { hideSecrets } from '../../policy/secrets.ts';
import { type McpServerConfig, readMcpServers } from '../../config/mcp-servers.ts';
import { readTextIfPossible } from '../../disk/read-bounded.ts';
import { startServerProcess } from '../../exec/server-process.ts';
import { configInFolder } from '../../gather/config/config-in-folder.ts';
import { editUserConfig, userConfigValue } from '../../gather/config/edit-user-config.ts';
import { findTrust } from '../../gather/config/trust.ts';
import { projectFolders } from '../../gather/files/project-folders.ts';
import { randomBytes } from 'node:crypto';
import { configuredToken } from '../../mcp/call-failure.ts';
import { McpConnection } from '../../mcp/connection.ts';
import type { ListedTool } from '../../mcp/listed-tool.ts';
import { listingFiles } from '../../mcp/listing-file.ts';
import { openCallbackServer } from '../../mcp/oauth/callback-server.ts';
import { credentialStore } from '../../mcp/oauth/credential-store.ts';
import { defined } from '../../protocol/defined.ts';
import { isJsonObject, type JsonObject, objectAt, parseJsonObject, valueAt } from '../../protocol/json.ts';
import { type Outcome, sentence } from '../../protocol/outcome.ts';
import { importedServer } from './imported-server.ts';
import { confineServer } from './confine-server.ts';
import type { EngineParts } from './engine-parts.ts';

/** A server as lists show it. */
export interface ListedServer {
  readonly name: string;
  /** As it is configured, secrets hidden. */
  readonly table: JsonObject;
  readonly enabled: boolean;
  /** What it listed last. Absent: it was never seen. */
  readonly tools?: number;
  /** Why it did not start when that was last tried. Absent: it did, or that is not known. */
  readonly failure?: string;
  readonly isLoggedIn: boolean;
  readonly problem?: Outcome;
}

interface ImportableServers {
  readonly servers: readonly (readonly [name: string, table: JsonObject])[];
  readonly left: readonly (readonly [name: string, why: string])[];
}

/** The MCP servers of a user, for commands that show and change them. */
export class McpRegistry {
  readonly #engine: EngineParts;

  constructor(engine: EngineParts) {
    this.#engine = engine;
  }

  /**
   * All that hold in a folder, or the one of a name. The user has read why one of them never started, so the next thread
   * waits for it again.
   */
  async list(folder: string, only?: string): Promise<readonly ListedServer[]> {
    const { base } = this.#engine;
    const { config, layers } = await configInFolder(base, folder);
    const { servers, disabled, problems } = readMcpServers(config.mcpServers, base.requirements.mcpServers);
    const [listings, credentials] = [listingFiles(base.home), credentialStore(base.home, this.#engine)];
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
          ...(listing && { tools: listing.tools.length }),
          ...defined({ failure: failure?.why }),
          isLoggedIn:
            server?.transport.kind === 'address' && credentials.read(server.transport.url).tokens !== undefined,
          ...(problem && { problem }),
        };
      });
  }

  /** The tools that a server listed last. Undefined: it was never seen. */
  async tools(name: string, folder: string): Promise<readonly ListedTool[] | undefined> {
    const { base } = this.#engine;
    const { config } = await configInFolder(base, folder);
    const { servers } = readMcpServers(config.mcpServers, base.requirements.mcpServers);
    const server = servers.find((each) => each.name === name);
    return server && listingFiles(base.home).read(server)?.tools;
  }

  /** Adds it to the user's file, or replaces it there. */
  async save(name: string, table: JsonObject): Promise<Outcome | undefined> {
    return editUserConfig(this.#place, ['mcp_servers', name], table);
  }

  async remove(name: string, folder: string): Promise<Outcome | undefined> {
    if (await this.own(name)) return editUserConfig(this.#place, ['mcp_servers', name], undefined);
    const { config } = await configInFolder(this.#engine.base, folder);
    return Object.hasOwn(config.mcpServers ?? {}, name) ? notInUserFile(name) : unknownServer(name);
  }

  /** What the user's own file has of it. */
  async own(name: string): Promise<boolean> {
    return (await userConfigValue(this.#place, ['mcp_servers', name])) !== undefined;
  }

  /** What the `.mcp.json` at the root of a trusted project has and the user's file lacks, and why not the others. */
  async importable(folder: string): Promise<ImportableServers | Outcome> {
    const { config } = await configInFolder(this.#engine.base, folder);
    // Not the one of the folder: a command may have put it below the root.
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
      return [name, isJsonObject(server) ? importedServer(server) : 'It is no table.'] as const;
    });
    return {
      servers: read.flatMap(([name, table]) => (typeof table === 'string' ? [] : [[name, table] as const])),
      left: read.flatMap(([name, why]) => (typeof why === 'string' ? [[name, why] as const] : [])),
    };
  }

  /** Sends the user to the server's page and keeps what comes back. `show`: tells them which page. */
  async login(name: string, folder: string, show: (page: URL) => void): Promise<Outcome | undefined> {
    const server = await this.#atAddress(name, folder);
    if ('code' in server) return server;
    const { clock, options, base } = this.#engine;
    const { oauth } = server.transport;
    const visitor = await openCallbackServer({ port: oauth.callbackPort ?? 0, show });
    const connection = new McpConnection(
      { config: server, cwd: folder },
      {
        clock,
        env: options.env,
        client: { name: options.client.name, version: options.client.version },
        startProcess: startServerProcess,
        confine: confineServer(this.#engine),
        findProgram: () => undefined,
        searchPath: () => '',
        programFolder: () => '/',
        listings: listingFiles(base.home),
        credentials: credentialStore(base.home, this.#engine),
        random: () => randomBytes(16).toString('hex'),
        visitor,
      },
    );
    const started = await connection.start();
    const { problem } = connection;
    await connection.close();
    visitor.close();
    if (started.kind === 'open') return undefined;
    return problem?.code === 'mcp-login-needed' ? loginRefused(server) : loginFailed(name, started.why, started.next);
  }

  /** Whether there was a login. */
  async logout(name: string, folder: string): Promise<boolean | Outcome> {
    const server = await this.#atAddress(name, folder);
    return 'code' in server
      ? server
      : credentialStore(this.#engine.base.home, this.#engine).remove(server.transport.url);
  }

  async #atAddress(name: string, folder: string) {
    const { base } = this.#engine;
    const { config } = await configInFolder(base, folder);
    const { servers, problems } = readMcpServers(config.mcpServers, base.requirements.mcpServers);
    const server = servers.find((each) => each.name === name);
    if (server === undefined)
      return (Object.hasOwn(problems, name) ? problems[name] : undefined) ?? unknownServer(name);
    const { transport } = server;
    if (transport.kind === 'address') return { ...server, transport } satisfies McpServerConfig;
    const message = `The MCP server ${JSON.stringify(name)} is a program: there is no login to it.`;
    return { code: 'mcp-no-login', message, next: 'Give it what it needs with env or env_vars.' } satisfies Outcome;
  }

  get #place() {
    const { base, locks, clock } = this.#engine;
    return { home: base.home, locks, clock };
  }
}

function shownServer(name: string, table: JsonObject): JsonObject {
  return valueAt(hideSecrets({ mcp_servers: { [name]: table } }), ['mcp_servers', name]) as JsonObject;
}

/** The server still wants a login: the advice to log in would lead back here. */
function loginRefused(server: McpServerConfig): Outcome {
  const { name } = server;
  const token = configuredToken(server.transport);
  const key = formatTomlKey(['mcp_servers', name]);
  if (token !== undefined)
    return {
      code: 'mcp-login-failed',
      message: `The MCP server ${JSON.stringify(name)} rejected the token in ${token}. While one is configured, there is no login in the browser.`,
      next: `Correct the token, or remove the setting from ${key} and log in again.`,
    };
  const next = 'Use an account that may use the server, or set bearer_token_env_var to a variable with a token.';
  return loginFailed(name, 'the server does not accept it', next);
}

function loginFailed(
  name: string,
  why: string,
  next = `Check ${formatTomlKey(['mcp_servers', name])} in your config.toml, then try again.`,
): Outcome {
  const message = `The login to the MCP server ${JSON.stringify(name)} did not work: ${sentence(why)}`;
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
