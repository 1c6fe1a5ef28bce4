import { type Command, flag, option } from './command.ts';
import { execCommand } from './exec-command.ts';
import { jsonOption, lastOption, operationOptions, threadWord } from './shared-options.ts';

// Commands that change a thread, make one, or remove one.

export const forkCommand = {
  name: 'threads fork',
  does: 'begin a thread that continues another',
  summary: 'Begins a thread that continues another one. Nothing is copied, and the other one stays what it is.',
  forms: ['THREAD [--through TURN | --before TURN]', '--last [--all] …'],
  words: [threadWord],
  options: {
    through: option('--through TURN', 'up to the end of this turn', { without: ['before'] }),
    before: option('--before TURN', 'up to the beginning of this turn'),
    ...operationOptions,
  },
  notes:
    'TURN is the number of a turn, its id, or the beginning of that. Without it the fork takes over everything; a turn\n' +
    'that is still running counts as interrupted there. `capstan exec resume` resumes the new thread.',
} as const satisfies Command;

export const rollbackCommand = {
  name: 'threads rollback',
  does: 'take the newest turns back',
  summary: 'Takes the newest turns of a thread back: the conversation, the files that they changed, or both.',
  forms: [
    'THREAD [--turns N | --to TURN] [--files | --both] [--force] [--meanwhile] [--dry-run]',
    'THREAD --before-checkpoint [N]',
    '--last [--all] …',
  ],
  words: [threadWord, { name: 'N' }],
  options: {
    turns: option('-n, --turns N', 'so many turns in which you spoke; 1 without it', {
      number: { min: 1, max: 9_999_999 },
      without: ['to'],
    }),
    to: option('--to TURN', 'everything after this turn'),
    checkpoint: flag('--before-checkpoint', 'to before checkpoint N, or the newest: see below', {
      without: ['turns', 'to'],
    }),
    files: flag('--files', 'take back what the turns did to files; the conversation stays', { without: ['both'] }),
    both: flag('--both', 'take back files and conversation'),
    force: flag('--force', 'with files: also those that were changed again after the turn'),
    meanwhile: flag('--meanwhile', 'with files: also those that changed while a turn ran, but not by it'),
    dryRun: flag('--dry-run', 'with files: only say what would become of them'),
    ...operationOptions,
  },
  notes: [
    'TURN is the number of a turn, its id, or the beginning of that. Without --files and --both, files stay as they are.',
    'Before a checkpoint, history is what it was when the checkpoint was made; all that came after it is taken back. A',
    'checkpoint in the middle of a turn cuts that turn: what it had done by then stays, and the turn counts as ended there.',
    '`capstan threads undo-rollback` brings the turns back, and after that `capstan threads restore --undo` the files. Up to',
    'ten rollbacks in a row can be undone, each with its files before the next, until `capstan threads gc --reverted`.',
  ].join('\n'),
} as const satisfies Command;

export const undoRollbackCommand = {
  name: 'threads undo-rollback',
  does: 'bring them back',
  summary: 'Brings back the turns that the newest rollback of a thread took away.',
  forms: ['THREAD [--force]', '--last [--all] [--force]'],
  words: [threadWord],
  options: {
    force: flag('--force', 'take back turns that began since, in exchange'),
    ...operationOptions,
  },
  notes: [
    'After several rollbacks in a row, each undo brings back what one of them took, the newest first: up to ten. When no',
    'rollback is left, or turns were given in exchange, the next undo takes the last undo back. After an exchange, further',
    'undos go round everything that was taken back.',
    'After rollbacks with --both, bring the files back after each undo: `capstan threads restore --undo`.',
  ].join('\n'),
} as const satisfies Command;

export const restoreCommand = {
  name: 'threads restore',
  does: 'bring files back as they were before a turn',
  summary: 'Brings files back as they were before a turn. The conversation stays as it is.',
  forms: [
    'THREAD --before-turn TURN [--dry-run] [--force] [--meanwhile] [--json]',
    'THREAD --undo [--dry-run] [--force] [--json]',
  ],
  words: [threadWord],
  options: {
    before: option('--before-turn TURN', 'the number of a turn, its id, or the beginning of that', {
      without: ['undo'],
    }),
    undo: flag('--undo', 'take the last restore of this thread back'),
    dryRun: flag('--dry-run', 'only say what would be done'),
    force: flag('--force', 'also files that were changed again after the turn'),
    meanwhile: flag('--meanwhile', 'also files that changed while a turn ran, but not by it'),
    json: jsonOption,
    last: lastOption,
  },
  notes: 'What is overwritten or deleted is kept first: --undo brings it back.',
} as const satisfies Command;

export const archiveCommand = {
  name: 'threads archive',
  does: 'put a thread away',
  summary: 'Puts a thread away. It can still be read and forked.',
  forms: ['THREAD', '--last [--all]'],
  words: [threadWord],
  options: operationOptions,
} as const satisfies Command;

