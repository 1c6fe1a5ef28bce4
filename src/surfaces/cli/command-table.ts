import { type CommandGroup, commandRow } from '../commands/command-group.ts';
import { configCommand } from '../commands/config-command.ts';
import { execCommand } from '../commands/exec-command.ts';
import { completionCommand, demoCommand, helpCommand } from '../commands/other-commands.ts';
import * as changes from '../commands/threads-change-commands.ts';
import * as reads from '../commands/threads-read-commands.ts';
import { contextCommand, envelopeCommand, replayCommand } from '../commands/view-commands.ts';

// One row per command. The work of each is loaded when it is asked for.

const operations = async () => (await import('../threads/operations.ts')).operations;

const threads: CommandGroup = {
  name: 'threads',
  does: 'list, show, search, fork, roll back, restore files, export, …',
  summary: 'Works with threads. THREAD is an id, the beginning of one, a name, or --last.',
  commands: {
    list: commandRow('list threads, newest first', reads.listCommand, () => import('../threads/list.ts')),
    show: commandRow('show one with its turns', reads.showCommand, () => import('../threads/show.ts')),
    search: commandRow(
      'find those in which something was said',
      reads.searchCommand,
      () => import('../threads/search.ts'),
    ),
    reindex: commandRow(
      'read all of them again for lists and searches',
      reads.reindexCommand,
      () => import('../threads/reindex.ts'),
    ),
    fork: commandRow(
      'begin a thread that continues another',
      changes.forkCommand,
      async () => (await operations()).fork,
    ),
    rollback: commandRow('take the newest turns back', changes.rollbackCommand, () => import('../threads/rollback.ts')),
    'undo-rollback': commandRow(
      'bring them back',
      changes.undoRollbackCommand,
      async () => (await operations()).undoRollback,
    ),
    archive: commandRow('put a thread away', changes.archiveCommand, async () => (await operations()).archive),
    unarchive: commandRow('bring it back', changes.unarchiveCommand, async () => (await operations()).unarchive),
    delete: commandRow('delete a thread for good', changes.deleteCommand, async () => (await operations()).delete),
    name: commandRow('give a thread a name', changes.nameCommand, async () => (await operations()).name),
    export: commandRow(
      'write it as one file: JSONL, Markdown or HTML',
      reads.exportCommand,
      () => import('../threads/export.ts'),
    ),
    import: commandRow(
      'take over a thread that was exported as JSONL',
      reads.importCommand,
      () => import('../threads/import.ts'),
    ),
    set: commandRow('change what its turns start from', changes.setCommand, () => import('../threads/set.ts')),
    compact: commandRow(
      'make a checkpoint of its history now',
      changes.compactCommand,
      () => import('../threads/compact.ts'),
    ),
    pin: commandRow('pin a note that no checkpoint forgets', changes.pinCommand, async () => (await operations()).pin),
    pins: commandRow('show the pinned notes', changes.pinsCommand, async () => (await operations()).pins),
    unpin: commandRow('take a pinned note away', changes.unpinCommand, async () => (await operations()).unpin),
    files: commandRow(
      'what each turn changed in the workspace',
      reads.filesCommand,
      () => import('../threads/files.ts'),
    ),
    restore: commandRow(
      'bring files back as they were before a turn',
      changes.restoreCommand,
      () => import('../threads/restore.ts'),
    ),
    compress: commandRow('pack the files of threads', reads.compressCommand, () => import('../threads/compress.ts')),
    gc: commandRow('remove what no thread refers to', reads.gcCommand, () => import('../threads/gc.ts')),
  },
};

/** The program: every command by the words that name it. */
export const commandTable: CommandGroup = {
  name: '',
  does: '',
  summary: 'Capstan, a coding agent.',
  commands: {
    exec: commandRow(
      'run one turn, of a new thread or of one that you resume or fork',
      execCommand,
      () => import('../exec/run-exec.ts'),
    ),
    threads,
    config: commandRow(
      'what is configured, and where it comes from',
      configCommand,
      () => import('../config/run-config.ts'),
    ),
    context: commandRow(
      "what fills a thread's window, and what its model was told",
      contextCommand,
      () => import('../context/run-context.ts'),
    ),
    envelope: commandRow(
      'the contract of a turn, and who decided each part of it',
      envelopeCommand,
      () => import('../envelope/run-envelope.ts'),
    ),
    replay: commandRow(
      'rebuild what the model was sent, and compare',
      replayCommand,
      () => import('../replay/run-replay.ts'),
    ),
    demo: commandRow('see it work, without a model', demoCommand, () => import('../demo/run-demo.ts')),
    completion: commandRow('completion for your shell', completionCommand, async () =>
      (await import('../completion/run-completion.ts')).completionOf(commandTable),
    ),
    help: commandRow('what a command does and takes', helpCommand, async () =>
      (await import('../commands/run-help.ts')).helpOn(commandTable),
    ),
  },
  notes: '`capstan e` is short for `capstan exec`; `capstan --version` prints the version.',
};
