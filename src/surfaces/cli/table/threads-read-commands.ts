import { type Command, type CommandOption, flag, option } from '../../views/command-line/command.ts';
import { jsonAndLast, jsonOption, lastOption, oneThreadUsage, threadWord } from './threads-change-commands.ts';

const onlyOptions = { forms: ['[options]'], words: [], surplus: 'it takes options only.' } as const;

const queryOptions = {
  cwd: option('-C, --cd FOLDER', 'only threads that work in FOLDER'),
  limit: option('-n, --limit NUMBER', 'how many at a time (25)', { number: { min: 1, max: 1000 } }),
  sort: option('--sort TIME', '`updated` or `created`; newest first', { choices: ['updated', 'created'] }),
  archived: flag('--archived', 'only archived threads, which are left out otherwise'),
  source: option(
    '--source NAME',
    'only threads started by NAME: exec, cli, vscode, subagent, …; `all` also lists threads that other threads started',
    { offers: ['exec', 'cli', 'vscode', 'mcp', 'subagent', 'internal', 'all'] },
  ),
  cursor: option('--cursor CURSOR', 'continue after the previous page'),
  json: jsonOption,
} as const satisfies Readonly<Record<string, CommandOption>>;

export const listCommand = {
  name: 'threads list',
  does: 'list threads, newest first',
  summary: 'Lists threads, newest first, including those of Codex in the same home.',
  forms: ['[options]'],
  examples: [
    ['capstan threads list -C .', 'The threads of this folder'],
    ['capstan threads list --text login', 'Threads with login in their name or first message'],
  ],
  words: [],
  surplus: 'it takes options only; `threads search` takes words.',
  options: {
    text: option('--text TEXT', 'only threads with TEXT in their name or first message'),
    ...queryOptions,
  },
} as const satisfies Command;

export const searchCommand = {
  name: 'threads search',
  does: 'search what you and the model wrote',
  summary: 'Searches the messages of users and models in all threads.',
  forms: ['WORD … [options]'],
  examples: [
    ['capstan threads search login timeout', 'Messages with both words'],
    ['capstan threads search "connection refused"', 'Messages with exactly this text'],
  ],
  words: [{ name: 'WORD', many: true }],
  freeWord: 'word',
  options: queryOptions,
  notes:
    'A message matches if it has all words, in any order, in upper or lower case, or as part of longer words. Text in quotes must appear exactly.',
} as const satisfies Command;

export const showCommand = {
  name: 'threads show',
  does: 'show a thread with its turns',
  summary: 'Shows a thread and its turns: time, tokens, what you asked, the calls and the answer.',
  ...oneThreadUsage,
  examples: [['capstan threads show --last', 'The newest thread of this folder']],
  options: {
    full: flag('--full', 'everything that was said and done, in order; with --json, the items of each turn'),
    tree: flag('--tree', 'only the agents that the thread started, and theirs'),
    ...jsonAndLast,
  },
  notes: 'Turns that were rolled back are left out. Settings are shown where they change.',
} as const satisfies Command;

export const filesCommand = {
  name: 'threads files',
  does: 'show which files each turn changed',
  summary: 'Shows which files each turn of a thread changed in the workspace.',
  ...oneThreadUsage,
  examples: [['capstan threads files --last --diff', 'What the newest thread here changed, line by line']],
  options: { diff: flag('--diff', 'the changed lines of each file'), ...jsonAndLast },
  notes: 'Capstan compares the snapshots from before and after each turn. docs/undo.md says what they include.',
} as const satisfies Command;

export const reindexCommand = {
  name: 'threads reindex',
  does: 'rebuild the index for lists and searches',
  summary: 'Rebuilds the index that makes lists and searches fast.',
  ...onlyOptions,
  examples: [['capstan threads reindex --changed', 'Index new and changed threads']],
  options: { changed: flag('--changed', 'read only threads that have changed'), json: jsonOption },
  notes: 'Lists and searches are correct without it, because they check the files. It makes the first search fast.',
} as const satisfies Command;

