import { type Command, flag, option } from '../../views/command-line/command.ts';
import { jsonOption } from './threads-change-commands.ts';

const ways = ['withApiKey', 'withAccessToken', 'deviceAuth'] as const;
const otherWays = (own: (typeof ways)[number]) => ({ without: ways.filter((way) => way !== own) });

export const loginCommand = {
  name: 'login',
  does: 'sign in to ChatGPT, or keep an API key',
  summary: 'Signs in to ChatGPT, or keeps an API key, for this home folder. Codex uses the same login.',
  forms: [
    ['[options]', 'sign in with the browser, or as an option says'],
    ['status [--json]', 'show how you are signed in; exit code 1 if you are not'],
  ],
  examples: [
    ['capstan login --device-auth', 'Sign in with a code, on a machine without a browser'],
    ['capstan login status', 'How you are signed in'],
  ],
  words: [],
  variants: { status: [] },
  options: {
    deviceAuth: flag('--device-auth', 'sign in by a code that you type on another device', otherWays('deviceAuth')),
    withApiKey: flag('--with-api-key', 'read an API key from standard input and keep it', otherWays('withApiKey')),
    withAccessToken: flag(
      '--with-access-token',
      'read a personal access token from standard input and keep it',
      otherWays('withAccessToken'),
    ),
    json: { ...jsonOption, only: ['status'] },
    issuer: option('--experimental_issuer URL', 'another place to sign in', { hidden: true }),
    clientId: option('--experimental_client-id ID', 'another name for this program', { hidden: true }),
  },
  refuses: {
    '--api-key': {
      message: 'A key on the command line can be read by other users of this machine.',
      next: 'Pipe it in: `printenv OPENAI_API_KEY | capstan login --with-api-key`.',
    },
  },
  notes:
    'Pipe a key in, so that no other user can read it: `printenv OPENAI_API_KEY | capstan login --with-api-key`.\n' +
    'cli_auth_credentials_store in config.toml says where the login is kept: in the file auth.json (default) or in the keyring of the system.\n' +
    'OPENAI_API_KEY and CODEX_API_KEY go before the login. docs/login.md has the details.',
} as const satisfies Command;

export const logoutCommand = {
  name: 'logout',
  does: 'forget the login',
  summary: 'Forgets the login of this home folder. Codex shares it and is signed out as well.',
  forms: [''],
  examples: [['capstan logout', 'Forget the login']],
  words: [],
  options: {},
} as const satisfies Command;

export const configCommand = {
  name: 'config',
  does: 'show the configuration, and where each value comes from',
  summary: 'Shows the configuration in force, and where each value comes from.',
  forms: [
    ['show [options]', 'every value, defaults included, as TOML'],
    ['explain KEY [options]', 'what each file and flag says about one key'],
    ['path [options]', 'the files that Capstan reads; later ones win'],
  ],
  examples: [
    ['capstan config show --origin', 'Every value with the file and line that sets it'],
    ['capstan config explain sandbox_mode', 'Why commands may or may not write'],
  ],
  variants: {
    show: [],
    explain: [{ name: 'KEY', missing: 'explain needs a key, for example `capstan config explain model`.' }],
    path: [],
  },
  options: {
    origin: flag('--origin', 'with show: name the file and line that set each value', { only: ['show'] }),
    json: flag('--json', 'with show: print one JSON object with values, layers and problems', { only: ['show'] }),
    profile: option('-p, --profile NAME', 'read NAME.config.toml over config.toml'),
    folder: option('-C, --cd FOLDER', 'show what holds in FOLDER instead of this folder'),
    config: option('-c, --config KEY=VALUE', 'override a value', { repeats: true }),
    strictConfig: flag('--strict-config', 'treat unknown keys as errors'),
    ignoreUserConfig: flag('--ignore-user-config', 'do not read your config.toml'),
  },
  notes: 'Secrets are shown as <hidden>. If the configuration has an error, the exit code is 1.',
} as const satisfies Command;

export const execpolicyCheckCommand = {
  name: 'execpolicy check',
  does: 'show which rules match a command',
  summary: 'Shows as JSON which rules of the given files match a command. Capstan does not run the command.',
  forms: ['-r FILE… [options] [--] COMMAND…'],
  examples: [
    ['capstan execpolicy check -r my.rules git push --force', 'What the rules in my.rules say about a command'],
    ['capstan execpolicy check --pretty -r a.rules -r b.rules ls', 'Two files together, as JSON that is easy to read'],
  ],
  words: [{ name: 'COMMAND', many: true, verbatim: true, missing: 'which command? Write it after the options.' }],
  options: {
    rules: option('-r, --rules FILE', 'a file with rules; at least one is needed', { repeats: true }),
    pretty: flag('--pretty', 'print the JSON over several lines'),
    resolveHostExecutables: flag(
      '--resolve-host-executables',
      'let a path to a program match rules about its name, where host_executable allows it',
    ),
  },
  freeWord: 'command',
  notes:
    'Everything from the first word of COMMAND on belongs to it. The strictest rule decides: forbidden, then prompt, then allow.\n' +
    'Exit codes: 0 the files were read; 1 a file cannot be read or has an error; 2 wrong usage.',
} as const satisfies Command;

