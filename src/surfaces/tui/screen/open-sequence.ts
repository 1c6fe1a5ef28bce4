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

/** How long the rest of a sequence is waited for. */
export function waitFor(open: string): number {
  if (open.startsWith('\u001B\u001B') || open.length < 2) return escapeMs;
  return beginning.test(open) ? beginningMs : restMs;
}

/** What a sequence is whose rest does not come. Of what the terminal sent, no part is a key. */
export function giveUp(open: string): { readonly length: number; readonly inputs: readonly TerminalInput[] } {
  if (waitFor(open) === escapeMs) return { length: 1, inputs: [controlKey(open.codePointAt(0) ?? 27)] };
  const [, sign = ''] = open;
  return beginning.test(open)
    ? { length: 2, inputs: [keyPress(sign, { alt: true })] }
    : { length: open.length, inputs: [] };
}

/** The rest of an answer, a report or a mark, as it comes in one go. Within `lateMs` of its Escape it is none of a user's. */
export const lateRest = /^(?:\[[<=>?]?[\d;:]+[A-Za-z~]|\]\d+;|P[\d!$>|])/;
export const lateMs = restMs;
