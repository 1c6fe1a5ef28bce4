import { writeToml } from '../../../core/config/toml/write-toml.ts';
import { hideInAddress, hideSecrets } from '../../../core/policy/secrets.ts';
import { defined } from '../../../base/objects.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { mcpCommand } from '../table/settings-commands.ts';
import type { ListedServer, McpRegistry } from '../../../engine/home/mcp-registry.ts';
import { table } from '../../views/terminal/page.ts';
import { visibleLine } from '../../views/terminal/text.ts';
import { serverState, serverAddressWords } from '../../views/wording/settings-text.ts';
import { print, printNote } from '../../views/terminal/print.ts';

type Given = CommandArguments<typeof mcpCommand>;

export async function run(given: Given): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { engine, cwd } = loaded;
  const registry = await engine.user.mcpServers();
  const [name = '', ...rest] = given.words;
  switch (given.variant) {
    case 'list':
      return show(await registry.list(cwd), given.options);
    case 'get':
      return get(registry, cwd, name, given.options);
    case 'add': {
      if (!/^[\w-]+$/.test(name)) return unfitName(name);
      const wanted = tableOf(given.options, rest);
      if ('code' in wanted) return wanted as unknown as Outcome;
      const isThere = await registry.own(name);
      const words = isThere ? `Replaced ${name}, and all of its earlier settings.` : `Added ${name}.`;
      return done(await registry.save(name, wanted), `${words} Its tools are there in new threads.`);
    }
    case 'remove':
      return done(await registry.remove(name, cwd), `Removed ${name}.`);
    case 'login':
      return done(
        await registry.login(name, cwd, (page) => printNote(`Open this page to log in:\n${page.href}`)),
        `Logged in to ${name}.`,
      );
    case 'logout': {
      const was = await registry.logout(name, cwd);
      if (typeof was !== 'boolean') return was;
      return done(undefined, was ? `The login to ${name} is forgotten.` : `There was no login to ${name}.`);
    }
    default:
      return importNamed(registry, cwd, given.words);
  }
}

/** The model uses the server name in tool names, and the user writes it in keys and commands. */
function unfitName(name: string): Outcome {
  const message = `mcp add: ${JSON.stringify(name)} cannot be the name of a server.`;
  return { code: 'usage', message, next: 'Use letters, digits, - and _ only, for example my-server.' };
}

function done(problem: Outcome | undefined, message: string): number | Outcome {
  if (problem !== undefined) return problem;
  printNote(message);
  return 0;
}

function tableOf({ env, url, bearerTokenEnvVar }: Given['options'], words: readonly string[]): JsonObject | Outcome {
  const [command, ...args] = words;
  if ((command === undefined) === (url === undefined)) {
    const message = 'mcp add: give either a command behind -- or --url.';
    return { code: 'usage', message, next: 'See `capstan mcp --help`.' };
  }
  if (url !== undefined && !/^https?:\/\/[^/]/i.test(url)) {
    const message = `mcp add: --url ${hideInAddress(url)} is no address of a server.`;
    return { code: 'usage', message, next: 'Write for example --url https://example.com/mcp.' };
  }
  if (url !== undefined) return { url, ...defined({ bearer_token_env_var: bearerTokenEnvVar }) };
  const variables = env.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const);
  return {
    command: command ?? '',
    ...(args.length === 0 ? {} : { args }),
    ...(variables.length === 0 ? {} : { env: Object.fromEntries(variables) }),
  };
}

function show(servers: readonly ListedServer[], { json }: { readonly json: boolean }): number {
  if (json) {
    print(`${JSON.stringify(servers, undefined, 2)}\n`, 'exact json');
    return 0;
  }
  if (servers.length === 0) printNote('No MCP servers are configured. To add one, see `capstan mcp add --help`.');
  else
    print(
      table(servers.map((server) => [visibleLine(server.name), serverAddressWords(server.table), serverState(server)])),
      'text',
    );
  return 0;
}

async function get(
  registry: McpRegistry,
  cwd: string,
  name: string,
  { json }: { readonly json: boolean },
): Promise<number | Outcome> {
  const [server] = await registry.list(cwd, name);
  if (server === undefined) {
    const message = `There is no MCP server ${JSON.stringify(name)}.`;
    return { code: 'mcp-server-unknown', message, next: 'See `capstan mcp list`.' };
  }
  if (json) print(`${JSON.stringify(server, undefined, 2)}\n`, 'exact json');
  else print(`${writeToml({ mcp_servers: { [name]: server.table } })}# ${serverState(server)}\n`, 'text');
  return 0;
}

/** A command may have written the file, so only servers that the user names are added. */
async function importNamed(registry: McpRegistry, cwd: string, names: readonly string[]): Promise<number | Outcome> {
  const found = await registry.importable(cwd);
  if ('code' in found) return found;
  const { servers, left } = found;
  const unknown = names.find((name) => !servers.some(([each]) => each === name));
  if (unknown !== undefined) {
    const message = `The .mcp.json of this project has no server ${JSON.stringify(unknown)} that could be added.`;
    return {
      code: 'mcp-server-unknown',
      message,
      next: 'Without names, this command shows the servers that can be added.',
    };
  }
  for (const [name, server] of servers) {
    if (names.length > 0 && !names.includes(name)) continue;
    const problem = names.length === 0 ? undefined : await registry.save(name, server);
    if (problem !== undefined) return problem;
    printNote(
      `${names.length === 0 ? '' : 'Added '}${visibleLine(name)}: ${serverAddressWords(hideSecrets(server))}${sentTo(server)}`,
    );
  }
  if (names.length > 0) return 0;
  for (const [name, why] of left) printNote(`${visibleLine(name)}: cannot be added. ${why}`);
  const none = 'The .mcp.json of this project has no servers.';
  printNote(servers.length + left.length === 0 ? none : 'To add servers, give their names to this command.');
  return 0;
}

/** The user's environment variables that the server would get. */
function sentTo({
  bearer_token_env_var: token,
  env_http_headers: headers = {},
  env_vars: passed = [],
}: JsonObject): string {
  const names = [token ?? [], Object.values(headers as JsonObject), passed as readonly string[]].flat();
  return names.length === 0 ? '' : `\n  gets your variables: ${visibleLine(names.join(', '))}`;
}
