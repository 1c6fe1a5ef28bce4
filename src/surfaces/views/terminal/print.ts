import { fileSystem } from '../../../engine/files.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { terminalWidth, visibleJson, visibleText, wrap } from './text.ts';

// With `page.ts` and `screen.ts`, all that writes to standard output and standard error. What a model, a command, a
// server or a file says moves no cursor, rings no bell and sets no title: hidden characters become signs before.

/**
 * What is printed, and for whom: text is for people; JSON says hidden characters as escapes, which changes no value.
 * What is exact reaches a file or a program as it is, and only a terminal like the others.
 */
export type Printed = 'text' | 'json' | 'exact text' | 'exact json';

/** Writes to standard output, or where else. */
export function print(text: string | Uint8Array, as: Printed, stream: NodeJS.WriteStream = process.stdout): void {
  if (as.startsWith('exact') && !stream.isTTY) stream.write(text);
  else {
    const decoded = typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    stream.write(as.endsWith('json') ? visibleJson(decoded) : visibleText(decoded));
  }
}

/** Whether standard output and standard error go to one place: a screen, or by `2>&1` a pipe or a file. */
export function isOutputSameAsError(): boolean {
  if (process.stdout.isTTY && process.stderr.isTTY) return true;
  try {
    const [out, error] = [process.stdout.fd, process.stderr.fd].map((fd) => fileSystem.fstatSync(fd));
    // Systems that do not number a pipe give 0.
    return out !== undefined && out.ino !== 0 && out.dev === error?.dev && out.ino === error.ino;
  } catch {
    return false;
  }
}

/** Writes a line, or several, for people to standard error. */
export function printNote(text: string): void {
  process.stderr.write(`${visibleText(text)}\n`);
}

/** Says on standard error why nothing comes of it, and what to do. Gives back the exit code. */
export function complain({ message, next }: Pick<Outcome, 'message' | 'next'>, exitCode: number): number {
  const sentences = next === '' ? message : `${message}\n${next}`;
  const width = process.stderr.isTTY ? terminalWidth(process.stderr) : undefined;
  printNote(failureText(sentences, width));
  return exitCode;
}

const mark = 'capstan: ';

/** Broken between words where the width is known; every row after the first stands below the text. */
export function failureText(text: string, width: number | undefined): string {
  const lines = width === undefined ? text.split('\n') : wrap(visibleText(text), Math.max(20, width - mark.length - 1));
  return lines.map((line, at) => `${at === 0 ? mark : ' '.repeat(mark.length)}${line}`).join('\n');
}
