import type { Outcome } from '../../protocol/outcome.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import type { ChangedFiles, TurnFileChange, ThreadFiles } from '../engine/engine-types.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { filesCommand } from '../commands/threads-read-commands.ts';
import { table } from '../terminal/table.ts';
import { print } from '../terminal/print.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { findThread } from './find-thread.ts';

/** `capstan threads files` */
export async function run({ thread, options }: CommandArguments<typeof filesCommand>): Promise<number | Outcome> {
  const found = await findThread({ thread });
  if ('code' in found) return found;
  const { engine, id } = found;
  const files = await engine.stored.fileChanges(id);
  const { turns, changes } = files;
  if (options.json) {
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

function rowsOf(files: readonly TurnFileChange[]): string {
  return table(files.map((file) => [`  ${file.kind}`, sizesOf(file), file.path]));
}

function sizesOf({ sizeBefore, sizeAfter }: TurnFileChange): string {
  const sizes = [sizeBefore, sizeAfter].filter((size) => size !== undefined);
  return sizes.length === 0 ? '' : `${sizes.join(' → ')} B`;
}
