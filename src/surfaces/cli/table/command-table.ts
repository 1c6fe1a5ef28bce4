import { type CommandGroup, commandRow } from '../../views/command-line/command-group.ts';
import {
  configCommand,
  execpolicyCheckCommand,
  featuresCommand,
  hooksCommand,
  loginCommand,
  logoutCommand,
  mcpCommand,
  memoryCommand,
  modelsCommand,
} from './settings-commands.ts';
import { execCommand } from '../../views/command-line/exec-command.ts';
import { findFilesCommand, sandboxCommand } from './sandbox-and-files-commands.ts';
import {
  completeCommand,
  completionCommand,
  demoCommand,
  forkTuiCommand,
  helpCommand,
  mcpServerCommand,
  resumeTuiCommand,
  reviewCommand,
  tuiCommand,
} from '../../views/command-line/surface-commands.ts';
import * as reads from './threads-read-commands.ts';
import { contextCommand, envelopeCommand, replayCommand, rerunCommand } from './threads-read-commands.ts';
import * as changes from './threads-change-commands.ts';

// One row per command. Each command's module is loaded on demand.

const operations = async () => (await import('../threads/operations.ts')).operations;

const threads: CommandGroup = {
  name: 'threads',
  does: 'list, show, search, fork, roll back, export, …',
  summary: 'Works with threads, the stored conversations.',
  commands: {
    list: commandRow(reads.listCommand, () => import('../threads/list.ts')),
    show: commandRow(reads.showCommand, () => import('../threads/show.ts')),
    search: commandRow(reads.searchCommand, () => import('../threads/search.ts')),
    files: commandRow(reads.filesCommand, () => import('../threads/files.ts')),
    name: commandRow(changes.nameCommand, async () => (await operations()).name),
    fork: commandRow(changes.forkCommand, async () => (await operations()).fork),
    rollback: commandRow(changes.rollbackCommand, () => import('../threads/rollback.ts')),
    'undo-rollback': commandRow(changes.undoRollbackCommand, async () => (await operations()).undoRollback),
    restore: commandRow(changes.restoreCommand, () => import('../threads/restore.ts')),
    compact: commandRow(changes.compactCommand, () => import('../threads/compact.ts')),
    set: commandRow(changes.setCommand, () => import('../threads/set.ts')),
    pin: commandRow(changes.pinCommand, async () => (await operations()).pin),
    pins: commandRow(changes.pinsCommand, async () => (await operations()).pins),
    unpin: commandRow(changes.unpinCommand, async () => (await operations()).unpin),
    archive: commandRow(changes.archiveCommand, async () => (await operations()).archive),
    unarchive: commandRow(changes.unarchiveCommand, async () => (await operations()).unarchive),
    delete: commandRow(changes.deleteCommand, async () => (await operations()).delete),
    export: commandRow(reads.exportCommand, () => import('../threads/export.ts')),
    import: commandRow(reads.importCommand, () => import('../threads/import.ts')),
    reindex: commandRow(reads.reindexCommand, () => import('../threads/reindex.ts')),
    compress: commandRow(reads.compressCommand, () => import('../threads/compress.ts')),
    gc: commandRow(reads.gcCommand, () => import('../threads/gc.ts')),
  },
  notes: 'THREAD is an id, the beginning of one, or a name; --last is the newest thread of this folder.',
};

const execpolicy: CommandGroup = {
  name: 'execpolicy',
  does: 'check rules files against a command',
  summary: 'Works with rules files, which say what commands may do without a question.',
  commands: {
    check: commandRow(execpolicyCheckCommand, () => import('../commands/execpolicy-check.ts')),
  },
};

export const commandTable: CommandGroup = {
  name: '',
  does: '',
  summary: 'Capstan, a coding agent for the terminal.',
  commands: {
    tui: commandRow(tuiCommand, () => import('../../tui/boot/run-tui.ts')),
    resume: commandRow(resumeTuiCommand, async () => (await import('../../tui/boot/run-tui.ts')).resume),
    fork: commandRow(forkTuiCommand, async () => (await import('../../tui/boot/run-tui.ts')).fork),
    exec: commandRow(execCommand, () => import('../../exec/run-exec.ts')),
    review: commandRow(reviewCommand, () => import('../../exec/run-review.ts')),
    threads,
    context: commandRow(contextCommand, () => import('../commands/context.ts')),
    config: commandRow(configCommand, () => import('../commands/config.ts')),
    execpolicy,
    features: commandRow(featuresCommand, () => import('../commands/features.ts')),
    files: commandRow(findFilesCommand, () => import('../commands/files.ts')),
    hooks: commandRow(hooksCommand, () => import('../commands/hooks.ts')),
    memory: commandRow(memoryCommand, () => import('../commands/memory.ts')),
    models: commandRow(modelsCommand, () => import('../commands/models.ts')),
    envelope: commandRow(envelopeCommand, () => import('../commands/envelope.ts')),
    replay: commandRow(replayCommand, () => import('../commands/replay.ts')),
    rerun: commandRow(rerunCommand, () => import('../commands/rerun.ts')),
    login: commandRow(loginCommand, () => import('../commands/login.ts')),
    logout: commandRow(logoutCommand, () => import('../commands/logout.ts')),
    sandbox: commandRow(sandboxCommand, () => import('../sandbox/run-sandbox.ts')),
    mcp: commandRow(mcpCommand, () => import('../commands/mcp.ts')),
    'mcp-server': commandRow(mcpServerCommand, () => import('../../servers/mcp/run-mcp-server.ts')),
    demo: commandRow(demoCommand, () => import('../../demo/run-demo.ts')),
    completion: commandRow(completionCommand, () => import('../commands/completion.ts')),
    complete: commandRow(completeCommand, async () =>
      (await import('../commands/complete.ts')).completeFor(commandTable),
    ),
    help: commandRow(helpCommand, async () => (await import('../commands/help.ts')).helpOn(commandTable)),
  },
  notes:
    'Start with `capstan demo`, or with `capstan exec "Explain this project"`. `capstan e` is short for `capstan exec`; `capstan --version` prints the version.',
};