export const unarchiveCommand = {
  name: 'threads unarchive',
  does: 'bring it back',
  summary: 'Brings an archived thread back.',
  forms: ['THREAD', '--last [--all]'],
  words: [threadWord],
  options: operationOptions,
} as const satisfies Command;

export const deleteCommand = {
  name: 'threads delete',
  does: 'delete a thread for good',
  summary: 'Deletes a thread for good, with all that was ever taken back from it.',
  forms: ['THREAD [--force]'],
  words: [{ name: 'THREAD', missing: 'which thread? Give its id or its name.' }],
  // The thread that was used last may be another one than the user thinks.
  refuses: {
    '--last': { message: 'a deleted thread does not come back. Give its id or its name instead of --last.' },
  },
  options: {
    force: flag('--force', 'delete the threads that were forked from it, too'),
    json: operationOptions.json,
  },
  notes: 'A thread that others were forked from is not deleted without --force: they would lose their beginning.',
} as const satisfies Command;

export const nameCommand = {
  name: 'threads name',
  does: 'give a thread a name',
  summary: 'Gives a thread a name, by which it can be resumed.',
  forms: ['THREAD NAME', '--last [--all] NAME'],
  words: [threadWord, { name: 'NAME', missing: 'what is it to be called?' }],
  freeWord: 'name',
  options: operationOptions,
  notes: 'An empty name takes the name away. Names need not be unique; of several threads the newest is meant.',
} as const satisfies Command;

export const setCommand = {
  name: 'threads set',
  does: 'change what its turns start from',
  summary: 'Changes what the turns of a thread start from, from the next one on.',
  forms: ['THREAD --model MODEL --cd FOLDER … [--json]', '--last …'],
  words: [threadWord],
  options: {
    model: option('-m, --model MODEL', 'the model'),
    effort: option('--effort EFFORT', 'how hard it thinks; `default`: as the model has it', {
      offers: ['default', 'none', 'minimal', 'low', 'medium', 'high'],
    }),
    cwd: option('-C, --cd FOLDER', 'the folder to work in'),
    sandbox: option('-s, --sandbox MODE', 'what commands may touch', {
      offers: ['read-only', 'workspace-write', 'danger-full-access'],
    }),
    approval: option('-a, --approval POLICY', 'when you are asked', { offers: ['on-request', 'never'] }),
    personality: option('--personality NAME', 'how it talks; `default`: none is chosen', {
      offers: ['default', 'none', 'friendly', 'pragmatic'],
    }),
    mode: option('--mode MODE', '`default` or `plan`', { offers: ['default', 'plan'] }),
    json: flag('--json', 'for programs'),
    last: lastOption,
  },
  notes: 'All of it is changed, or nothing. `capstan exec resume` starts from it unless an option says otherwise.',
} as const satisfies Command;

export const compactCommand = {
  name: 'threads compact',
  does: 'make a checkpoint of its history now',
  summary: 'Makes a checkpoint now: the model sums the work up, and your own words stay.',
  forms: ['THREAD [FOCUS …] [-c KEY=VALUE] [--json]', '--last [FOCUS …] [-c KEY=VALUE] [--json]'],
  words: [threadWord, { name: 'FOCUS', many: true }],
  freeWord: 'focus',
  options: { overrides: execCommand.options.override, json: jsonOption, last: lastOption },
  notes: [
    'FOCUS says in words what the checkpoint shall keep in view.',
    'It can be taken back with `capstan threads rollback THREAD --before-checkpoint`.',
  ].join('\n'),
} as const satisfies Command;

export const pinCommand = {
  name: 'threads pin',
  does: 'pin a note that no checkpoint forgets',
  summary: 'Pins a note to a thread: the model is told it as it is, and again after every checkpoint.',
  forms: ['THREAD "NOTE"', '--last [--all] "NOTE"'],
  words: [threadWord, { name: 'NOTE', missing: 'what is to be pinned? Put the note in quotes.' }],
  freeWord: 'note',
  surplus: 'there is more than one note: put it in quotes.',
  options: operationOptions,
  notes: 'A note may have about 2,000 tokens; a thread may have 20 notes, and 4,000 tokens of them in all.',
} as const satisfies Command;

export const pinsCommand = {
  name: 'threads pins',
  does: 'show the pinned notes',
  summary: 'Shows the notes that are pinned to a thread.',
  forms: ['THREAD [--json]', '--last [--all] [--json]'],
  words: [threadWord],
  options: operationOptions,
} as const satisfies Command;

export const unpinCommand = {
  name: 'threads unpin',
  does: 'take a pinned note away',
  summary: 'Takes a pinned note away. The next turn tells the model that it no longer holds.',
  forms: ['THREAD NUMBER|ID', '--last [--all] NUMBER|ID'],
  words: [threadWord, { name: 'NUMBER|ID', missing: 'which note? Give its number or its id.' }],
  options: operationOptions,
  notes: '`capstan threads pins` shows the numbers and the ids.',
} as const satisfies Command;
