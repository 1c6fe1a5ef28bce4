import type { Outcome } from '../../protocol/outcome.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import type { ChangedFiles, TurnFileChange } from '../engine/engine-types.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { filesCommand } from '../commands/threads-read-commands.ts';
import { table } from '../terminal/table.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { findThread } from './find-thread.ts';
import { printResult } from './print-result.ts';

/** `capstan threads files` */
export async function run({ thread, options }: CommandArguments<typeof filesCommand>): Promise<number | Outcome> {
  const found = await findThread({ thread });
  if ('code' in found) return found;
  const { engine, id } = found;
  const { turns, changes } = await engine.stored.fileChanges(id);
  const named = changes.map((change) => ({ ...change, turn: numberOf(change, turns) ?? null }));
  return printResult({ id, changes: named }, options, () =>
    changes.length === 0
      ? 'No turn of this thread may have changed a file.\n'
      : changes.map((change) => `${headOf(change, turns)}\n${bodyOf(change)}`).join('\n'),
  );
}

function headOf(change: ChangedFiles, turns: readonly TurnSummary[]): string {
  const { changer, root } = change;
  const place = `in ${visibleLine(root)}`;
  if (changer.kind === 'restore') return `Files brought back ${place}`;
  const number = numberOf(change, turns);
  return `${number === undefined ? 'A turn that was taken back' : `Turn ${number}`}, ${changer.turnId}, ${place}`;
}

function numberOf({ changer }: ChangedFiles, turns: readonly TurnSummary[]): number | undefined {
  return changer.kind === 'turn' ? turns.find(({ id }) => id === changer.turnId)?.number : undefined;
}

function bodyOf({ changer, state, files, meanwhile }: ChangedFiles): string {
  if (state === 'unknown') return '  not known: no snapshot was taken, it was cut off, or a snapshot is gone\n';
  const isUnclear = changer.kind === 'turn' && meanwhile === undefined && files.length > 0;
  return [
    files.length === 0 ? '  nothing\n' : rowsOf(files),
    ...(isUnclear ? ["  The record does not say which of these were the turn's own changes.\n"] : []),
    ...(meanwhile === undefined || meanwhile.length === 0 ? [] : ['  Meanwhile, and not by it:\n', rowsOf(meanwhile)]),
  ].join('');
}

function rowsOf(files: readonly TurnFileChange[]): string {
  return table(files.map((file) => [`  ${file.kind}`, sizesOf(file), file.path]));
}

function sizesOf({ sizeBefore, sizeAfter }: TurnFileChange): string {
  const sizes = [sizeBefore, sizeAfter].filter((size) => size !== undefined);
  return sizes.length === 0 ? '' : `${sizes.join(' → ')} B`;
}
