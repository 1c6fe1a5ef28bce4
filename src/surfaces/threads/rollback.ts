import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { RollbackTo, RolledBack } from '../../thread/rollback-range.ts';
import type { RestoreReport } from '../../workspace/restore-files.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import type { Done } from '../engine/thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';
import { howToUndo, restoreText } from './restore.ts';
import { turnsWord } from './turns-word.ts';

export const form: CommandForm = {
  name: 'threads rollback',
  summary: 'Takes the newest turns of a thread back: the talk, the files that they changed, or both.',
  forms: [
    'THREAD [--turns N | --to TURN] [--files | --both] [--force] [--meanwhile] [--dry-run]',
    'THREAD --before-checkpoint [N]',
    '--last [--all] …',
  ],
  options: [
    { key: 'turns', names: ['-n', '--turns'], value: 'N', help: 'so many turns in which you spoke; 1 without it' },
    { key: 'to', names: ['--to'], value: 'TURN', help: 'everything after this turn' },
    { key: 'checkpoint', names: ['--before-checkpoint'], help: 'to before checkpoint N, or the newest: see below' },
    { key: 'files', names: ['--files'], help: 'take back what the turns did to files; the talk stays' },
    { key: 'both', names: ['--both'], help: 'take back files and talk' },
    { key: 'force', names: ['--force'], help: 'with files: also those that were changed again after the turn' },
    {
      key: 'meanwhile',
      names: ['--meanwhile'],
      help: 'with files: also those that changed while a turn ran, but not by it',
    },
    { key: 'dry', names: ['--dry-run'], help: 'with files: only say what would become of them' },
    ...threadOptions,
  ],
  notes: [
    'TURN is the number of a turn, its id, or the beginning of that. Without --files and --both, files stay as they are.',
    'Before a checkpoint, history is what it was when the checkpoint was made; all that came after it is taken back. A',
    'checkpoint in the middle of a turn cuts that turn: what it had done by then stays, and the turn counts as ended there.',
    '`capstan threads undo-rollback` brings the turns back, and after that `capstan threads restore --undo` the files. Up to',
    'ten rollbacks in a row can be undone, each with its files before the next, until `capstan threads gc --reverted`.',
  ].join('\n'),
};

/** The talk, the files, or both. */
type Back = Done<
  { readonly files?: RestoreReport } & (
    | RolledBack
    | { readonly kind: 'files-restored'; readonly id: ThreadId }
    | { readonly kind: 'files-foreseen'; readonly id: ThreadId }
  )
>;

const command: OnThread<Back> = {
  form,
  archived: false,
  // Only the number of a checkpoint.
  more: 1,
  async run(engine, id, words) {
    const to = rangeOf(words);
    if ('code' in to) return to;
    const [onlyFiles, both] = [words.flags.has('files'), words.flags.has('both')];
    if ('beforeCheckpoint' in to && (onlyFiles || both)) {
      return wrongUsage(
        form,
        '--before-checkpoint takes back talk alone: bring files back as `capstan threads restore --help` says.',
      );
    }
    if (onlyFiles && both) return wrongUsage(form, '--both has the files already.');
    const dryRun = words.flags.has('dry');
    if (dryRun && !onlyFiles && !both) return wrongUsage(form, '--dry-run is about files: add --files or --both.');
    if (!onlyFiles && !both) return engine.rollback(id, to);
    const options = { dryRun, force: words.flags.has('force'), meanwhile: words.flags.has('meanwhile') };
    const files = await engine.restoreRolledBack(id, to, options);
    if (files.kind === 'refused' && (onlyFiles || files.outcome.code !== 'nothing-to-restore')) return files;
    const told = files.kind === 'refused' ? {} : { files };
    if (dryRun) return { kind: 'files-foreseen', id, ...told, notices: [] };
    if (onlyFiles) return { kind: 'files-restored', id, ...told, notices: [] };
    const talk = await engine.rollback(id, to);
    return talk.kind === 'refused' ? talk : { ...talk, ...told };
  },
  isWhole: ({ files }) => files === undefined || files.failed.length === 0,
  text(back) {
    // The same command would take back one more turn.
    const again = (options: string): string =>
      `For the kept files: capstan threads undo-rollback ${back.id}, then the same with ${options}.`;
    const dryRun = back.kind === 'files-foreseen';
    const told = back.kind === 'files-restored' || dryRun ? { dryRun } : { again };
    const files = back.files === undefined ? '' : restoreText(back.files, told);
    if (back.kind === 'files-foreseen') return files === '' ? 'No files would change.' : files.trimEnd();
    if (back.kind === 'files-restored') {
      return `${files}${back.files === undefined ? '' : howToUndo(back.id, back.files)}`.trimEnd();
    }
    const { id, turns } = back;
    if (back.checkpoint !== undefined) return beforeCheckpointText(back, back.checkpoint);
    // The record of it went with the talk.
    const then = hasChanged(back.files) ? `\nThen the files: capstan threads restore ${id} --undo` : '';
    return `${files}${turnsWord(turns)} of thread ${id} taken back.\nTo bring them back: capstan threads undo-rollback ${id}${then}`;
  },
};

function hasChanged(files: RestoreReport | undefined): boolean {
  return files !== undefined && files.restored.length + files.deleted.length > 0;
}

function beforeCheckpointText({ id, turns, cutTurn }: RolledBack, checkpoint: number): string {
  return [
    `Thread ${id} goes on from before checkpoint ${checkpoint}. Its history is as long as it was then.`,
    ...(cutTurn === undefined
      ? []
      : [`Turn ${cutTurn} is cut: what it did before the checkpoint stays, the rest is taken back.`]),
    ...(turns.length === 0 ? [] : [`${turnsWord(turns)} taken back.`]),
    'Files stay as they are.',
    `To bring it back: capstan threads undo-rollback ${id}`,
  ].join('\n');
}

function rangeOf({ values, flags, positional: [number] }: ParsedWords): RollbackTo | Outcome<'usage'> {
  if (flags.has('checkpoint')) {
    if (values.size > 0) return wrongUsage(form, '--before-checkpoint goes with neither --turns nor --to.');
    if (number === undefined) return { beforeCheckpoint: 'newest' };
    return /^[1-9]\d{0,6}$/.test(number)
      ? { beforeCheckpoint: Number(number) }
      : wrongUsage(form, `${JSON.stringify(number)} is not the number of a checkpoint.`);
  }
  if (number !== undefined) return wrongUsage(form, `${number} is one word too many.`);
  const [turns, to] = [values.get('turns')?.at(-1), values.get('to')?.at(-1)];
  if (turns !== undefined && to !== undefined) return wrongUsage(form, '--turns and --to are two ways: choose one.');
  if (to !== undefined) return { toTurn: to };
  if (turns !== undefined && !/^[1-9]\d{0,6}$/.test(turns)) {
    return wrongUsage(form, `${JSON.stringify(turns)} is not a number of turns.`);
  }
  return { turns: Number(turns ?? 1) };
}

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
