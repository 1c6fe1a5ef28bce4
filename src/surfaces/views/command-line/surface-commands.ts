import { type Command, type CommandArguments, flag, option, sandboxFallbackOption } from './command.ts';
import { execCommand, featureOptions, promptWords, modelSourceOptions, strictOptions } from './exec-command.ts';

const { options } = execCommand;

const tuiOptions = {
  model: options.model,
  sandbox: options.sandbox,
  askForApproval: option('-a, --ask-for-approval POLICY', 'when Capstan asks: untrusted, on-request or never', {
    choices: ['untrusted', 'on-request', 'on-failure', 'never'],
  }),
  approveForMe: flag(
    '--approve-for-me',
    'a model answers in your place: the policy on-request with approvals_reviewer = auto_review',
    { without: ['askForApproval'] },
  ),
  cwd: options.cwd,
  sandboxFallback: sandboxFallbackOption,
  addDirectory: options.addDirectory,
  screenReader: flag(
    '--screen-reader',
    'a plain layout for screen readers: words instead of signs, nothing drawn twice',
  ),
  fullScreen: flag('--full-screen', 'use the whole screen; without it, the conversation goes into the scrollback'),
  noAltScreen: flag('--no-alt-screen', '', { hidden: true }),
  ...modelSourceOptions,
  ...strictOptions,
  ...featureOptions,
} as const;

export const tuiCommand = {
  name: 'tui',
  does: 'converse in the terminal; the same as capstan without a command',
  summary: 'Opens the terminal: a conversation with the model, with questions, steering and undo at hand.',
  forms: ['[options] [PROMPT]'],
  about:
    'On a terminal, `capstan`, `capstan [options]` and `capstan "PROMPT"` do the same. docs/terminal.md lists the keys and commands.',
  examples: [
    ['capstan tui "Explain this project"', 'Begin with a message'],
    ['capstan tui -m gpt-5.5 -s read-only', 'Choose the model and what commands may do'],
  ],
  ...promptWords,
  words: [{ name: 'PROMPT' }],
  options: tuiOptions,
  notes: 'Exit codes: 0 you left; 1 the conversation could not be opened; 2 wrong usage.',
} as const satisfies Command;

export const resumeTuiCommand = {
  name: 'resume',
  does: 'continue a conversation in the terminal',
  summary: 'Opens the terminal with an earlier conversation.',
  forms: [
    ['[options]', 'choose from the conversations of this folder'],
    ['[options] THREAD|--last [PROMPT]', 'continue that one'],
  ],
  about: 'THREAD is an id, the beginning of one, or a name.',
  examples: [['capstan resume --last', 'Continue the newest conversation of this folder']],
  ...promptWords,
  words: [{ name: 'THREAD' }, { name: 'PROMPT' }],
  options: {
    last: flag('--last', 'the newest conversation of this folder', { choosesThread: true }),
    all: flag('--all', 'look at conversations of every folder'),
    ...tuiOptions,
  },
  notes: 'A resumed thread keeps its last model, effort, folder and policy unless an option names another.',
} as const satisfies Command;

export const forkTuiCommand = {
  ...resumeTuiCommand,
  name: 'fork',
  does: 'continue a copy of a conversation in the terminal',
  summary: 'Opens the terminal with a fork of an earlier conversation. The conversation itself stays as it is.',
  forms: [
    ['[options]', 'choose from the conversations of this folder'],
    ['[options] THREAD|--last [PROMPT]', 'fork that one'],
  ],
  examples: [['capstan fork --last', 'Try something else from where the newest conversation of this folder ended']],
  notes: 'A fork keeps model, effort, folder and policy of the conversation unless an option names another.',
} as const satisfies Command;

