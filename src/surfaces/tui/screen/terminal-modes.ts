/** A paste is marked, focus is reported, keys with modifiers are told apart. */
export const modesOn = '\u001B[?2004h\u001B[?1004h\u001B[>1u';
/** All of it back, and what a screen may have set: also after a crash in the middle of a frame. */
export const modesOff =
  '\u001B[?2026l\u001B[<u\u001B[?1004l\u001B[?2004l\u001B[?1006l\u001B[?1000l\u001B[0m\u001B[?25h';
/** A terminal that shows no other screen would move its cursor by the second. */
export const fullOn = '\u001B[?1049h';
export const fullOff = '\u001B[?1049l';
/** What is left of the live part of a screen goes. */
export const eraseBelow = '\u001B[J';
/**
 * Asks whether keys with modifiers are told apart. Every terminal answers the second question: one that answers only that
 * has no such protocol.
 */
export const askKeyboard = '\u001B[?u\u001B[c';
export const askBackground = '\u001B]11;?\u0007';

/** Whether an answer of the terminal follows what is written. */
export function asksTerminal(text: string): boolean {
  return text.includes(askKeyboard) || text.includes(askBackground);
}
