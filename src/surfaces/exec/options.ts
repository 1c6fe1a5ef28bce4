/** An option of `exec`. One table serves the parser, the help text and shell completion. */
export interface ExecOption {
  readonly names: readonly string[];
  /** What the value is called; absent for options without one. */
  readonly value?: string;
  /** Values that can be completed. */
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly repeats?: true;
  /** Empty: accepted for the sake of scripts, and not shown. */
  readonly help: string;
  readonly key: ExecOptionKey;
}

export type ExecOptionKey =
  | 'json'
  | 'sdkJson'
  | 'contextEvents'
  | 'verbose'
  | 'model'
  | 'oss'
  | 'localProvider'
  | 'sandbox'
  | 'cwd'
  | 'override'
  | 'profile'
  | 'image'
  | 'outputSchema'
  | 'lastMessageFile'
  | 'skipGitRepoCheck'
  | 'addDirectory'
  | 'ephemeral'
  | 'color'
  | 'strictConfig'
  | 'ignoreUserConfig'
  | 'bypass'
  | 'enable'
  | 'disable'
  | 'threadSource'
  | 'cyberAccessProgram'
  | 'last'
  | 'all'
  | 'help';

export const execOptions: readonly ExecOption[] = [
  {
    key: 'json',
    names: ['--json'],
    help: 'print events on standard output, one JSON object per line',
  },
  {
    key: 'sdkJson',
    names: ['--experimental-json'],
    help: 'the same for the SDK of Codex, which says itself that it has ended a turn (SIGTERM)',
  },
  {
    key: 'contextEvents',
    names: ['--context-events'],
    help: 'with --json: also what the model is told, what it costs and what broke the cache',
  },
  { key: 'verbose', names: ['-v', '--verbose'], help: 'the same for people, on standard error' },
  { key: 'model', names: ['-m', '--model'], value: 'NAME', help: 'the model' },
  { key: 'oss', names: ['--oss'], help: 'ask a model on this machine, served by Ollama or LM Studio' },
  {
    key: 'localProvider',
    names: ['--local-provider'],
    value: 'NAME',
    choices: ['ollama', 'lmstudio'],
    help: 'with --oss: ollama or lmstudio',
  },
  {
    key: 'sandbox',
    names: ['-s', '--sandbox'],
    value: 'MODE',
    choices: ['read-only', 'workspace-write', 'danger-full-access'],
    help: 'read-only, workspace-write or danger-full-access',
  },
  { key: 'cwd', names: ['-C', '--cd'], value: 'FOLDER', help: 'the folder to work in' },
  {
    key: 'addDirectory',
    names: ['--add-dir'],
    value: 'FOLDER',
    repeats: true,
    help: 'another folder that may be written',
  },
  {
    key: 'image',
    names: ['-i', '--image'],
    value: 'FILE',
    repeats: true,
    help: 'a picture to go with the prompt; several with commas',
  },
  { key: 'outputSchema', names: ['--output-schema'], value: 'FILE', help: 'a JSON Schema that the answer must fit' },
  { key: 'lastMessageFile', names: ['-o', '--output-last-message'], value: 'FILE', help: 'where to write the answer' },
  {
    key: 'override',
    names: ['-c', '--config'],
    value: 'KEY=VALUE',
    repeats: true,
    help: 'override a value of config.toml',
  },
  { key: 'profile', names: ['-p', '--profile'], value: 'NAME', help: 'read NAME.config.toml over config.toml' },
  { key: 'skipGitRepoCheck', names: ['--skip-git-repo-check'], help: 'run outside a git repository' },
  { key: 'ephemeral', names: ['--ephemeral'], help: 'keep nothing of the turn on disk' },
  {
    key: 'color',
    names: ['--color'],
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    help: 'auto, always or never',
  },
  { key: 'strictConfig', names: ['--strict-config'], help: 'unknown configuration keys are errors' },
  { key: 'ignoreUserConfig', names: ['--ignore-user-config'], help: 'do not read config.toml' },
  {
    key: 'bypass',
    names: ['--dangerously-bypass-approvals-and-sandbox', '--yolo'],
    help: 'no sandbox: only where something else isolates the machine',
  },
  { key: 'last', names: ['--last'], help: 'with resume and fork: the newest thread of this folder' },
  { key: 'all', names: ['--all'], help: 'with resume and fork: threads of any folder' },
  { key: 'enable', names: ['--enable'], value: 'FEATURE', repeats: true, help: '' },
  { key: 'disable', names: ['--disable'], value: 'FEATURE', repeats: true, help: '' },
  { key: 'threadSource', names: ['--thread-source'], value: 'NAME', help: '' },
  {
    key: 'cyberAccessProgram',
    names: ['--cyber-access-program'],
    value: 'NAME',
    choices: ['standard', 'daybreak_blue', 'daybreak_red'],
    help: '',
  },
  { key: 'help', names: ['-h', '--help'], help: 'this text' },
];

/** The help text, made from the table. */
export function execUsage(): string {
  const shown = execOptions.filter(({ help }) => help !== '');
  const left = shown.map(({ names, value }) => {
    const [first = '', second] = names[0]?.startsWith('--') === true ? ['', names[0]] : names;
    const both = [first === '' ? '   ' : `${first},`, second].join(' ');
    return value === undefined ? both : `${both} ${value}`;
  });
  const width = Math.max(...left.map((text) => text.length).filter((length) => length < 40));
  const lines = shown.map(({ help }, i) => {
    const text = left[i]!;
    return text.length > width ? `  ${text}\n  ${' '.repeat(width)}  ${help}` : `  ${text.padEnd(width)}  ${help}`;
  });
  return `Runs one turn and exits.

Usage:
  capstan exec [options] [PROMPT]
  capstan exec [options] resume THREAD [PROMPT]
  capstan exec [options] resume --last [PROMPT]
  capstan exec [options] fork THREAD [PROMPT]
  capstan exec [options] fork --last [PROMPT]

Without PROMPT, or with "-", the prompt is read from standard input. With both, what comes on standard
input is put behind the prompt. THREAD is an id, the beginning of one, or a name.
A fork is a new thread that goes on from THREAD, which stays as it is; without PROMPT there is no turn.

Options:
${lines.join('\n')}

The answer is printed on standard output; what happens meanwhile goes to standard error.
A thread that goes on keeps its last model, effort, folder and policy unless an option names another.

Exit codes: 0 the turn was completed; 1 it failed, was interrupted, could not begin, or its output could not be
written; 2 wrong usage.
`;
}
