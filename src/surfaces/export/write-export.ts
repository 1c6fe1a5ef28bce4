import { fileSystem, kindOfEntry } from '../../disk/file-system.ts';
import { nounFor } from '../../disk/regular-file.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { beforeAnySignal } from '../terminal/before-signal.ts';
import { findOutputFile, writeOutputFile } from '../terminal/output-file.ts';

/** Writes a new file, for the user alone, as rollouts are: it holds prompts and outputs. Refused if there is one. */
export function writeNewExport(path: string, text: string): Outcome<'export-exists' | 'export-unwritten'> | undefined {
  const fs = process.getBuiltinModule('node:fs');
  let file: number | undefined;
  try {
    file = fs.openSync(path, 'wx', 0o600);
    fs.writeFileSync(file, text);
    return undefined;
  } catch (error) {
    // Half a thread is worse than none.
    if (file !== undefined) fs.rmSync(path, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return unwritten(path, error);
    const other = otherThanFile(path);
    if (other !== undefined) return other;
    const message = `${path} exists already.`;
    return { code: 'export-exists', message, next: 'Give another name, or add --force.' };
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** A pipe would hold all of Capstan until another program reads from it. */
function otherThanFile(path: string): Outcome<'export-unwritten'> | undefined {
  const kind = kindOfEntry(path);
  if (kind === 'file' || kind === 'missing') return undefined;
  const why = `it is ${nounFor(fileSystem.statSync(path))}, and Capstan replaces only files`;
  return { ...unwritten(path, new Error(why)), next: 'Give another name.' };
}

/**
 * In place of a file that is there, but not through a link that a command may have put into one of these folders, where
 * commands may write.
 */
export async function replaceExport(
  path: string,
  text: string,
  writable: readonly string[],
): Promise<Outcome<'export-unwritten'> | undefined> {
  const file = findOutputFile(path, writable);
  try {
    const other = otherThanFile(path);
    if (other !== undefined) return other;
    if (file === 'leads-out')
      throw new Error(
        'it leads through a link, which a command may have made, out of the folders where commands may write',
      );
    if (file.place === undefined) throw new Error('it is not a file');
    await beforeAnySignal(() => writeOutputFile(file, text, 0o600));
    return undefined;
  } catch (error) {
    return unwritten(path, error);
  }
}

function unwritten(path: string, error: unknown): Outcome<'export-unwritten'> {
  return { code: 'export-unwritten', message: `${path} cannot be written: ${(error as Error).message}.`, next: '' };
}
