import { wheelOf } from './read-sequence.ts';
import type { TerminalInput } from './terminal-input.ts';

export const oldMouse = '\u001B[M';

/**
 * A report of the mouse as terminals send it that know no newer form: a button and a place, one character each. Undefined
 * where more has to come. A place beyond what a character can say is NUL; any other control character is no part of it.
 */
export function readOldMouse(
  text: string,
): { readonly length: number; readonly inputs: readonly TerminalInput[] } | undefined {
  const signs: string[] = [];
  for (const sign of text.slice(oldMouse.length)) {
    const isNext = /^[\u0001-\u001F]$/.test(sign);
    if (!isNext) signs.push(sign);
    if (isNext || signs.length === 3) {
      const wheel = wheelOf((signs[0]?.codePointAt(0) ?? 0) - 32);
      return { length: oldMouse.length + signs.join('').length, inputs: wheel === undefined ? [] : [wheel] };
    }
  }
  return undefined;
}
