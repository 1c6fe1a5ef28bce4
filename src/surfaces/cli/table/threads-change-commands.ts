import { flag, option } from '../../views/command-line/command.ts';
import type { Command, CommandOption, PositionalArgument } from '../../views/command-line/command.ts';
import { execCommand } from '../../views/command-line/exec-command.ts';

export const lastOption = flag('--last', 'the newest thread of this folder', { choosesThread: true });

const operationOptions = {
  last: lastOption,
  all: flag('--all', 'with --last: the newest thread of any folder'),
  json: flag('--json', 'print the result as JSON'),
} as const satisfies Readonly<Record<string, CommandOption>>;

export const jsonOption = flag('--json', 'print one JSON object');
export const jsonAndLast = { json: jsonOption, last: lastOption } as const;

export const threadWord = {
  name: 'THREAD',
  missing: 'which thread? Give its id, its name or --last.',
} as const satisfies PositionalArgument;

export const oneThreadUsage = { forms: ['THREAD|--last [options]'], words: [threadWord] } as const;
const turnWord = 'TURN is the number of a turn, its id, or the beginning of its id.';

export const forkCommand = {
  name: 'threads fork',
  does: 'start a thread that continues another',
  summary: 'Starts a thread that continues another one. The other one stays unchanged.',
  ...oneThreadUsage,
  examples: [
    ['capstan threads fork --last', 'Try something else with the newest thread here'],
    ['capstan threads fork --last --before 3', 'Start again from before turn 3'],
  ],
  options: {
    through: option('--through TURN', 'up to the end of this turn', { without: ['before'] }),
    before: option('--before TURN', 'up to the beginning of this turn'),
    ...operationOptions,
  },
  notes:
    `${turnWord} Without it, the fork has everything; a turn that is still running counts as interrupted there.\n` +
    'Resume the new thread with `capstan exec resume`.',
} as const satisfies Command;

export const rollbackCommand = {
  name: 'threads rollback',
  does: 'undo the newest turns: conversation, files or both',
  summary: 'Undoes the newest turns of a thread: the conversation, the files that they changed, or both.',
  forms: ['THREAD|--last [options]', 'THREAD|--last --before-checkpoint [N]'],
  examples: [
    ['capstan threads rollback --last --both', 'Undo the last turn here, with its files'],
    ['capstan threads rollback --last --files --dry-run', 'See which files that would change'],
  ],
  words: [threadWord, { name: 'N' }],
  options: {
    both: flag('--both', 'undo conversation and files'),
    files: flag('--files', 'undo changes to files; the conversation stays', { without: ['both'] }),
    turns: option('-n, --turns N', 'how many of your messages to go back (1)', {
      number: { min: 1, max: 9_999_999 },
      without: ['to'],
    }),
    to: option('--to TURN', 'undo everything after this turn'),
    checkpoint: flag('--before-checkpoint', 'go back to before checkpoint N, or before the newest one', {
      without: ['turns', 'to'],
    }),
    dryRun: flag('--dry-run', 'with files: only show what would happen'),
    force: flag('--force', 'with files: also files that changed again after the turn'),
    meanwhile: flag('--meanwhile', 'with files: also files that changed during a turn, but not because of it'),
    ...operationOptions,
  },
  notes: [
    `${turnWord} Without --files and --both, files stay as they are.`,
    '--before-checkpoint restores the history from which the checkpoint was made, and undoes everything since. If the checkpoint was made during a turn, that turn ends there.',
    '`capstan threads undo-rollback THREAD` brings the turns back; after it, `capstan threads restore THREAD --undo` brings the files back. Up to ten rollbacks in a row can be undone: for each, bring back the turns, then the files. `capstan threads gc --reverted` removes them for good.',
  ].join('\n'),
} as const satisfies Command;

export const undoRollbackCommand = {
  name: 'threads undo-rollback',
  does: 'bring back the turns of the newest rollback',
  summary: 'Brings back the turns that the newest rollback of a thread removed.',
  ...oneThreadUsage,
  examples: [['capstan threads undo-rollback --last', 'Undo the newest rollback here']],
  options: {
    force: flag('--force', 'also if turns have started since the rollback: they are removed in exchange'),
    ...operationOptions,
  },
  notes: [
    'After several rollbacks in a row, each undo brings back one of them, the newest first, up to ten. When none is left, the next undo reverses the last one. Turns that --force removed come back in the same way: repeat the command until they are there.',
    'After rollbacks with --both, bring the files back after each undo: `capstan threads restore THREAD --undo`.',
  ].join('\n'),
} as const satisfies Command;

export const restoreCommand = {
  name: 'threads restore',
  does: 'restore files as they were before a turn',
  summary: 'Restores files as they were before a turn. The conversation stays as it is.',
  forms: ['THREAD|--last --before-turn TURN [options]', 'THREAD|--last --undo [options]'],
  examples: [
    ['capstan threads restore --last --before-turn 2 --dry-run', 'See what would change'],
    ['capstan threads restore --last --undo', 'Reverse the last restore'],
  ],
  words: [threadWord],
  options: {
    before: option('--before-turn TURN', 'the turn: its number, its id, or the beginning of its id', {
      without: ['undo'],
    }),
    undo: flag('--undo', 'reverse the last restore of this thread'),
    dryRun: flag('--dry-run', 'only show what would happen'),
    force: flag('--force', 'also files that changed again after the turn'),
    meanwhile: flag('--meanwhile', 'also files that changed during a turn, but not because of it'),
    ...jsonAndLast,
  },
  notes: 'Capstan keeps what it overwrites or deletes: --undo brings it back.',
} as const satisfies Command;

