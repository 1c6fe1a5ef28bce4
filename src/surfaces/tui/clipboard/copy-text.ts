import { spawn } from 'node:child_process';
import type { Outcome } from '../../../protocol/outcome.ts';
import { type CopyWay, mostTerminalBytes, terminalCopy } from './clipboard-ways.ts';

export interface CopyParts {
  readonly ways: readonly CopyWay[];
  /** To the terminal, as it is. */
  write(sequence: string): void;
}

/** A program that has not taken the text after this time does not. */
const waitMs = 3000;

/** Copies a text by the first way that takes it, and gives that way. */
export async function copyText(text: string, { ways, write }: CopyParts): Promise<CopyWay | Outcome> {
  const bytes = Buffer.byteLength(text);
  for (const way of ways) {
    if (way.kind === 'terminal') {
      if (bytes > mostTerminalBytes) continue;
      write(terminalCopy(text));
      return way;
    }
    if (await takes(way.words, text)) return way;
  }
  const isLong = bytes > mostTerminalBytes;
  return {
    code: 'not-copied',
    message: isLong ? 'The text is too long for the clipboard of a terminal.' : 'No clipboard was found.',
    next: 'Write it to a file with /export.',
  };
}

function takes([name, ...words]: readonly [string, ...string[]], text: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(name, words, { stdio: ['pipe', 'ignore', 'ignore'] });
  const late = setTimeout(() => {
    child.kill();
    resolve(false);
  }, waitMs);
  child.on('error', () => resolve(false));
  child.on('exit', (code) => resolve(code === 0));
  // One that is not there, or does not read, says so by its end.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  return promise.finally(() => clearTimeout(late));
}
