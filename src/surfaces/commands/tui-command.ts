import { type Command, flag, option, sandboxFallbackOption } from './command.ts';

/** What both ways to open the terminal take. */
const tuiOptions = {
  model: option('-m, --model NAME', 'the model'),
  sandbox: option('-s, --sandbox MODE', 'what commands may do: read-only, workspace-write or danger-full-access', {
    choices: ['read-only', 'workspace-write', 'danger-full-access'],
  }),
  askForApproval: option('-a, --ask-for-approval POLICY', 'when Capstan asks: untrusted, on-request or never', {
    choices: ['untrusted', 'on-request', 'on-failure', 'never'],
  }),
  approveForMe: flag(
    '--approve-for-me',
    'a model answers in your place: the policy on-request with approvals_reviewer = auto_review',
    { without: ['askForApproval'] },
  ),
  cwd: option('-C, --cd FOLDER', 'the folder to work in'),
  sandboxFallback: sandboxFallbackOption,
  addDirectory: option('--add-dir FOLDER', 'another folder that commands may write to', { repeats: true }),
  screenReader: flag(
    '--screen-reader',
    'a plain layout for screen readers: words instead of signs, nothing drawn twice',
  ),
  fullScreen: flag('--full-screen', 'use the whole screen; without it, the conversation goes into the scrollback'),
  noAltScreen: flag('--no-alt-screen', '', { hidden: true }),
  override: option('-c, --config KEY=VALUE', 'override a value of config.toml', { repeats: true }),
  profile: option('-p, --profile NAME', 'read NAME.config.toml over config.toml'),
  oss: flag('--oss', 'use a model on this machine, served by Ollama or LM Studio'),
  localProvider: option('--local-provider NAME', 'with --oss: ollama or lmstudio', {
    choices: ['ollama', 'lmstudio'],
    with: 'oss',
  }),
  strictConfig: flag('--strict-config', 'treat unknown configuration keys as errors'),
  ignoreUserConfig: flag('--ignore-user-config', 'do not read your config.toml'),
  ignoreRules: flag('--ignore-rules', 'do not read your rules files and those of the project'),
  enable: option('--enable FEATURE', '', { repeats: true, hidden: true }),
  disable: option('--disable FEATURE', '', { repeats: true, hidden: true }),
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
  words: [{ name: 'PROMPT' }],
  freeWord: 'prompt',
  surplus: 'there is more than one prompt. Put the prompt in quotes.',
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
  words: [{ name: 'THREAD' }, { name: 'PROMPT' }],
  freeWord: 'prompt',
  surplus: 'there is more than one prompt. Put the prompt in quotes.',
  options: {
    last: flag('--last', 'the newest conversation of this folder', { choosesThread: true }),
    all: flag('--all', 'look at conversations of every folder'),
    ...tuiOptions,
  },
  notes: 'A resumed thread keeps its last model, effort, folder and policy unless an option names another.',
} as const satisfies Command;

export const forkTuiCommand = {
  name: 'fork',
  does: 'continue a copy of a conversation in the terminal',
  summary: 'Opens the terminal with a fork of an earlier conversation. The conversation itself stays as it is.',
  forms: [
    ['[options]', 'choose from the conversations of this folder'],
    ['[options] THREAD|--last [PROMPT]', 'fork that one'],
  ],
  about: resumeTuiCommand.about,
  examples: [['capstan fork --last', 'Try something else from where the newest conversation of this folder ended']],
  words: resumeTuiCommand.words,
  freeWord: 'prompt',
  surplus: resumeTuiCommand.surplus,
  options: resumeTuiCommand.options,
  notes: 'A fork keeps model, effort, folder and policy of the conversation unless an option names another.',
} as const satisfies Command;