export const archiveCommand = {
  name: 'threads archive',
  does: 'archive a thread',
  summary: 'Archives a thread: lists leave it out, and it can still be read and forked.',
  ...oneThreadUsage,
  examples: [['capstan threads archive --last', 'Archive the newest thread here']],
  options: operationOptions,
} as const satisfies Command;

export const unarchiveCommand = {
  name: 'threads unarchive',
  does: 'bring an archived thread back',
  summary: 'Brings an archived thread back.',
  ...oneThreadUsage,
  examples: [['capstan threads unarchive login-fix', 'Bring back the thread named login-fix']],
  options: operationOptions,
  notes: 'List archived threads with `capstan threads list --archived`.',
} as const satisfies Command;

export const deleteCommand = {
  name: 'threads delete',
  does: 'delete a thread for good',
  summary: 'Deletes a thread for good, with every turn that was ever rolled back.',
  forms: ['THREAD [options]'],
  examples: [['capstan threads delete login-fix', 'Delete the thread named login-fix']],
  words: [{ name: 'THREAD', missing: 'which thread? Give its id or its name.' }],
  // The newest thread may not be the one that the user means.
  refuses: {
    '--last': { message: 'a deleted thread cannot be restored. Give its id or its name instead of --last.' },
  },
  options: {
    force: flag('--force', 'also delete the threads that were forked from it'),
    json: operationOptions.json,
  },
  notes:
    'Capstan refuses to delete a thread that others were forked from, because they would lose their beginning. Use --force to delete all of them.',
} as const satisfies Command;

export const nameCommand = {
  name: 'threads name',
  does: 'name a thread',
  summary: 'Names a thread, so that you can resume it by that name.',
  forms: ['THREAD|--last NAME [options]'],
  examples: [['capstan threads name --last login-fix', 'Name the newest thread here']],
  words: [threadWord, { name: 'NAME', missing: 'which name? Give one after the thread.' }],
  freeWord: 'name',
  options: operationOptions,
  notes: 'An empty name ("") removes the name. If several threads share a name, it means the newest of them.',
} as const satisfies Command;

export const setCommand = {
  name: 'threads set',
  does: 'change the model, sandbox or folder of later turns',
  summary: 'Changes the settings of a thread, from its next turn on.',
  ...oneThreadUsage,
  examples: [['capstan threads set --last --model gpt-5.5 --effort high', 'Let another model continue']],
  options: {
    model: option('-m, --model MODEL', 'the model'),
    effort: option('--effort EFFORT', 'how hard the model thinks; `default` leaves it to the model', {
      offers: ['default', 'none', 'minimal', 'low', 'medium', 'high'],
    }),
    sandbox: option('-s, --sandbox MODE', 'what commands may do: read-only, workspace-write or danger-full-access', {
      offers: ['read-only', 'workspace-write', 'danger-full-access'],
    }),
    approval: option('-a, --approval POLICY', 'when `exec --approvals` asks you: untrusted, on-request or never', {
      offers: ['untrusted', 'on-request', 'never'],
    }),
    cwd: option('-C, --cd FOLDER', 'the folder to work in'),
    personality: option('--personality NAME', 'the tone: none, friendly or pragmatic; `default` chooses none', {
      offers: ['default', 'none', 'friendly', 'pragmatic'],
    }),
    mode: option('--mode MODE', '`default` or `plan`', { choices: ['default', 'plan'] }),
    ...jsonAndLast,
  },
  notes: 'Either every change is made or none. An option of `capstan exec resume` still wins for its turn.',
} as const satisfies Command;

export const compactCommand = {
  name: 'threads compact',
  does: 'compact the history into a checkpoint now',
  summary: 'Compacts the history now: the model summarises the work, and Capstan keeps your own messages.',
  forms: ['THREAD|--last [FOCUS …] [options]'],
  examples: [['capstan threads compact --last keep the failing tests in view', 'Free space, with a focus']],
  words: [threadWord, { name: 'FOCUS', many: true }],
  freeWord: 'focus',
  options: { overrides: execCommand.options.override, ...jsonAndLast },
  notes: 'FOCUS tells the model what to emphasise.\nTo undo it: `capstan threads rollback THREAD --before-checkpoint`.',
} as const satisfies Command;

export const pinCommand = {
  name: 'threads pin',
  does: 'pin a note that survives every checkpoint',
  summary: 'Pins a note to a thread. Capstan sends it to the model word for word, and again after every checkpoint.',
  forms: ['THREAD|--last "NOTE" [options]'],
  examples: [['capstan threads pin --last "Never touch the lock file."', 'Pin a rule to the newest thread here']],
  words: [threadWord, { name: 'NOTE', missing: 'which note? Give it in quotes after the thread.' }],
  freeWord: 'note',
  surplus: 'there is more than one note. Put the note in quotes.',
  options: operationOptions,
  notes: 'A note may have about 2,000 tokens. A thread may have 20 notes with 4,000 tokens in all.',
} as const satisfies Command;

export const pinsCommand = {
  name: 'threads pins',
  does: 'show the pinned notes',
  summary: 'Shows the notes that are pinned to a thread.',
  ...oneThreadUsage,
  examples: [['capstan threads pins --last', 'The notes of the newest thread here']],
  options: operationOptions,
} as const satisfies Command;

export const unpinCommand = {
  name: 'threads unpin',
  does: 'remove a pinned note',
  summary: 'Removes a pinned note. The next turn informs the model that it no longer applies.',
  forms: ['THREAD|--last NUMBER|ID [options]'],
  examples: [['capstan threads unpin --last 1', 'Remove the first note']],
  words: [threadWord, { name: 'NUMBER|ID', missing: 'which note? Give its number or its id.' }],
  options: operationOptions,
  notes: '`capstan threads pins` shows the numbers and the ids.',
} as const satisfies Command;
