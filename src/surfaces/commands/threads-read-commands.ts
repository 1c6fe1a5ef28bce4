import { type Command, type CommandOption, flag, option } from './command.ts';
import { jsonOption, lastOption, threadWord } from './shared-options.ts';

// Commands that change no thread.

/** Which threads, and how many at a time: the same for lists and searches. */
const queryOptions = {
  cwd: option('-C, --cd FOLDER', 'only threads that work in this folder'),
  archived: flag('--archived', 'only archived threads, which are left out otherwise'),
  source: option(
    '--source NAME',
    'only threads that were started there: exec, cli, vscode, subagent, …; `all`: also those of other threads',
    { offers: ['exec', 'cli', 'vscode', 'mcp', 'subagent', 'internal', 'all'] },
  ),
  sort: option('--sort TIME', '`updated` or `created`; the newest come first', { choices: ['updated', 'created'] }),
  limit: option('-n, --limit NUMBER', 'how many at a time (25)', { number: { min: 1, max: 1000 } }),
  cursor: option('--cursor CURSOR', 'continue after the previous page'),
  json: jsonOption,
} as const satisfies Readonly<Record<string, CommandOption>>;

export const listCommand = {
  name: 'threads list',
  does: 'list threads, newest first',
  summary: 'Lists threads, those of Codex in the same home too.',
  forms: ['[OPTIONS]'],
  words: [],
  surplus: 'it takes options only; `threads search` takes words.',
  options: {
    text: option('--text TEXT', 'only threads with this in their name or first words'),
    ...queryOptions,
  },
} as const satisfies Command;

export const searchCommand = {
  name: 'threads search',
  does: 'find those in which something was said',
  summary: 'Finds threads in which a user or the model said something.',
  forms: ['WORD … [OPTIONS]'],
  words: [{ name: 'WORD', many: true }],
  freeWord: 'word',
  options: queryOptions,
  notes:
    'All words must stand in one message, in any order and in capitals or not; a part of a word is enough. What stands in\n' +
    'quotes is searched for as it is.',
} as const satisfies Command;

export const showCommand = {
  name: 'threads show',
  does: 'show one with its turns',
  summary: 'Shows a thread and its turns: time, tokens, what you asked, the calls and the answer.',
  forms: ['THREAD [--full] [--json]', '--last [--full] [--json]'],
  words: [threadWord],
  options: {
    full: flag('--full', 'everything that was said and done, in order; with --json, the items of each turn'),
    json: jsonOption,
    last: lastOption,
  },
  notes: 'Turns that were taken back are left out. Settings are shown where they change.',
} as const satisfies Command;

export const filesCommand = {
  name: 'threads files',
  does: 'what each turn changed in the workspace',
  summary: 'Shows what each turn of a thread changed in the workspace.',
  forms: ['THREAD [--diff] [--json]', '--last [--diff] [--json]'],
  words: [threadWord],
  options: {
    diff: flag('--diff', 'the changed lines of each file'),
    json: jsonOption,
    last: lastOption,
  },
  notes: 'It goes by the snapshots that are taken before and after a turn: docs/undo.md says of what.',
} as const satisfies Command;

export const reindexCommand = {
  name: 'threads reindex',
  does: 'read all of them again for lists and searches',
  summary: 'Reads all threads again for lists and searches.',
  forms: ['[--changed] [--json]'],
  words: [],
  surplus: 'it takes options only.',
  options: { changed: flag('--changed', 'only those that have changed'), json: jsonOption },
  notes: 'Answers are right without it: lists and searches look at the files. It makes the first search fast.',
} as const satisfies Command;

export const exportCommand = {
  name: 'threads export',
  does: 'write it as one file: JSONL, Markdown or HTML',
  summary: 'Writes a thread as one file.',
  forms: ['THREAD [--format jsonl|markdown|html] [-o FILE]', '--last …'],
  words: [threadWord],
  options: {
    format: option('--format FORMAT', 'jsonl (a rollout that resumes), markdown or html', {
      choices: ['jsonl', 'markdown', 'html'],
    }),
    output: option('-o, --output FILE', 'where to; a folder: under a name of its own'),
    force: flag('--force', 'replace a file that is there'),
    newId: flag('--new-id', 'jsonl: as another thread, which may stand beside this one'),
    last: lastOption,
  },
  notes:
    'Without --format the ending of FILE decides: .md is markdown, .html is html, everything else is jsonl.\n\n' +
    'A jsonl file holds the whole thread, with what a fork or a revert continues from. Capstan and Codex\n' +
    'resume it from `sessions/YYYY/MM/DD/` of their home, under the name that `-o FOLDER` gives it. It has\n' +
    'all that was said in the thread: share it with care.',
} as const satisfies Command;

export const importCommand = {
  name: 'threads import',
  does: 'take over a thread that was exported as JSONL',
  summary: 'Takes over a thread that was exported as JSONL.',
  forms: ['FILE'],
  words: [{ name: 'FILE', missing: 'which file? Name one.' }],
  options: {},
  notes:
    'The file is copied, and the thread keeps its id. `capstan exec resume` runs it in the folder where you start it,\n' +
    'with no more permissions than you have configured. The home of Codex needs no import: Capstan works with it in\n' +
    'place when CODEX_HOME names it.',
} as const satisfies Command;

export const compressCommand = {
  name: 'threads compress',
  does: 'pack the files of threads',
  summary: 'Packs the files of threads. They are read as before, and unpacked when they are resumed.',
  forms: ['THREAD [OPTIONS]', '--last [OPTIONS]', '--older-than TIME [OPTIONS]'],
  words: [threadWord],
  options: {
    olderThan: option('--older-than TIME', 'all threads without a write for so long: 7d, 12h', {
      choosesThread: true,
      without: ['last'],
    }),
    last: lastOption,
    dryRun: flag('--dry-run', 'only say what would be done'),
    json: flag('--json', 'print the result as JSON'),
  },
  notes: 'Threads that are being written stay as they are, and so do forks and what they continue from.',
} as const satisfies Command;

export const gcCommand = {
  name: 'threads gc',
  does: 'remove what no thread refers to',
  summary: 'Removes what no thread refers to: blobs, lock files that no process holds, files that were never finished.',
  forms: ['[OPTIONS]'],
  words: [],
  surplus: 'it takes options only.',
  options: {
    dryRun: flag('--dry-run', 'only say what would be removed'),
    reverted: flag('--reverted', 'also turns that rollbacks have put aside; those rollbacks can then not be undone'),
    json: flag('--json', 'print the result as JSON'),
  },
  notes:
    'Threads that are being written are not touched. If blobs take more than blobs.max_bytes of the configuration, the\n' +
    'oldest whole outputs go, too, and their threads are named; what the model saw of them stays in the threads.',
} as const satisfies Command;
