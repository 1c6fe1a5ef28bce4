import { type CommandGroup, commandRow } from '../../views/command-line/command-group.ts';
import * as settings from './settings-commands.ts';
import { execCommand } from '../../views/command-line/exec-command.ts';
import { findFilesCommand, sandboxCommand } from './sandbox-and-files-commands.ts';
import * as surfaces from '../../views/command-line/surface-commands.ts';
import * as reads from './threads-read-commands.ts';
import * as changes from './threads-change-commands.ts';

// One row per command. Each command's module is loaded on demand.

const operations = async () => (await import('../threads/operations.ts')).operations;

const threads: CommandGroup = {
  name: 'threads',
  does: 'list, show, search, fork, roll back, export, …',
  summary: 'Works with threads, the stored conversations.',
  commands: {
    list: commandRow(reads.listCommand, async () => ({ run: (await import('../threads/list-and-search.ts')).runList })),
    show: commandRow(reads.showCommand, () => import('../threads/show.ts')),
    search: commandRow(reads.searchCommand, async () => ({
      run: (await import('../threads/list-and-search.ts')).runSearch,
    })),
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
    export: commandRow(reads.exportCommand, async () => ({
      run: (await import('../threads/export-and-import.ts')).runExport,
    })),
    import: commandRow(reads.importCommand, async () => ({
      run: (await import('../threads/export-and-import.ts')).runImport,
    })),
    reindex: commandRow(reads.reindexCommand, async () => ({
      run: (await import('../threads/maintenance.ts')).runReindex,
    })),
    compress: commandRow(reads.compressCommand, async () => ({
      run: (await import('../threads/maintenance.ts')).runCompress,
    })),
    gc: commandRow(reads.gcCommand, async () => ({ run: (await import('../threads/maintenance.ts')).runGc })),
  },
  notes: 'THREAD is an id, the beginning of one, or a name; --last is the newest thread of this folder.',
};

const execpolicy: CommandGroup = {
  name: 'execpolicy',
  does: 'check rules files against a command',
  summary: 'Works with rules files, which say what commands may do without a question.',
  commands: {
    check: commandRow(settings.execpolicyCheckCommand, () => import('../commands/execpolicy-check.ts')),
  },
};

export const commandTable: CommandGroup = {
  name: '',
  does: '',
  summary: 'Capstan, a coding agent for the terminal.',
  commands: {
    tui: commandRow(surfaces.tuiCommand, () => import('../../tui/boot/run-tui.ts')),
    resume: commandRow(surfaces.resumeTuiCommand, async () => (await import('../../tui/boot/run-tui.ts')).resume),
    fork: commandRow(surfaces.forkTuiCommand, async () => (await import('../../tui/boot/run-tui.ts')).fork),
    exec: commandRow(execCommand, () => import('../../exec/run-exec.ts')),
    review: commandRow(surfaces.reviewCommand, () => import('../../exec/run-review.ts')),
    threads,
    context: commandRow(reads.contextCommand, () => import('../commands/context.ts')),
    config: commandRow(settings.configCommand, () => import('../commands/config.ts')),
    execpolicy,
    features: commandRow(settings.featuresCommand, () => import('../commands/features.ts')),
    files: commandRow(findFilesCommand, () => import('../commands/files.ts')),
    hooks: commandRow(settings.hooksCommand, () => import('../commands/hooks.ts')),
    memory: commandRow(settings.memoryCommand, () => import('../commands/memory.ts')),
    models: commandRow(settings.modelsCommand, () => import('../commands/models.ts')),
    envelope: commandRow(reads.envelopeCommand, () => import('../commands/envelope.ts')),
    replay: commandRow(reads.replayCommand, () => import('../commands/replay.ts')),
    rerun: commandRow(reads.rerunCommand, () => import('../commands/rerun.ts')),
    login: commandRow(settings.loginCommand, async () => ({
      run: (await import('../commands/login-and-logout.ts')).runLogin,
    })),
    logout: commandRow(settings.logoutCommand, async () => ({
      run: (await import('../commands/login-and-logout.ts')).runLogout,
    })),
    sandbox: commandRow(sandboxCommand, () => import('../sandbox/run-sandbox.ts')),
    mcp: commandRow(settings.mcpCommand, () => import('../commands/mcp.ts')),
    'mcp-server': commandRow(surfaces.mcpServerCommand, () => import('../../servers/mcp/run-mcp-server.ts')),
    demo: commandRow(surfaces.demoCommand, () => import('../../demo/run-demo.ts')),
    completion: commandRow(surfaces.completionCommand, () => import('../commands/completion.ts')),
    complete: commandRow(surfaces.completeCommand, async () =>
      (await import('../commands/complete.ts')).completeFor(commandTable),
    ),
    help: commandRow(surfaces.helpCommand, async () => (await import('../commands/help.ts')).helpOn(commandTable)),
  },
  notes:
    'Start with `capstan demo`, or with `capstan exec "Explain this project"`. `capstan e` is short for `capstan exec`; `capstan --version` prints the version.',
};
