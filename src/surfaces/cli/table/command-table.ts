import { type CommandGroup, loadableCommand } from '../../views/command-line/command-group.ts';
import * as settings from './settings-commands.ts';
import { execCommand } from '../../views/command-line/exec-command.ts';
import { findFilesCommand, sandboxCommand } from './sandbox-and-files-commands.ts';
import * as surfaces from '../../views/command-line/surface-commands.ts';
import * as reads from './threads-read-commands.ts';
import * as changes from './threads-change-commands.ts';

// One row per command. Each command's module is loaded on demand.

const operations = async () => (await import('../threads/operations.ts')).threadOperations;

const threads: CommandGroup = {
  name: 'threads',
  does: 'list, show, search, fork, roll back, export, …',
  summary: 'Works with threads, the stored conversations.',
  commands: {
    list: loadableCommand(reads.listCommand, async () => (await import('../threads/list-and-search.ts')).runList),
    show: loadableCommand(reads.showCommand, () => import('../threads/show.ts')),
    search: loadableCommand(reads.searchCommand, async () => (await import('../threads/list-and-search.ts')).runSearch),
    files: loadableCommand(reads.filesCommand, () => import('../threads/files.ts')),
    name: loadableCommand(changes.nameCommand, async () => (await operations()).name),
    fork: loadableCommand(changes.forkCommand, async () => (await operations()).fork),
    rollback: loadableCommand(changes.rollbackCommand, () => import('../threads/rollback.ts')),
    'undo-rollback': loadableCommand(changes.undoRollbackCommand, async () => (await operations()).undoRollback),
    restore: loadableCommand(changes.restoreCommand, () => import('../threads/restore.ts')),
    compact: loadableCommand(changes.compactCommand, () => import('../threads/compact.ts')),
    set: loadableCommand(changes.setCommand, () => import('../threads/set.ts')),
    pin: loadableCommand(changes.pinCommand, async () => (await operations()).pin),
    pins: loadableCommand(changes.pinsCommand, async () => (await operations()).pins),
    unpin: loadableCommand(changes.unpinCommand, async () => (await operations()).unpin),
    archive: loadableCommand(changes.archiveCommand, async () => (await operations()).archive),
    unarchive: loadableCommand(changes.unarchiveCommand, async () => (await operations()).unarchive),
    delete: loadableCommand(changes.deleteCommand, async () => (await operations()).delete),
    export: loadableCommand(
      reads.exportCommand,
      async () => (await import('../threads/export-and-import.ts')).runExport,
    ),
    import: loadableCommand(
      reads.importCommand,
      async () => (await import('../threads/export-and-import.ts')).runImport,
    ),
    reindex: loadableCommand(reads.reindexCommand, async () => (await import('../threads/maintenance.ts')).runReindex),
    compress: loadableCommand(
      reads.compressCommand,
      async () => (await import('../threads/maintenance.ts')).runCompress,
    ),
    gc: loadableCommand(reads.gcCommand, async () => (await import('../threads/maintenance.ts')).runGc),
  },
  notes: 'THREAD is an id, the beginning of one, or a name; --last is the newest thread of this folder.',
};

const execpolicy: CommandGroup = {
  name: 'execpolicy',
  does: 'check rules files against a command',
  summary: 'Works with rules files, which say what commands may do without a question.',
  commands: {
    check: loadableCommand(settings.execpolicyCheckCommand, () => import('../commands/execpolicy-check.ts')),
  },
};

export const commandTable: CommandGroup = {
  name: '',
  does: '',
  summary: 'Capstan, a coding agent for the terminal.',
  commands: {
    tui: loadableCommand(surfaces.tuiCommand, () => import('../../tui/boot/run-tui.ts')),
    resume: loadableCommand(surfaces.resumeTuiCommand, async () => (await import('../../tui/boot/run-tui.ts')).resume),
    fork: loadableCommand(surfaces.forkTuiCommand, async () => (await import('../../tui/boot/run-tui.ts')).fork),
    exec: loadableCommand(execCommand, () => import('../../exec/run-exec.ts')),
    review: loadableCommand(surfaces.reviewCommand, () => import('../../exec/run-review.ts')),
    threads,
    context: loadableCommand(reads.contextCommand, () => import('../commands/context.ts')),
    config: loadableCommand(settings.configCommand, () => import('../commands/config.ts')),
    execpolicy,
    features: loadableCommand(settings.featuresCommand, () => import('../commands/features.ts')),
    files: loadableCommand(findFilesCommand, () => import('../commands/files.ts')),
    hooks: loadableCommand(settings.hooksCommand, () => import('../commands/hooks.ts')),
    memory: loadableCommand(settings.memoryCommand, () => import('../commands/memory.ts')),
    models: loadableCommand(settings.modelsCommand, () => import('../commands/models.ts')),
    envelope: loadableCommand(reads.envelopeCommand, () => import('../commands/envelope.ts')),
    replay: loadableCommand(reads.replayCommand, () => import('../commands/replay.ts')),
    rerun: loadableCommand(reads.rerunCommand, () => import('../commands/rerun.ts')),
    login: loadableCommand(
      settings.loginCommand,
      async () => (await import('../commands/login-and-logout.ts')).runLogin,
    ),
    logout: loadableCommand(
      settings.logoutCommand,
      async () => (await import('../commands/login-and-logout.ts')).runLogout,
    ),
    sandbox: loadableCommand(sandboxCommand, () => import('../sandbox/run-sandbox.ts')),
    mcp: loadableCommand(settings.mcpCommand, () => import('../commands/mcp.ts')),
    'mcp-server': loadableCommand(surfaces.mcpServerCommand, () => import('../../servers/mcp/run-mcp-server.ts')),
    demo: loadableCommand(surfaces.demoCommand, () => import('../../demo/run-demo.ts')),
    completion: loadableCommand(surfaces.completionCommand, () => import('../commands/completion.ts')),
    complete: loadableCommand(surfaces.completeCommand, async () =>
      (await import('../commands/complete.ts')).createCompleteCommand(commandTable),
    ),
    help: loadableCommand(surfaces.helpCommand, async () =>
      (await import('../commands/help.ts')).createHelpCommand(commandTable),
    ),
  },
  notes:
    'Start with `capstan demo`, or with `capstan exec "Explain this project"`. `capstan e` is short for `capstan exec`; `capstan --version` prints the version.',
};
