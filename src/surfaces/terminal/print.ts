import type { Outcome } from '../../protocol/outcome.ts';
import { visibleJson, visibleText } from './visible-text.ts';

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

/** Writes a line, or several, for people to standard error. */
export function printNote(text: string): void {
  process.stderr.write(`${visibleText(text)}\n`);
}

/** Says on standard error why nothing comes of it, and what to do. Gives back the exit code. */
export function complain({ message, next }: Pick<Outcome, 'message' | 'next'>, exitCode: number): number {
  printNote(`capstan: ${message}${next === '' ? '' : `\n         ${next}`}`);
  return exitCode;
}
