import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { RollbackTo, RolledBack } from '../../thread/rollback-range.ts';
import type { RestoreReport } from '../../workspace/restore-files.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import type { Done } from '../thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';
import { restoreText } from './restore.ts';

export const form: CommandForm = {
  name: 'threads rollback',
  summary: 'Takes the newest turns of a thread back: the talk, the files that they changed, or both.',
  forms: ['THREAD [--turns N | --to TURN] [--files | --both] [--force]', '--last [--all] …'],
  options: [
    { key: 'turns', names: ['-n', '--turns'], value: 'N', help: 'so many turns in which you spoke; 1 without it' },
    { key: 'to', names: ['--to'], value: 'TURN', help: 'everything after this turn' },
    { key: 'files', names: ['--files'], help: 'take back what the turns did to files; the talk stays' },
    { key: 'both', names: ['--both'], help: 'take back files and talk' },
    { key: 'force', names: ['--force'], help: 'with files: also where somebody else changed one since' },
    ...threadOptions,
  ],
  notes: [
    'TURN is the number of a turn, its id, or the beginning of that. Without --files and --both, files stay as they are.',
    'Nothing is lost: `capstan threads undo-rollback` brings the turns back, and after that `capstan threads restore --undo`',
    'the files.',
  ].join('\n'),
};

/** The talk, the files, or both. */
type Back = Done<
  { readonly files?: RestoreReport } & (RolledBack | { readonly kind: 'files-restored'; readonly id: ThreadId })
>;

const command: OnThread<Back> = {
  form,
  archived: false,
  more: 0,
  async run(engine, id, words) {
    const to = rangeOf(words);
    if ('code' in to) return to;
    const [onlyFiles, both] = [words.flags.has('files'), words.flags.has('both')];
    if (onlyFiles && both) return wrongUsage(form, '--both has the files already.');
    if (!onlyFiles && !both) return engine.rollback(id, to);
    const files = await engine.restoreRolledBack(id, to, { dryRun: false, force: words.flags.has('force') });
    if (files.kind === 'refused' && (onlyFiles || files.outcome.code !== 'nothing-to-restore')) return files;
    const told = files.kind === 'refused' ? {} : { files };
    if (onlyFiles) return { kind: 'files-restored', id, ...told, notices: [] };
    const talk = await engine.rollback(id, to);
    return talk.kind === 'refused' ? talk : { ...talk, ...told };
  },
  text(back) {
    const files = back.files === undefined ? '' : restoreText(back.files, false);
    if (back.kind === 'files-restored') return `${files}To bring them back: capstan threads restore ${back.id} --undo`;
    const { id, turns } = back;
    const taken = turns.length === 1 ? 'One turn' : `${turns.length} turns`;
    return `${files}${taken} of thread ${id} taken back.\nTo bring them back: capstan threads undo-rollback ${id}`;
  },
};

function rangeOf({ values }: ParsedWords): RollbackTo | Outcome<'usage'> {
  const [turns, to] = [values.get('turns')?.at(-1), values.get('to')?.at(-1)];
  if (turns !== undefined && to !== undefined) return wrongUsage(form, '--turns and --to are two ways: choose one.');
  if (to !== undefined) return { toTurn: to };
  if (turns !== undefined && !/^[1-9]\d{0,6}$/.test(turns)) {
    return wrongUsage(form, `${JSON.stringify(turns)} is not a number of turns.`);
  }
  return { turns: Number(turns ?? 1) };
}

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
