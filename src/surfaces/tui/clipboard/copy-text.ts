import type { Outcome } from '../../../protocol/outcome.ts';
import { type CopyWay, mostTerminalBytes, terminalCopy } from './clipboard-ways.ts';

export interface CopyParts {
  readonly ways: readonly CopyWay[];
  /** To a program, by its name and words. Whether it took the text. */
  feed(words: readonly string[], text: string): Promise<boolean>;
  /** To the terminal, as it is. */
  write(sequence: string): void;
}

/** Copies a text by the first way that takes it, and gives that way. */
export async function copyText(text: string, { ways, feed, write }: CopyParts): Promise<CopyWay | Outcome> {
  const bytes = Buffer.byteLength(text);
  for (const way of ways) {
    if (way.kind === 'terminal') {
      if (bytes > mostTerminalBytes) continue;
      write(terminalCopy(text));
      return way;
    }
    if (await feed(way.words, text)) return way;
  }
  const isLong = bytes > mostTerminalBytes;
  return {
    code: 'not-copied',
    message: isLong ? 'The text is too long for the clipboard of a terminal.' : 'No clipboard was found.',
    next: 'Write it to a file with /export.',
  };
}