export const reviewCommand = {
  name: 'review',
  does: 'review changes of code',
  summary: 'Reviews changes: a reader without a memory of the work, who can change nothing, reports what it finds.',
  forms: ['[options]', '[options] --base BRANCH', '[options] --commit COMMIT', '[options] WORDS'],
  about:
    'Without a target Capstan reviews what is not committed. WORDS say in your own words what to review; "-" reads them from standard input.\n' +
    'The findings are kept in a new thread: `capstan exec resume --last "Fix the first one"` continues with them.',
  examples: [
    ['capstan review', 'Review what is not committed'],
    ['capstan review --base main', 'Review what this branch adds to main'],
    ['capstan review "the error handling in src/api"', 'Review what the words say'],
  ],
  words: [{ name: 'WORDS' }],
  freeWord: 'words',
  surplus: 'there is more than one text. Put the words in quotes.',
  options: {
    uncommitted: flag('--uncommitted', 'what is not committed, as without a target'),
    base: option('--base BRANCH', 'what the current branch adds to BRANCH'),
    commit: option('--commit COMMIT', 'the change of one commit'),
    title: option('--title TEXT', 'with --commit: the title of the commit', { with: 'commit' }),
    model: options.model,
    sandboxFallback: options.sandboxFallback,
    cwd: options.cwd,
    lastMessageFile: options.lastMessageFile,
    json: options.json,
    verbose: options.verbose,
    ephemeral: options.ephemeral,
    ...modelSourceOptions,
    color: options.color,
    contextEvents: options.contextEvents,
    ...strictOptions,
    ...featureOptions,
  },
  notes:
    'Standard output gets the review; standard error gets everything else. `--json` ends with the event `review.completed`.',
} as const satisfies Command;

export type ReviewArguments = Pick<CommandArguments<typeof reviewCommand>, 'options' | 'words'>;

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
    overrides: options.override,
    profile: options.profile,
    strictConfig: options.strictConfig,
  },
  notes:
    'Standard output carries only the protocol; everything else goes to standard error.\n' +
    'Exit codes: 0 the host has gone; 1 the server could not start; 2 wrong usage. SIGINT and SIGTERM end the server within a second.',
} as const satisfies Command;

export const demoCommand = {
  name: 'demo',
  does: 'see Capstan work, without a model or a key',
  summary: 'Shows Capstan at work with a scripted model: you need no key.',
  forms: ['[--keep]'],
  words: [],
  options: {
    keep: flag('--keep', "keep the demo's files until the next demo, to look around in them"),
  },
} as const satisfies Command;

export const completionCommand = {
  name: 'completion',
  does: 'print the completion script for your shell',
  summary: 'Prints a script that completes commands, options, values and threads in your shell.',
  forms: ['bash|zsh|fish'],
  examples: [
    ['source <(capstan completion bash)', 'The line for bash, in ~/.bashrc'],
    ['source <(capstan completion zsh)', 'The line for zsh, in ~/.zshrc'],
    ['capstan completion fish | source', 'The line for fish, in ~/.config/fish/config.fish'],
  ],
  words: [{ name: 'SHELL', choices: ['bash', 'zsh', 'fish'], missing: 'for which shell? Name bash, zsh or fish.' }],
  options: {},
  notes: 'Put the line for your shell into its start-up file, then open a new shell.',
} as const satisfies Command;

export const helpCommand = {
  name: 'help',
  does: 'show what a command does and takes',
  summary: 'Shows what a command does and takes.',
  forms: ['[COMMAND …]'],
  examples: [['capstan help threads rollback', 'The same as `capstan threads rollback --help`']],
  words: [{ name: 'COMMAND', many: true }],
  options: {},
} as const satisfies Command;

export const completeCommand = {
  name: 'complete',
  hidden: true,
  does: '',
  summary: 'Prints what may stand in the place of the last word, for the completion of a shell.',
  forms: ['bash -- LINE REPLACED', 'zsh|fish -- WORD …'],
  words: [{ name: 'SHELL' }, { name: 'WORD', many: true }],
  options: {},
} as const satisfies Command;
