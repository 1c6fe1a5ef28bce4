import type { TuiSession } from '../session/session.ts';
import type { ListedServer, McpRegistry } from '../../../engine/home/mcp-registry.ts';
import { mcpServerState, serverAddressWords } from '../../views/wording/settings-text.ts';
import { cardCell } from '../transcript/cells/card-cell.ts';
import { showInTranscript } from './command-session.ts';

/** `/mcp`: lists the servers with their tools, or logs in to one of them. */
export async function runMcpCommand(session: TuiSession, rest: string): Promise<void> {
  const registry = await session.parts.engine.user.mcpServers();
  const [verb, name, ...more] = rest.split(/\s+/);
  if ((verb === 'login' || verb === 'logout') && name !== undefined && more.length === 0)
    return verb === 'login' ? logIn(session, registry, name) : logOut(session, registry, name);
  if (rest !== '' && rest !== 'verbose')
    return session.notice('Use /mcp, /mcp verbose, /mcp login NAME or /mcp logout NAME.', 'error');
  const { cwd } = session.thread.settings;
  const servers = await registry.list(cwd);
  if (servers.length === 0)
    return session.notice('No MCP servers are configured. To add one, see `capstan mcp add --help`.');
  const rows = await Array.fromAsync(servers, async (server) => ({
    name: server.name,
    value: mcpServerState(server),
    details: rest === 'verbose' ? await detailsOf(registry, server, cwd) : [],
  }));
  const notes = [
    ...(rest === 'verbose' ? [] : ['/mcp verbose also shows the tools.']),
    ...(servers.some(wantsLogin) ? ['/mcp login NAME logs in to a server that asks for it.'] : []),
  ];
  showInTranscript(session, cardCell({ title: 'MCP servers', rows, notes }));
}

async function detailsOf(registry: McpRegistry, server: ListedServer, cwd: string): Promise<readonly string[]> {
  const tools = (await registry.tools(server.name, cwd)) ?? [];
  const lines = tools.map(({ tool, description }) => `${tool}: ${firstLine(description)}`);
  return [serverAddressWords(server.table), ...lines];
}

const mostOfDescription = 200;
const firstLine = (text: string): string => text.trim().split('\n')[0]!.slice(0, mostOfDescription);

const wantsLogin = ({ table, isLoggedIn, enabled }: ListedServer): boolean =>
  enabled && !isLoggedIn && table['url'] !== undefined && table['bearer_token_env_var'] === undefined;

async function logIn(session: TuiSession, registry: McpRegistry, name: string): Promise<void> {
  const show = (page: URL): void => session.notice(`Open this page to log in to ${name}:\n${page.href}`);
  const problem = await registry.login(name, session.thread.settings.cwd, show);
  if (problem !== undefined) return session.noticeProblem(problem);
  session.notice(`Logged in to ${name}. New conversations have its tools.`);
}

async function logOut(session: TuiSession, registry: McpRegistry, name: string): Promise<void> {
  const was = await registry.logout(name, session.thread.settings.cwd);
  if (typeof was !== 'boolean') return session.noticeProblem(was);
  session.notice(was ? `The login to ${name} is forgotten.` : `There was no login to ${name}.`);
}
