import { builtInModes } from '../../../core/policy/profiles/tables/profile-tables.ts';
import { type Command, flag, option, sandboxFallbackOption } from '../../views/command-line/command.ts';

const command = { name: 'COMMAND', many: true, verbatim: true } as const;
const missing = 'which command? Write it after "--", for example `capstan sandbox -- ls`.';

export const sandboxCommand = {
  name: 'sandbox',
  does: 'run a command in the sandbox, and see what it enforces here',
  summary: 'Runs a command in the same sandbox as the commands of the model, or shows what that sandbox enforces.',
  forms: [
    ['[options] -- COMMAND …', 'run COMMAND; `sandbox run` is the same'],
    ['check [--json]', 'try to break out, and show what holds on this machine'],
    ['explain [-P NAME] [--json]', 'how a profile would be enforced on each system, or why not'],
    ['setup', "unpack the distribution's bubblewrap, where it is not installed"],
  ],
  about:
    'Without -P and without -c sandbox_mode=MODE, the command may read everything and write nothing, whatever the configuration says. To run a program that is called check, explain, setup, run or linux, put it after "--".',
  examples: [
    ['capstan sandbox -- npm test', 'See what fails without network and without writing'],
    ['capstan sandbox -P :workspace -- make', 'The same, with a workspace that can be written'],
    ['capstan sandbox check', 'What the sandbox enforces on this machine'],
  ],
  words: [{ ...command, missing }],
  variants: {
    run: [{ ...command, missing }],
    check: [],
    explain: [],
    setup: [],
    linux: [{ ...command, missing }],
  },
  freeWord: 'command',
  options: {
    permissions: option(
      '-P, --permission-profile NAME',
      'the profile to use: :read-only, :workspace, :danger-full-access or one of yours',
      { offers: Object.keys(builtInModes) },
    ),
    folder: option('-C, --cd FOLDER', 'the folder to work in'),
    sandboxFallback: sandboxFallbackOption,
    overrides: option('-c, --config KEY=VALUE', 'override a value of config.toml', { repeats: true }),
    profile: option('-p, --profile NAME', 'read NAME.config.toml over config.toml'),
    json: flag('--json', 'with check and explain: print one JSON object', { only: ['check', 'explain'] }),
    includeManaged: flag('--include-managed-config', '', { hidden: true }),
    policyFolder: option('--sandbox-policy-cwd FOLDER', '', { hidden: true, only: ['linux'] }),
    commandFolder: option('--command-cwd FOLDER', '', { hidden: true, only: ['linux'] }),
    legacyLandlock: flag('--use-legacy-landlock', '', { hidden: true, only: ['linux'] }),
    noProc: flag('--no-proc', '', { hidden: true, only: ['linux'] }),
    innerStage: flag('--apply-seccomp-then-exec', '', { hidden: true, only: ['linux'] }),
    forProxy: flag('--allow-network-for-proxy', '', { hidden: true, only: ['linux'] }),
    proxyRoutes: option('--proxy-route-spec JSON', '', { hidden: true, only: ['linux'] }),
    verifiedMount: option('--verify-fd-mount FD:FOLDER', '', { hidden: true, repeats: true, only: ['linux'] }),
  },
  notes:
    'The command gets this terminal, and Capstan ends with its exit status: 127 if there is no such program, and 126 if the file cannot be executed. If the sandbox refuses the command, Capstan ends with 1. `check` ends with 1 if something that the policy promises does not hold.\n' +
    '`capstan sandbox linux` takes the options of `codex-linux-sandbox`, with the profile as JSON, for programs that start that helper.',
} as const satisfies Command;

export const findFilesCommand = {
  name: 'files',
  does: 'find files by parts of their names',
  summary: 'Finds files and folders by letters of their paths, the best match first. What git ignores is left out.',
  forms: ['[options] [WORD]'],
  examples: [['capstan files rankpath', 'Files whose paths have these letters in this order']],
  words: [{ name: 'WORD' }],
  freeWord: 'word',
  options: {
    limit: option('--limit N', 'how many at most; 50 by default', { number: { min: 1, max: 1000 } }),
    folder: option('-C, --cd FOLDER', 'search FOLDER instead of this folder'),
    json: flag('--json', 'print one JSON object'),
  },
  notes: 'Letters in upper case count only if WORD has one.',
} as const satisfies Command;
