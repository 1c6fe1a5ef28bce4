import { type Command, flag, keyAndValue, option, sandboxFallbackOption } from './command.ts';

export const mcpServerCommand = {
  name: 'mcp-server',
  does: 'serve conversations to MCP hosts, over standard streams or HTTP',
  summary: 'Serves Capstan to MCP hosts: conversations, their context, compaction and undo as tools and resources.',
  forms: [
    ['[options]', 'serve the one host that started it, over standard input and output'],
    ['--http PORT [options]', 'serve any number of hosts over HTTP'],
  ],
  about:
    'A host starts it with the command in its configuration; docs/mcp-server.md has the lines for common hosts. The server ends when the host closes standard input. That interrupts running turns; their threads can be resumed.\n' +
    'With --http, Capstan prints its address and a token on standard error. Hosts send the token as "Authorization: Bearer TOKEN".',
  examples: [
    ['capstan mcp-server', 'What a host runs'],
    ['capstan mcp-server --http 8931', 'One server for several hosts, at http://127.0.0.1:8931/mcp'],
    [
      'capstan mcp-server --compat -c model=gpt-5.5',
      'List the tools under their older names as well, and set the model',
    ],
  ],
  words: [],
  options: {
    http: option('--http PORT', 'serve over HTTP, on 127.0.0.1 unless you write HOST:PORT; 0 takes a free port'),
    tokenFile: option('--token-file FILE', 'with --http: the token that hosts must send; or set CAPSTAN_MCP_TOKEN', {
      with: 'http',
      without: ['noToken'],
    }),
    noToken: flag(
      '--no-token',
      'with --http: let every program on this machine, sandboxed commands with network included, use the server',
      { with: 'http' },
    ),
    compat: flag(
      '--compat',
      'also list the tools under the names that older hosts know; even unlisted, these names can be called',
    ),
    onQuestion: option(
      '--on-question HOW',
      'when the host cannot ask you: `report` the question in the result (default), or `decline`',
      { choices: ['report', 'decline'] },
    ),
    folder: option('-C, --cd FOLDER', 'the folder of conversations that name none'),
    sandboxFallback: sandboxFallbackOption,
    overrides: option(`-c, --config ${keyAndValue}`, 'override a value of config.toml', { repeats: true }),
    profile: option('-p, --profile NAME', 'read NAME.config.toml over config.toml'),
    strictConfig: flag('--strict-config', 'treat unknown configuration keys as errors'),
  },
  notes:
    'Standard output carries only the protocol; everything else goes to standard error.\n' +
    'Exit codes: 0 the host has gone; 1 the server could not start; 2 wrong usage. SIGINT and SIGTERM end the server within a second.',
} as const satisfies Command;
