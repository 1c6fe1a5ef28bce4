import { dirname, resolve } from 'node:path';
import { fileSystem, kindOfEntry, reasonOf } from '../../disk/file-system.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ExecArguments } from '../commands/exec-command.ts';
import type { TurnResult } from '../engine/engine-types.ts';
import { findOutputFile, type OutputFile, writeOutputFile } from '../terminal/output-file.ts';
import { visibleText } from '../terminal/visible-text.ts';

/** Where the answer goes, if anywhere. Before the turn, because a turn costs time and money. Touches nothing. */
export function checkLastMessageFile(
  options: Pick<ExecArguments['options'], 'lastMessageFile'>,
  cwd: string,
  /** Where else commands may write. */
  roots: readonly string[],
): OutputFile | Outcome | undefined {
  const given = options.lastMessageFile;
  if (given === undefined) return undefined;
  const path = resolve(cwd, given);
  const file = findOutputFile(path, [cwd, ...roots]);
  const problem =
    whyNotWritable(path) ??
    (file === 'leads-out'
      ? 'it leads through a link, which a command may have made, out of the folders where commands may write'
      : undefined);
  if (problem === undefined && file !== 'leads-out') return file;
  return {
    code: 'last-message-unwritable',
    message: `The answer cannot be written to ${path}: ${problem}.`,
    next: 'Give -o a file in a folder that you may write to. Nothing was sent to the model.',
  };
}

/**
 * Writes the answer of a completed turn; a failed turn leaves the file as it was. What the user should know of it comes
 * back: `last-message-unwritten` when the file is not what was asked for.
 */
export function writeLastMessage(file: OutputFile, result: TurnResult): Outcome | undefined {
  if (result.kind !== 'completed') return undefined;
  const { path } = file;
  try {
    // A file that is also our standard output holds what was printed before.
    const text = result.lastMessage ?? '';
    if (isStandardOutput(path)) fileSystem.writeFileSync(1, isTerminal(path) ? visibleText(text) : text);
    else writeOutputFile(file, isTerminal(path) ? visibleText(text) : text, 0o666);
  } catch (error) {
    return {
      code: 'last-message-unwritten',
      message: `The turn is complete, but its answer could not be written to ${path}: ${reasonOf(error)}.`,
      next: 'The answer is in the output above and in the thread.',
    };
  }
  if (result.lastMessage !== undefined) return undefined;
  return { code: 'no-last-message', message: `The model gave no answer; ${path} is empty.`, next: '' };
}

function isStandardOutput(path: string): boolean {
  const named = fileSystem.statSync(path, { throwIfNoEntry: false });
  const { dev, ino } = fileSystem.fstatSync(1);
  return named !== undefined && named.isFile() && named.dev === dev && named.ino === ino;
}

/** Or another device that shows what is written to it. */
function isTerminal(path: string): boolean {
  return fileSystem.statSync(path, { throwIfNoEntry: false })?.isCharacterDevice() === true;
}

function whyNotWritable(path: string): string | undefined {
  const kind = kindOfEntry(path);
  if (kind === 'folder') return 'it is a folder';
  const folder = dirname(path);
  if (kind === 'missing' && kindOfEntry(folder) !== 'folder') return `there is no folder ${folder}`;
  try {
    fileSystem.accessSync(kind === 'missing' ? folder : path, fileSystem.constants.W_OK);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