export const exportCommand = {
  name: 'threads export',
  does: 'write a thread as JSONL, Markdown or HTML',
  summary: 'Writes a thread as one file.',
  ...oneThreadUsage,
  examples: [
    ['capstan threads export --last -o thread.html', 'A page to read in a browser'],
    ['capstan threads export --last -o backup.jsonl', 'A file that another machine can import'],
  ],
  options: {
    output: option('-o, --output FILE', 'the file to write; if it is a folder, Capstan chooses the name'),
    format: option('--format FORMAT', 'jsonl (can be imported and resumed), markdown or html', {
      choices: ['jsonl', 'markdown', 'html'],
    }),
    force: flag('--force', 'replace an existing file'),
    newId: flag('--new-id', 'jsonl: give the copy an id of its own, so that both can be in one home'),
    last: lastOption,
  },
  notes: [
    'Without --format, the ending of FILE decides: .md is markdown, .html is html, everything else is jsonl.',
    'A jsonl file has the whole thread, including what a fork continues from. It contains everything that was said: share it with care.',
    'Instead of importing it, you can copy it to `sessions/YYYY/MM/DD/` of a home of Capstan or Codex, under the name that `-o FOLDER` gives it.',
  ].join('\n'),
} as const satisfies Command;

export const importCommand = {
  name: 'threads import',
  does: 'import a thread that was exported as JSONL',
  summary: 'Imports a thread that was exported as JSONL.',
  forms: ['FILE [options]'],
  examples: [['capstan threads import backup.jsonl', 'Import a thread, and print how to resume it']],
  words: [
    {
      name: 'FILE',
      missing: 'which file? Name one that was exported as jsonl: `capstan threads export --help` says how.',
    },
  ],
  options: { json: flag('--json', 'print the result as JSON') },
  notes: [
    'Capstan copies the file, and the thread keeps its id. It runs in the folder where you resume it, with no more permissions than you have configured.',
    'In a pipe, only the id is printed.',
    'The home of Codex needs no import: set CODEX_HOME to it, and Capstan works with it in place.',
  ].join('\n'),
} as const satisfies Command;

export const compressCommand = {
  name: 'threads compress',
  does: 'compress the files of old threads',
  summary: 'Compresses the files of threads. You can still read them; resuming one unpacks it.',
  forms: ['THREAD|--last [options]', '--older-than TIME [options]'],
  examples: [['capstan threads compress --older-than 30d --dry-run', 'See how much space that would free']],
  words: [threadWord],
  options: {
    olderThan: option('--older-than TIME', 'all threads not written to for this long: 7d, 12h', {
      choosesThread: true,
      without: ['last'],
    }),
    last: lastOption,
    dryRun: flag('--dry-run', 'only show what would happen'),
    json: flag('--json', 'print the result as JSON'),
  },
  notes: 'Capstan leaves out threads that are in use, forks, and threads that forks continue from.',
} as const satisfies Command;

export const gcCommand = {
  name: 'threads gc',
  does: 'remove data that no thread uses',
  summary: 'Removes what no thread refers to: stored outputs, stale lock files and unfinished files.',
  ...onlyOptions,
  examples: [['capstan threads gc --dry-run', 'See what would be removed']],
  options: {
    dryRun: flag('--dry-run', 'only show what would be removed'),
    reverted: flag(
      '--reverted',
      'also remove turns that were rolled back; after that, those rollbacks cannot be undone',
    ),
    json: flag('--json', 'print the result as JSON'),
  },
  notes:
    'Threads that are in use are not touched. If stored outputs take more than blobs.max_bytes, Capstan also removes the oldest ones and names their threads; what the model saw of them stays in the threads.',
} as const satisfies Command;

// Commands that only read a thread: it may be in use.

const newestThread =
  'THREAD is an id, the beginning of one, or a name. Without it, Capstan takes the newest thread of this folder.';

const numberOrLast = { number: { min: 1 }, choices: ['last'] } as const;
/** A command that reads the thread that is named, or the newest one. */
const onAnyThread = { forms: ['[THREAD] [options]'], words: [{ name: 'THREAD' }] } as const;