export const featuresCommand = {
  name: 'features',
  does: 'list and switch feature gates',
  summary: 'Lists the feature gates, and opens or closes one in your config.toml.',
  forms: [
    ['list [options]', 'every gate that does something, with its state'],
    ['enable FEATURE', 'open a gate'],
    ['disable FEATURE', 'close a gate'],
  ],
  examples: [['capstan features enable sleep_tool', 'Give the model the tool sleep']],
  variants: {
    list: [],
    enable: [{ name: 'FEATURE', missing: 'enable needs the name of a gate.' }],
    disable: [{ name: 'FEATURE', missing: 'disable needs the name of a gate.' }],
  },
  options: {
    json: flag('--json', 'with list: print one JSON object', { only: ['list'] }),
    folder: option('-C, --cd FOLDER', 'with list: as they are in FOLDER', { only: ['list'] }),
  },
  notes: 'For one run: `capstan exec -c features.NAME=true`.',
} as const satisfies Command;

export const hooksCommand = {
  name: 'hooks',
  does: 'list hooks, and choose which may run',
  summary: 'Lists the hooks that are configured here, and chooses which of them may run.',
  forms: [
    ['list [options]', 'every hook, with whether it runs'],
    ['trust [options]', 'let the hooks run that wait for it, as they are defined now'],
    ['untrust [options]', 'take that back'],
  ],
  examples: [
    ['capstan hooks list', 'What is configured in this folder'],
    ['capstan hooks trust --key KEY', 'One of them, by the key that list shows'],
  ],
  variants: { list: [], trust: [], untrust: [] },
  options: {
    key: option('--key KEY', 'only the hook with this key; otherwise all', { repeats: true }),
    json: flag('--json', 'with list: print one JSON object', { only: ['list'] }),
    folder: option('-C, --cd FOLDER', 'the hooks of FOLDER instead of this folder'),
  },
  notes: 'Hooks run outside the sandbox. Read a hook, and the programs that it starts, before you trust it.',
} as const satisfies Command;

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
    'Capstan starts a server with the next thread, outside the sandbox, and asks before calls of tools that may change something. Secrets are shown as <hidden>.',
} as const satisfies Command;

export const memoryCommand = {
  name: 'memory',
  does: 'show and clear what is remembered of earlier threads',
  summary: 'Shows what is remembered of earlier threads, and what it cost, or removes all of it.',
  forms: [
    ['show [options]', 'the summary that every thread reads, and the notes behind it'],
    ['clear', 'remove the files and the notes'],
  ],
  examples: [['capstan memory show', 'What the next thread will read']],
  variants: { show: [], clear: [] },
  options: { json: flag('--json', 'with show: print one JSON object', { only: ['show'] }) },
  notes: 'Notes are written only with `features.memories = true`.',
} as const satisfies Command;

export const modelsCommand = {
  name: 'models',
  does: 'list models, show what is known of one, and test it',
  summary: 'Works with models: which there are, how large their windows are, and what they can do.',
  forms: [
    ['list [options]', 'the models that are known, with their windows'],
    ['show MODEL [options]', 'all that is known of a model, and who says so'],
    ['test [MODEL] [options]', 'ask the model small questions, and remember what it can do'],
  ],
  examples: [
    ['capstan models list --provider ollama', 'What the Ollama of this machine has'],
    ['capstan models test --dry-run', 'What a test of the configured model would send'],
  ],
  variants: {
    list: [],
    show: [{ name: 'MODEL', missing: 'show needs the name of a model.' }],
    test: [{ name: 'MODEL' }],
  },
  options: {
    provider: option('--provider ID', 'another provider than the configured one'),
    offline: flag('--offline', 'with list: do not ask the server', { only: ['list'] }),
    dryRun: flag('--dry-run', 'with test: only say what would be sent', { only: ['test'] }),
    overflow: flag('--overflow', 'with test: also send more than a large window holds', { only: ['test'] }),
    folder: option('-C, --cd FOLDER', 'as it is configured in FOLDER'),
    json: flag('--json', 'print one JSON object'),
  },
  notes:
    'A test sends up to six requests, one after the other, and ends by itself. What it finds counts in new threads; `capstan envelope` names it as the source.',
} as const satisfies Command;
