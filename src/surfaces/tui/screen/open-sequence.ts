import { controlKey } from './read-sequence.ts';
import { keyPress, type TerminalInput } from './terminal-input.ts';

/** A lone Escape is a key after this silence: the rest of a sequence comes at once. */
const escapeMs = 30;
/** So is Alt with a key that begins sequences. A slow line may split one there. */
const beginningMs = 150;
/** What has begun beyond doubt was sent by the terminal. */
const restMs = 1000;

/** Escape and one of these begin a sequence. Alone, or before the Escape of another key, they may be a key with Alt. */
const beginning = /^\u001B[[\]OPX^_](?=$|\u001B(?!\\))/;

/**
 * How long the rest of a sequence is waited for. While an answer of the terminal is due, an Escape is as likely its
 * beginning as a key.
 */
export function waitFor(open: string, { isAnswerDue }: { readonly isAnswerDue: boolean }): number {
  if (isEscape(open)) return isAnswerDue && open.length < 2 ? beginningMs : escapeMs;
  return beginning.test(open) ? beginningMs : restMs;
}

function isEscape(open: string): boolean {
  return open.startsWith('\u001B\u001B') || open.length < 2;
}

/** What a sequence is whose rest does not come. Of what the terminal sent, no part is a key. */
export function giveUp(open: string): { readonly length: number; readonly inputs: readonly TerminalInput[] } {
  if (isEscape(open)) return { length: 1, inputs: [controlKey(open.codePointAt(0) ?? 27)] };
  const [, sign = ''] = open;
  return beginning.test(open)
    ? { length: 2, inputs: [keyPress(sign, { alt: true })] }
    : { length: open.length, inputs: [] };
}
