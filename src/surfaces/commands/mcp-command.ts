import { type Command, flag, option } from './command.ts';

const server = (verb: string) => ({ name: 'NAME', missing: `${verb} needs the name of a server.` });

export const mcpCommand = {
  name: 'mcp',
  does: 'list, add and remove MCP servers, and log in to them',
  summary: 'Works with MCP servers, which bring tools of their own.',
  forms: [
    ['list [--json]', 'the servers of your configuration in this folder'],
    ['get NAME [--json]', 'what is configured for one server'],
    ['add NAME [options] [--] COMMAND…', 'add a server that Capstan starts'],
    ['add NAME --url URL [options]', 'add a server at an address'],
    ['remove NAME', 'remove a server from your config.toml'],
    ['login NAME', 'log in to a server at an address'],
    ['logout NAME', 'forget the login'],
    ['import', 'what the .mcp.json of this project has and your config.toml lacks'],
    ['import NAME…', 'copy these servers to your config.toml'],
  ],
  examples: [
    ['capstan mcp add git -- uvx mcp-server-git --repository ~/site', 'A server that Capstan starts'],
    ['capstan mcp add docs --url https://example.com/mcp', 'A server at an address'],
    ['capstan mcp login docs', 'Log in to it in your browser'],
  ],
  variants: {
    list: [],
    get: [server('get')],
    add: [server('add'), { name: 'COMMAND', many: true, verbatim: true }],
    remove: [server('remove')],
    login: [server('login')],
    logout: [server('logout')],
    import: [{ name: 'NAME', many: true }],
  },
  options: {
    env: option('--env KEY=VALUE', 'with add: a variable that the server gets', { repeats: true, only: ['add'] }),
    url: option('--url URL', 'with add: the address of the server', { only: ['add'] }),
    bearerTokenEnvVar: option('--bearer-token-env-var NAME', 'with --url: the variable that holds a token', {
      only: ['add'],
      with: 'url',
    }),
    json: flag('--json', 'with list and get: print JSON', { only: ['list', 'get'] }),
  },
  freeWord: 'command',
  notes:
    'Servers are started with the next thread, outside the sandbox; calls of their tools are asked about unless they only read. Secrets are shown as <hidden>.',
} as const satisfies Command;
