import type { Command } from './command.ts';
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
    through: { names: ['--through'], value: 'TURN', without: ['before'], help: 'up to the end of this turn' },
    before: { names: ['--before'], value: 'TURN', help: 'up to the beginning of this turn' },
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
    turns: {
      names: ['-n', '--turns'],
      value: 'N',
      number: { min: 1, max: 9_999_999 },
      without: ['to'],
      help: 'so many turns in which you spoke; 1 without it',
    },
    to: { names: ['--to'], value: 'TURN', help: 'everything after this turn' },
    checkpoint: {
      names: ['--before-checkpoint'],
      without: ['turns', 'to'],
      help: 'to before checkpoint N, or the newest: see below',
    },
    files: {
      names: ['--files'],
      without: ['both'],
      help: 'take back what the turns did to files; the conversation stays',
    },
    both: { names: ['--both'], help: 'take back files and conversation' },
    force: { names: ['--force'], help: 'with files: also those that were changed again after the turn' },
    meanwhile: {
      names: ['--meanwhile'],
      help: 'with files: also those that changed while a turn ran, but not by it',
    },
    dryRun: { names: ['--dry-run'], help: 'with files: only say what would become of them' },
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
    force: { names: ['--force'], help: 'take back turns that began since, in exchange' },
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
    before: {
      names: ['--before-turn'],
      value: 'TURN',
      without: ['undo'],
      help: 'the number of a turn, its id, or the beginning of that',
    },
    undo: { names: ['--undo'], help: 'take the last restore of this thread back' },
    dryRun: { names: ['--dry-run'], help: 'only say what would be done' },
    force: { names: ['--force'], help: 'also files that were changed again after the turn' },
    meanwhile: { names: ['--meanwhile'], help: 'also files that changed while a turn ran, but not by it' },
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
    force: { names: ['--force'], help: 'delete the threads that were forked from it, too' },
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
    model: { names: ['-m', '--model'], value: 'MODEL', help: 'the model' },
    effort: {
      names: ['--effort'],
      value: 'EFFORT',
      offers: ['default', 'none', 'minimal', 'low', 'medium', 'high'],
      help: 'how hard it thinks; `default`: as the model has it',
    },
    cwd: { names: ['-C', '--cd'], value: 'FOLDER', help: 'the folder to work in' },
    sandbox: {
      names: ['-s', '--sandbox'],
      value: 'MODE',
      offers: ['read-only', 'workspace-write', 'danger-full-access'],
      help: 'what commands may touch',
    },
    approval: {
      names: ['-a', '--approval'],
      value: 'POLICY',
      offers: ['on-request', 'never'],
      help: 'when you are asked',
    },
    personality: {
      names: ['--personality'],
      value: 'NAME',
      offers: ['default', 'none', 'friendly', 'pragmatic'],
      help: 'how it talks; `default`: none is chosen',
    },
    mode: { names: ['--mode'], value: 'MODE', offers: ['default', 'plan'], help: '`default` or `plan`' },
    json: { names: ['--json'], help: 'for programs' },
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
