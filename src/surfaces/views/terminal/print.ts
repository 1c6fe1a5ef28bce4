import { fileSystem } from '../../../engine/file-access.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { terminalWidth, visibleJson, visibleText, wrap } from './visible-text.ts';

// Together with `page.ts` and `screen.ts`, the only code that writes to standard output and standard error. Text of a
// model, a command, a server or a file moves no cursor, rings no bell and sets no title: hidden characters become signs
// first.

/**
 * Text is for people; JSON escapes hidden characters, which changes no value. Exact output is made visible only on a
 * terminal, and reaches a file or a program unchanged.
 */
export type OutputForm = 'text' | 'json' | 'exact text' | 'exact json';

export function print(text: string | Uint8Array, as: OutputForm, stream: NodeJS.WriteStream = process.stdout): void {
  if (as.startsWith('exact') && !stream.isTTY) stream.write(text);
  else {
    const decoded = typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    stream.write(as.endsWith('json') ? visibleJson(decoded) : visibleText(decoded));
  }
}

/** True if standard output and standard error share a screen or, by `2>&1`, a pipe or a file. */
export function isOutputSameAsError(): boolean {
  if (process.stdout.isTTY && process.stderr.isTTY) return true;
  try {
    const [out, error] = [process.stdout.fd, process.stderr.fd].map((fd) => fileSystem.fstatSync(fd));
    // Systems that do not number pipes report 0.
    return out !== undefined && out.ino !== 0 && out.dev === error?.dev && out.ino === error.ino;
  } catch {
    return false;
  }
}

export const printNote = (text: string): void => void process.stderr.write(`${visibleText(text)}\n`);

/** Reports a failure and advice on standard error. Returns the exit code. */
export function printFailure({ message, next }: Pick<Outcome, 'message' | 'next'>, exitCode: number): number {
  const sentences = next === '' ? message : `${message}\n${next}`;
  printNote(layOutFailureText(sentences, process.stderr.isTTY ? terminalWidth(process.stderr) : undefined));
  return exitCode;
}

const mark = 'capstan: ';

/** Breaks the text between words if the width is known; rows after the first are indented to the text. */
export function layOutFailureText(text: string, width: number | undefined): string {
  const lines = width === undefined ? text.split('\n') : wrap(visibleText(text), Math.max(20, width - mark.length - 1));
  return lines.map((line, at) => `${at === 0 ? mark : ' '.repeat(mark.length)}${line}`).join('\n');
}
