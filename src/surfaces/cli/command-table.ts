import { type CommandGroup, commandRow } from '../commands/command-group.ts';
import { configCommand } from '../commands/config-command.ts';
import { execCommand } from '../commands/exec-command.ts';
import { execpolicyCheckCommand } from '../commands/execpolicy-command.ts';
import { featuresCommand } from '../commands/features-command.ts';
import { findFilesCommand } from '../commands/files-command.ts';
import { hooksCommand } from '../commands/hooks-command.ts';
import { loginCommand, logoutCommand } from '../commands/login-command.ts';
import { memoryCommand } from '../commands/memory-command.ts';
import { modelsCommand } from '../commands/models-command.ts';
import { mcpCommand } from '../commands/mcp-command.ts';
import { mcpServerCommand } from '../commands/mcp-server-command.ts';
import { completeCommand, completionCommand, demoCommand, helpCommand } from '../commands/other-commands.ts';
import { rerunCommand } from '../commands/rerun-command.ts';
import { reviewCommand } from '../commands/review-command.ts';
import { sandboxCommand } from '../commands/sandbox-command.ts';
import { forkTuiCommand, resumeTuiCommand, tuiCommand } from '../commands/tui-command.ts';
import * as changes from '../commands/threads-change-commands.ts';
import * as reads from '../commands/threads-read-commands.ts';
import { contextCommand, envelopeCommand, replayCommand } from '../commands/view-commands.ts';

// One row per command. The work of each is loaded when it is asked for.

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
    check: commandRow(execpolicyCheckCommand, () => import('../execpolicy/run-execpolicy-check.ts')),
  },
};

/** The program: every command by the words that name it. */
export const commandTable: CommandGroup = {
  name: '',
  does: '',
  summary: 'Capstan, a coding agent for the terminal.',
  commands: {
    tui: commandRow(tuiCommand, () => import('../tui/app/run-tui.ts')),
    resume: commandRow(resumeTuiCommand, async () => (await import('../tui/app/run-tui.ts')).resume),
    fork: commandRow(forkTuiCommand, async () => (await import('../tui/app/run-tui.ts')).fork),
    exec: commandRow(execCommand, () => import('../exec/run-exec.ts')),
    review: commandRow(reviewCommand, () => import('../exec/run-review.ts')),
    threads,
    context: commandRow(contextCommand, () => import('../context/run-context.ts')),
    config: commandRow(configCommand, () => import('../config/run-config.ts')),
    execpolicy,
    features: commandRow(featuresCommand, () => import('../features/run-features.ts')),
    files: commandRow(findFilesCommand, () => import('../files/run-files.ts')),
    hooks: commandRow(hooksCommand, () => import('../hooks/run-hooks-command.ts')),
    memory: commandRow(memoryCommand, () => import('../memory/run-memory.ts')),
    models: commandRow(modelsCommand, () => import('../models/run-models.ts')),
    envelope: commandRow(envelopeCommand, () => import('../envelope/run-envelope.ts')),
    replay: commandRow(replayCommand, () => import('../replay/run-replay.ts')),
    rerun: commandRow(rerunCommand, () => import('../replay/run-rerun.ts')),
    login: commandRow(loginCommand, () => import('../login/run-login.ts')),
    logout: commandRow(logoutCommand, () => import('../login/run-logout.ts')),
    sandbox: commandRow(sandboxCommand, () => import('../sandbox/run-sandbox.ts')),
    mcp: commandRow(mcpCommand, () => import('../mcp/run-mcp.ts')),
    'mcp-server': commandRow(mcpServerCommand, () => import('../mcp-server/run-mcp-server.ts')),
    demo: commandRow(demoCommand, () => import('../demo/run-demo.ts')),
    completion: commandRow(completionCommand, () => import('../completion/run-completion.ts')),
    complete: commandRow(completeCommand, async () =>
      (await import('../completion/run-complete.ts')).completeFor(commandTable),
    ),
    help: commandRow(helpCommand, async () => (await import('../commands/run-help.ts')).helpOn(commandTable)),
  },
  notes:
    'Start with `capstan demo`, or with `capstan exec "Explain this project"`. `capstan e` is short for `capstan exec`; `capstan --version` prints the version.',
};
