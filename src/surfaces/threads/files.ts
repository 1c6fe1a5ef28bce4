import type { Outcome } from '../../protocol/outcome.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import type { ChangedFiles, FileChange, ThreadFiles } from '../../workspace/file-changes.ts';
import type { CommandForm, ParsedWords } from '../command-words.ts';
import { columns } from '../config/columns.ts';
import { print } from '../print.ts';
import { lastOption, runCommand } from '../run-command.ts';
import { visibleLine } from '../visible-text.ts';
import { meantThread } from './meant-thread.ts';

export const form: CommandForm = {
  name: 'threads files',
  summary: 'Shows what each turn of a thread changed in the workspace.',
  forms: ['THREAD [--json]', '--last [--json]'],
  options: [{ key: 'json', names: ['--json'], help: 'one JSON object' }, lastOption],
  notes: 'It goes by the snapshots that are taken before and after a turn: docs/undo.md says of what.',
};

/** `capstan threads files`. 0: shown; 1: no such thread; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, showFiles);
}

async function showFiles(asked: ParsedWords): Promise<number | Outcome> {
  const meant = await meantThread(form, asked);
  if ('code' in meant) return meant;
  const { engine, id } = meant;
  const files = await engine.fileChanges(id);
  const { turns, changes } = files;
  if (asked.flags.has('json')) {
    const named = changes.map((change) => ({ ...change, turn: numberOf(change, turns) ?? null }));
    print(`${JSON.stringify({ id, changes: named })}\n`, 'json');
  } else print(filesText(files), 'text');
  return 0;
}

function filesText({ turns, changes }: ThreadFiles): string {
  if (changes.length === 0) return 'No turn of this thread may have changed a file.\n';
  return changes.map((change) => `${headOf(change, turns)}\n${bodyOf(change)}`).join('\n');
}

function headOf(change: ChangedFiles, turns: readonly TurnSummary[]): string {
  const { changer, root } = change;
  if (changer.kind === 'restore') return `Files brought back in ${visibleLine(root)}`;
  const number = numberOf(change, turns);
  if (number === undefined) return `A turn that was taken back, ${changer.turnId}, in ${visibleLine(root)}`;
  return `Turn ${number}, ${changer.turnId}, in ${visibleLine(root)}`;
}

function numberOf({ changer }: ChangedFiles, turns: readonly TurnSummary[]): number | undefined {
  return changer.kind === 'turn' ? turns.find(({ id }) => id === changer.turnId)?.number : undefined;
}

function bodyOf({ changer, state, files, meanwhile }: ChangedFiles): string {
  if (state === 'unknown') return '  not known: no snapshot was taken, it was cut off, or a snapshot is gone\n';
  const isUnclear = changer.kind === 'turn' && meanwhile === undefined && files.length > 0;
  const own = files.length === 0 ? '  nothing\n' : rowsOf(files);
  return [
    own,
    ...(isUnclear ? ["  The record does not say which of these were the turn's own changes.\n"] : []),
    ...(meanwhile === undefined || meanwhile.length === 0 ? [] : ['  Meanwhile, and not by it:\n', rowsOf(meanwhile)]),
  ].join('');
}

function rowsOf(files: readonly FileChange[]): string {
  return columns(files.map((file) => [`  ${file.kind}`, sizesOf(file), file.path]));
}

function sizesOf({ sizeBefore, sizeAfter }: FileChange): string {
  const sizes = [sizeBefore, sizeAfter].filter((size) => size !== undefined);
  return sizes.length === 0 ? '' : `${sizes.join(' → ')} B`;
}
