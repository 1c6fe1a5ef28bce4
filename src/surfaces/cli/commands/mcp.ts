import { writeToml } from '../../../core/config/toml/write-toml.ts';
import { hideUrlSecrets, hideSecrets } from '../../../core/policy/secrets.ts';
import { defined } from '../../../base/objects.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { withEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { mcpCommand } from '../table/settings-commands.ts';
import type { ListedServer, McpRegistry } from '../../../engine/home/mcp-registry.ts';
import { prettyJson, formatTable } from '../../views/terminal/tables.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { mcpServerState, serverAddressWords } from '../../views/wording/settings-text.ts';
import { print, printNote } from '../../views/terminal/print.ts';

type Options = CommandArguments<typeof mcpCommand>['options'];

export const run = withEngine<typeof mcpCommand>(async ({ variant, words, options }, { engine, cwd }) => {
  const registry = await engine.user.mcpServers();
  const [name = '', ...rest] = words;
  switch (variant) {
    case 'list':
      return show(await registry.list(cwd), options);
    case 'get':
      return get(await registry.list(cwd, name), name, options);
    case 'add': {
      // The model uses the name in tool names, and the user writes it in keys and commands.
      if (!/^[\w-]+$/.test(name)) {
        const message = `${JSON.stringify(name)} cannot be the name of a server.`;
        return refuse(message, 'Use letters, digits, - and _ only, for example my-server.');
      }
      const wanted = tableOf(options, rest);
      if ('code' in wanted) return wanted as unknown as Outcome;
      const did = (await registry.own(name)) ? `Replaced ${name}, and all of its earlier settings.` : `Added ${name}.`;
      return done(await registry.save(name, wanted), `${did} Its tools are there in new threads.`);
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
      return importNamed(registry, cwd, words);
  }
});

const refuse = (message: string, next: string): Outcome => ({ code: 'usage', message: `mcp add: ${message}`, next });

function done(problem: Outcome | undefined, message: string): number | Outcome {
  if (problem !== undefined) return problem;
  printNote(message);
  return 0;
}

function tableOf({ env, url, bearerTokenEnvVar }: Options, words: readonly string[]): JsonObject | Outcome {
  const [command, ...args] = words;
  if ((command === undefined) === (url === undefined))
    return refuse('give either a command behind -- or --url.', 'See `capstan mcp --help`.');
  if (url !== undefined && !/^https?:\/\/[^/]/i.test(url)) {
    const message = `--url ${hideUrlSecrets(url)} is no address of a server.`;
    return refuse(message, 'Write for example --url https://example.com/mcp.');
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
  const rows = servers.map((server) => [
    visibleLine(server.name),
    serverAddressWords(server.table),
    mcpServerState(server),
  ]);
  if (json) print(prettyJson(servers), 'exact json');
  else if (rows.length > 0) print(formatTable(rows), 'text');
  else printNote('No MCP servers are configured. To add one, see `capstan mcp add --help`.');
  return 0;
}

function get([server]: readonly ListedServer[], name: string, { json }: Options): number | Outcome {
  if (server === undefined) {
    const message = `There is no MCP server ${JSON.stringify(name)}.`;
    return { code: 'mcp-server-unknown', message, next: 'See `capstan mcp list`.' };
  }
  if (json) print(prettyJson(server), 'exact json');
  else print(`${writeToml({ mcp_servers: { [name]: server.table } })}# ${mcpServerState(server)}\n`, 'text');
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
    const next = 'Without names, this command shows the servers that can be added.';
    return { code: 'mcp-server-unknown', message, next };
  }
  for (const [name, server] of servers) {
    if (names.length > 0 && !names.includes(name)) continue;
    const problem = names.length === 0 ? undefined : await registry.save(name, server);
    if (problem !== undefined) return problem;
    const address = serverAddressWords(hideSecrets(server));
    printNote(`${names.length === 0 ? '' : 'Added '}${visibleLine(name)}: ${address}${sentTo(server)}`);
  }
  if (names.length > 0) return 0;
  for (const [name, why] of left) printNote(`${visibleLine(name)}: cannot be added. ${why}`);
  const none = 'The .mcp.json of this project has no servers.';
  printNote(servers.length + left.length === 0 ? none : 'To add servers, give their names to this command.');
  return 0;
}

/** The user's environment variables that the server would get. */
function sentTo(server: JsonObject): string {
  const { bearer_token_env_var: token, env_http_headers: headers = {}, env_vars: passed = [] } = server;
  const names = [token ?? [], Object.values(headers as JsonObject), passed as readonly string[]].flat();
  return names.length === 0 ? '' : `\n  gets your variables: ${visibleLine(names.join(', '))}`;
}
