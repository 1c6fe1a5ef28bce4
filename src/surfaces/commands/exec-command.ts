import { type Command, type CommandArguments, keyAndValue } from './command.ts';

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
    json: { names: ['--json'], help: 'print events on standard output, one JSON object per line' },
    sdkJson: {
      names: ['--experimental-json'],
      help: 'the same for the SDK of Codex, which says itself that it has ended a turn (SIGTERM)',
    },
    contextEvents: {
      names: ['--context-events'],
      help: 'with --json: also what the model is told, what it costs and what broke the cache',
    },
    verbose: { names: ['-v', '--verbose'], help: 'the same for people, on standard error' },
    model: { names: ['-m', '--model'], value: 'NAME', help: 'the model' },
    oss: { names: ['--oss'], help: 'ask a model on this machine, served by Ollama or LM Studio' },
    localProvider: {
      names: ['--local-provider'],
      value: 'NAME',
      choices: ['ollama', 'lmstudio'],
      // To ignore it would send the prompt to another provider.
      with: 'oss',
      help: 'with --oss: ollama or lmstudio',
    },
    sandbox: {
      names: ['-s', '--sandbox'],
      value: 'MODE',
      choices: ['read-only', 'workspace-write', 'danger-full-access'],
      help: 'read-only, workspace-write or danger-full-access',
    },
    cwd: { names: ['-C', '--cd'], value: 'FOLDER', help: 'the folder to work in' },
    addDirectory: {
      names: ['--add-dir'],
      value: 'FOLDER',
      repeats: true,
      help: 'another folder that may be written',
    },
    image: {
      names: ['-i', '--image'],
      value: 'FILE',
      repeats: true,
      help: 'a picture to go with the prompt; several with commas',
    },
    outputSchema: { names: ['--output-schema'], value: 'FILE', help: 'a JSON Schema that the answer must fit' },
    lastMessageFile: { names: ['-o', '--output-last-message'], value: 'FILE', help: 'where to write the answer' },
    override: {
      names: ['-c', '--config'],
      value: keyAndValue,
      repeats: true,
      help: 'override a value of config.toml',
    },
    profile: { names: ['-p', '--profile'], value: 'NAME', help: 'read NAME.config.toml over config.toml' },
    skipGitRepoCheck: { names: ['--skip-git-repo-check'], help: 'run outside a git repository' },
    ephemeral: { names: ['--ephemeral'], help: 'keep nothing of the turn on disk' },
    color: { names: ['--color'], value: 'WHEN', choices: ['auto', 'always', 'never'], help: 'auto, always or never' },
    strictConfig: { names: ['--strict-config'], help: 'unknown configuration keys are errors' },
    ignoreUserConfig: { names: ['--ignore-user-config'], help: 'do not read config.toml' },
    bypass: {
      names: ['--dangerously-bypass-approvals-and-sandbox', '--yolo'],
      help: 'no sandbox: only where something else isolates the machine',
    },
    last: {
      names: ['--last'],
      only: ['resume', 'fork'],
      choosesThread: true,
      help: 'with resume and fork: the newest thread of this folder',
    },
    all: { names: ['--all'], help: 'with resume and fork: threads of any folder' },
    enable: { names: ['--enable'], value: 'FEATURE', repeats: true, hidden: true, help: '' },
    disable: { names: ['--disable'], value: 'FEATURE', repeats: true, hidden: true, help: '' },
    threadSource: { names: ['--thread-source'], value: 'NAME', hidden: true, help: '' },
    cyberAccessProgram: {
      names: ['--cyber-access-program'],
      value: 'NAME',
      choices: ['standard', 'daybreak_blue', 'daybreak_red'],
      hidden: true,
      help: '',
    },
  },
  notes:
    'The answer is printed on standard output; what happens meanwhile goes to standard error.\n' +
    'A resumed thread keeps its last model, effort, folder and policy unless an option names another.\n\n' +
    'Exit codes: 0 the turn was completed; 1 it failed, was interrupted, could not begin, or its output could not be\n' +
    'written; 2 wrong usage.',
} as const satisfies Command;

export type ExecArguments = CommandArguments<typeof execCommand>;
