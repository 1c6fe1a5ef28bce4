import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';
import { rollbackCommand } from '../table/threads-change-commands.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { RestoreReport } from '../../../engine/undo/restore-files.ts';
import type { RollbackTarget, RolledBack } from '../../../engine/thread/branch/rollback-range.ts';
import type { WithNotices } from '../../../engine/store/stored-threads.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { hasChangedFiles, howToUndoRestore, restoreText } from './restore.ts';
import { checkpointRollbackLines, turnsWord } from '../../views/threads/rollback-and-restore-words.ts';
import { operateOnThread } from './operations.ts';

type Back = WithNotices<
  { readonly files?: RestoreReport } & (
    | RolledBack
    | { readonly kind: 'files-restored' | 'files-foreseen'; readonly id: ThreadId }
  )
>;

type Options = CommandArguments<typeof rollbackCommand>['options'];

export async function run(given: CommandArguments<typeof rollbackCommand>): Promise<number | Outcome> {
  const to = rangeOf(given);
  if ('code' in to) return to;
  return operateOnThread<Back>(given, {
    perform: (engine, id) => takeBack(engine, id, to, given.options),
    isWhole: ({ files }) => files === undefined || files.failed.length === 0,
    text(back) {
      if (back.kind === 'rolled-back') return rolledBackText(back);
      const { id, files } = back;
      const dryRun = back.kind === 'files-foreseen';
      if (files === undefined) return dryRun ? 'No files would change.' : '';
      return `${restoreText(files, { dryRun })}${dryRun ? '' : howToUndoRestore(id, files)}`.trimEnd();
    },
  });
}

async function takeBack(
  engine: Engine,
  id: ThreadId,
  to: RollbackTarget,
  { files: onlyFiles, both, dryRun, force, meanwhile }: Options,
): Promise<Back | EngineRefused> {
  if (!onlyFiles && !both) return engine.stored.rollback(id, to);
  const files = await withProgress({ label: 'Restoring files' }, (progress) =>
    engine.restoreRolledBack(id, to, { dryRun, force, meanwhile, progress }),
  );
  if (files.kind === 'refused' && (onlyFiles || files.outcome.code !== 'nothing-to-restore')) return files;
  const told = files.kind === 'refused' ? {} : { files };
  if (dryRun || onlyFiles) return { kind: dryRun ? 'files-foreseen' : 'files-restored', id, ...told, notices: [] };
  const talk = await engine.stored.rollback(id, to);
  return talk.kind === 'refused' ? talk : { ...talk, ...told };
}

function rolledBackText(back: RolledBack & { readonly files?: RestoreReport }): string {
  const { id, turns, files, checkpoint } = back;
  if (checkpoint !== undefined)
    return [...checkpointRollbackLines(back, checkpoint), `To undo this: capstan threads undo-rollback ${id}`].join(
      '\n',
    );
  const again = (options: string): string =>
    `To restore the kept files as well: capstan threads undo-rollback ${id}, then repeat this command with ${options}.`;
  const restored = files === undefined ? '' : restoreText(files, { again });
  // The record of the file changes was removed with the conversation.
  const then = files && hasChangedFiles(files) ? `\nThen undo the files: capstan threads restore ${id} --undo` : '';
  return `${restored}${turnsWord(turns)} of thread ${id} rolled back.\nTo undo this: capstan threads undo-rollback ${id}${then}`;
}

function rangeOf(given: CommandArguments<typeof rollbackCommand>): RollbackTarget | Outcome<'usage'> {
  const [number] = given.words;
  const { checkpoint, turns = 1, to, files, both, dryRun } = given.options;
  const wrong = (message: string): Outcome<'usage'> => wrongUsage(rollbackCommand, message);
  const onlyTalk = '--before-checkpoint rolls back only the conversation.';
  if (checkpoint && (files || both))
    return wrong(`${onlyTalk} To restore files, see \`capstan threads restore --help\`.`);
  if (dryRun && !files && !both) return wrong('--dry-run is about files: add --files or --both.');
  if (!checkpoint) {
    if (number !== undefined) return wrong(`unexpected word ${JSON.stringify(number)}.`);
    return to === undefined ? { turns } : { toTurn: to };
  }
  if (number === undefined) return { beforeCheckpoint: 'newest' };
  return /^[1-9]\d{0,6}$/.test(number)
    ? { beforeCheckpoint: Number(number) }
    : wrong(`${JSON.stringify(number)} is not the number of a checkpoint.`);
}