export const contextCommand = {
  name: 'context',
  does: 'show what fills the context window, and what was sent',
  summary: "Shows what fills a thread's context window, and what it costs. Only reads: the thread may be in use.",
  ...onAnyThread,
  examples: [
    ['capstan context', 'What fills the window of the newest thread here'],
    ['capstan context --request last', 'The last request, as the model received it'],
  ],
  options: {
    changes: flag('--changes', 'what Capstan sent the model in each turn about its environment, and why', {
      without: ['request', 'checkpoint'],
    }),
    request: option(
      '--request N',
      'request number N, or last: instructions, tools and items, each with its origin; with --json the exact body',
      { ...numberOrLast, without: ['changes', 'checkpoint'] },
    ),
    checkpoint: option('--checkpoint N', 'history before and after checkpoint number N, or last, side by side', {
      ...numberOrLast,
      without: ['changes', 'request'],
    }),
    ...jsonAndLast,
  },
  notes:
    `${newestThread}\n` +
    'Token counts are exact where the provider counted, scaled where its count was divided among parts, and estimated where it has not counted yet.',
} as const satisfies Command;

export const envelopeCommand = {
  name: 'envelope',
  does: 'show the settings of a turn, and who decided each',
  summary: 'Shows the settings of a turn, its envelope: every value, where it came from, and which code reads it.',
  ...onAnyThread,
  examples: [
    ['capstan envelope', 'The newest turn of the newest thread here'],
    ['capstan envelope --turn 3 --diff 2', 'What changed between turns 2 and 3'],
  ],
  options: {
    turn: option('--turn N', 'the turn, counted from 1; the newest by default', { number: { min: 1 } }),
    diff: option('--diff M', 'only what differs from turn M', { number: { min: 1 } }),
    json: flag('--json', 'print one JSON object, with the source files that read each field'),
    last: lastOption,
  },
  notes: `${newestThread}\nOnly reads: the thread may be in use. docs/envelope.md lists every field.`,
} as const satisfies Command;

export const replayCommand = {
  name: 'replay',
  does: 'rebuild what the model was sent, and compare',
  summary: 'Rebuilds every model request of a thread from its file and compares it with what was sent.',
  ...onAnyThread,
  examples: [
    ['capstan replay', 'Check every request of the newest thread here'],
    ['capstan replay --request 2 --print', 'The exact body of its second request'],
  ],
  options: {
    request: option('--request N', 'only this one, counted from 1', { number: { min: 1 } }),
    print: flag('--print', 'with --request: print its body, byte for byte, and nothing else', { with: 'request' }),
    takenBack: flag('--taken-back', 'the requests of turns that were taken back, which the thread no longer lists'),
    ...jsonAndLast,
  },
  notes:
    `${newestThread}\n` +
    'Exit codes: 0 every request matches; 1 a request differs from what was sent, or its tool list is missing; 2 wrong usage.\n' +
    'Codex does not record its requests: for its threads Capstan shows the input that the history implies, and compares nothing.',
} as const satisfies Command;

export const rerunCommand = {
  name: 'rerun',
  does: 'send a past step again, to the same or another model',
  summary: 'Sends the request of a past step again and shows the old and the new answer side by side.',
  forms: ['[THREAD] --step N [options]'],
  examples: [
    ['capstan rerun --step last', 'The last step of the newest thread here, once more'],
    ['capstan rerun --step 3 --model gpt-5.4', 'What another model would have answered'],
  ],
  words: [{ name: 'THREAD' }],
  options: {
    step: option('--step N', 'the number of its request, as `capstan replay` lists them, or last', numberOrLast),
    model: option('-m, --model NAME', 'another model'),
    provider: option('--provider ID', 'another provider of your configuration'),
    ...jsonAndLast,
  },
  notes:
    `${newestThread}\n` +
    'No call is run, and the thread is not changed: it may be in use. The request costs what a request of its size costs.\n' +
    'Exit codes: 0 the model answered; 1 it did not, or the step cannot be sent; 2 wrong usage.',
} as const satisfies Command;
