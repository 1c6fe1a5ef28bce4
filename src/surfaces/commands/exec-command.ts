import { type Command, type CommandArguments, flag, option } from './command.ts';

const prompt = { name: 'PROMPT' } as const;

/** What `exec` takes. It has a file of its own because every turn loads it. */
export const execCommand = {
  name: 'exec',
  does: 'run one turn, of a new thread or of one that you resume or fork',
  summary: 'Runs one turn and exits.',
  forms: [
    '[options] [PROMPT]',
    '[options] resume THREAD [PROMPT]',
    '[options] resume --last [PROMPT]',
    '[options] fork THREAD [PROMPT]',
    '[options] fork --last [PROMPT]',
  ],
  about:
    'Without PROMPT, or with "-", the prompt is read from standard input. With both, what comes on standard\n' +
    'input is put behind the prompt. THREAD is an id, the beginning of one, or a name.\n' +
    'A fork is a new thread that continues THREAD, which stays as it is; without PROMPT there is no turn.',
  words: [prompt],
  variants: {
    resume: [{ name: 'THREAD', missing: 'resume needs the id of a thread, or --last.' }, prompt],
    fork: [{ name: 'THREAD', missing: 'fork needs the id of a thread, or --last.' }, prompt],
  },
  freeWord: 'prompt',
  surplus: 'there is more than one prompt: put it in quotes.',
  refuses: {
    review: {
      message: 'there is no command "review" here.',
      next: 'Ask for the review in words. A prompt of that one word goes behind "--".',
    },
  },
  options: {
    json: flag('--json', 'print events on standard output, one JSON object per line'),
    sdkJson: flag(
      '--experimental-json',
      'the same for the SDK of Codex, which says itself that it has ended a turn (SIGTERM)',
    ),
    contextEvents: flag(
      '--context-events',
      'with --json: also what the model is told, what it costs and what broke the cache',
    ),
    verbose: flag('-v, --verbose', 'the same for people, on standard error'),
    model: option('-m, --model NAME', 'the model'),
    oss: flag('--oss', 'ask a model on this machine, served by Ollama or LM Studio'),
    localProvider: option('--local-provider NAME', 'with --oss: ollama or lmstudio', {
      choices: ['ollama', 'lmstudio'],
      // To ignore it would send the prompt to another provider.
      with: 'oss',
    }),
    sandbox: option('-s, --sandbox MODE', 'read-only, workspace-write or danger-full-access', {
      choices: ['read-only', 'workspace-write', 'danger-full-access'],
    }),
    cwd: option('-C, --cd FOLDER', 'the folder to work in'),
    addDirectory: option('--add-dir FOLDER', 'another folder that may be written', { repeats: true }),
    image: option('-i, --image FILE', 'a picture to go with the prompt; several with commas', { repeats: true }),
    outputSchema: option('--output-schema FILE', 'a JSON Schema that the answer must fit'),
    lastMessageFile: option('-o, --output-last-message FILE', 'where to write the answer'),
    override: option('-c, --config KEY=VALUE', 'override a value of config.toml', { repeats: true }),
    profile: option('-p, --profile NAME', 'read NAME.config.toml over config.toml'),
    skipGitRepoCheck: flag('--skip-git-repo-check', 'run outside a git repository'),
    ephemeral: flag('--ephemeral', 'keep nothing of the turn on disk'),
    color: option('--color WHEN', 'auto, always or never', { choices: ['auto', 'always', 'never'] }),
    strictConfig: flag('--strict-config', 'unknown configuration keys are errors'),
    ignoreUserConfig: flag('--ignore-user-config', 'do not read config.toml'),
    bypass: flag(
      '--dangerously-bypass-approvals-and-sandbox, --yolo',
      'no sandbox: only where something else isolates the machine',
    ),
    last: flag('--last', 'with resume and fork: the newest thread of this folder', {
      only: ['resume', 'fork'],
      choosesThread: true,
    }),
    all: flag('--all', 'with resume and fork: threads of any folder'),
    enable: option('--enable FEATURE', '', { repeats: true, hidden: true }),
    disable: option('--disable FEATURE', '', { repeats: true, hidden: true }),
    threadSource: option('--thread-source NAME', '', { hidden: true }),
    cyberAccessProgram: option('--cyber-access-program NAME', '', {
      choices: ['standard', 'daybreak_blue', 'daybreak_red'],
      hidden: true,
    }),
  },
  notes:
    'The answer is printed on standard output; what happens meanwhile goes to standard error.\n' +
    'A resumed thread keeps its last model, effort, folder and policy unless an option names another.\n\n' +
    'Exit codes: 0 the turn was completed; 1 it failed, could not begin, or its output could not be written;\n' +
    '2 wrong usage. Ctrl-C ends the turn, then the process by SIGINT (130 in a shell), so that loops stop, too.',
} as const satisfies Command;

export type ExecArguments = CommandArguments<typeof execCommand>;
