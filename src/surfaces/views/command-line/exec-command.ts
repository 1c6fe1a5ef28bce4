import { type Command, type CommandArguments, flag, option, sandboxFallbackOption } from './command.ts';

const prompt = { name: 'PROMPT' } as const;
const repeated = { repeats: true } as const;

export const promptWords = {
  freeWord: 'prompt',
  surplus: 'there is more than one prompt. Put the prompt in quotes.',
} as const;

/** Options that several commands have, in groups by their places in the help text. */
export const modelSourceOptions = {
  override: option('-c, --config KEY=VALUE', 'override a value of config.toml', repeated),
  profile: option('-p, --profile NAME', 'read NAME.config.toml over config.toml'),
  oss: flag('--oss', 'use a model on this machine, served by Ollama or LM Studio'),
  localProvider: option('--local-provider NAME', 'with --oss: ollama or lmstudio', {
    choices: ['ollama', 'lmstudio'],
    // Requires `--oss`: without it, the prompt would go to another provider.
    with: 'oss',
  }),
} as const;

export const strictOptions = {
  strictConfig: flag('--strict-config', 'treat unknown configuration keys as errors'),
  ignoreUserConfig: flag('--ignore-user-config', 'do not read your config.toml'),
  ignoreRules: flag('--ignore-rules', 'do not read your rules files and those of the project'),
} as const;

export const featureOptions = {
  enable: option('--enable FEATURE', '', { repeats: true, hidden: true }),
  disable: option('--disable FEATURE', '', { repeats: true, hidden: true }),
} as const;

/** The arguments of `exec`, in a file of their own because every turn loads it. */
export const execCommand = {
  name: 'exec',
  does: 'run one turn: start, resume or fork a thread',
  summary: 'Runs one turn and exits: the model answers, runs commands and edits files.',
  forms: [
    '[options] [PROMPT]',
    '[options] resume THREAD|--last [PROMPT]',
    '[options] fork THREAD|--last [PROMPT]',
    '[options] review [WORDS]',
  ],
  about:
    'Without PROMPT, or with "-", Capstan reads the prompt from standard input. If you give PROMPT and pipe input, it appends the input to PROMPT.\n' +
    'THREAD is an id, the beginning of one, or a name. If it waits for your answer, resume without PROMPT asks again and continues its turn.\n' +
    'review reads what is not committed, or what an option or WORDS name, and reports what it finds; see `capstan review --help`.\n' +
    'A fork is a new thread that continues THREAD and leaves it unchanged. Without PROMPT, fork runs no turn.',
  examples: [
    ['capstan exec "Why does the login test fail?"', 'Ask about the code in this folder'],
    ['capstan exec -s workspace-write "Fix the login test"', 'Let the model change files here'],
    ['capstan exec resume --last "Now add a test for it"', 'Continue the newest conversation of this folder'],
  ],
  words: [prompt],
  variants: {
    resume: [{ name: 'THREAD', missing: 'resume needs a thread: its id, its name or --last.' }, prompt],
    fork: [{ name: 'THREAD', missing: 'fork needs a thread: its id, its name or --last.' }, prompt],
    review: [{ name: 'WORDS' }],
  },
  ...promptWords,
  options: {
    model: option('-m, --model NAME', 'the model'),
    sandbox: option('-s, --sandbox MODE', 'what commands may do: read-only, workspace-write or danger-full-access', {
      choices: ['read-only', 'workspace-write', 'danger-full-access'],
    }),
    mode: option(
      '--mode MODE',
      '`plan`: the model plans and changes nothing; `default` ends that. The thread remembers it',
      { choices: ['default', 'plan'] },
    ),
    approvals: option(
      '--approvals HOW',
      'who answers when a call needs your consent: `ask` (you, at this terminal) or a FILE of answers; without it, such calls are refused',
      { offers: ['ask'] },
    ),
    askForApproval: option(
      '-a, --ask-for-approval POLICY',
      'with --approvals: when Capstan asks: untrusted, on-request or never',
      { choices: ['untrusted', 'on-request', 'on-failure', 'never'] },
    ),
    approveForMe: flag(
      '--approve-for-me',
      'a model answers in your place: the policy on-request with approvals_reviewer = auto_review',
      { without: ['approvals', 'askForApproval', 'bypass'] },
    ),
    cwd: option('-C, --cd FOLDER', 'the folder to work in'),
    sandboxFallback: sandboxFallbackOption,
    addDirectory: option('--add-dir FOLDER', 'another folder that commands may write to', repeated),
    image: option('-i, --image FILE', 'a picture to send with the prompt; separate several with commas', repeated),
    lastMessageFile: option('-o, --output-last-message FILE', 'also write the answer to FILE'),
    outputSchema: option('--output-schema FILE', 'a JSON Schema that the answer must fit'),
    maxCost: option('--max-cost USD', 'end the turn before a request that could make it cost more'),
    maxTokens: option('--max-tokens N', 'end the turn before a request that could make it use more tokens'),
    json: flag('--json', 'print events on standard output, one JSON object per line'),
    verbose: flag('-v, --verbose', 'show more on standard error: whole outputs, context, cache'),
    last: flag('--last', 'with resume and fork: the newest thread of this folder', {
      only: ['resume', 'fork'],
      choosesThread: true,
    }),
    all: flag('--all', 'with resume and fork: look at threads of every folder'),
    uncommitted: flag('--uncommitted', 'with review: what is not committed, as without a target', { only: ['review'] }),
    base: option('--base BRANCH', 'with review: what the current branch adds to BRANCH', { only: ['review'] }),
    commit: option('--commit COMMIT', 'with review: the change of one commit', { only: ['review'] }),
    title: option('--title TEXT', 'with --commit: the title of the commit', { only: ['review'], with: 'commit' }),
    ephemeral: flag('--ephemeral', 'keep nothing of the turn on disk'),
    ...modelSourceOptions,
    color: option('--color WHEN', 'auto, always or never', { choices: ['auto', 'always', 'never'] }),
    skipGitRepoCheck: flag('--skip-git-repo-check', 'run outside a git repository'),
    contextEvents: flag(
      '--context-events',
      "with --json: also print events about context, costs and what broke the provider's cache",
    ),
    sdkJson: flag(
      '--experimental-json',
      'like --json, for the Codex SDK: after SIGTERM the last event is an error and the exit code is 1',
    ),
    ...strictOptions,
    bypass: flag(
      '--dangerously-bypass-approvals-and-sandbox, --yolo',
      'no sandbox and no questions: use it only where something else isolates Capstan',
    ),
    ...featureOptions,
    threadSource: option('--thread-source NAME', '', { hidden: true }),
    cyberAccessProgram: option('--cyber-access-program NAME', '', {
      choices: ['standard', 'daybreak_blue', 'daybreak_red'],
      hidden: true,
    }),
  },
  notes:
    'Standard output gets the answer; standard error gets everything else.\n' +
    'A resumed thread keeps its last model, effort, folder and policy unless an option names another.\n' +
    'Exit codes: 0 the turn completed; 1 it failed, could not start, or its output could not be written; 2 wrong usage. Ctrl-C ends the turn; Capstan then ends by SIGINT (130 in a shell), so that a shell loop stops too.',
} as const satisfies Command;

export type ExecArguments = CommandArguments<typeof execCommand>;
