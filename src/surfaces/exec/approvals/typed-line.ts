/** A line that the user types, and how it ended if it did. */
export interface TypedLine {
  readonly text: string;
  /** `sent` by Enter, or given up by Esc. */
  readonly end?: 'sent' | 'back';
}

export const noLine: TypedLine = { text: '' };

const escape = '\u001B';
// oxlint-disable-next-line no-control-regex -- what keys send that write nothing
const keySequence = /\u001B(?:\[[0-?]*[ -/]*[@-~]|O.|[^[O])?/gu;
// oxlint-disable-next-line no-control-regex -- the same
const control = /[\u0000-\u0007\u000B\u000C\u000E-\u0014\u0016-\u001F\u0080-\u009F]/gu;
const rubOuts = new Set(['\u007F', '\b']);
/** Ctrl-U. */
const clear = '\u0015';

/** The line after some keys. Arrows and other keys without a character change nothing; a pasted line end is a space. */
export function typeInto(line: TypedLine, keys: string): TypedLine {
  if (keys === escape) return { text: line.text, end: 'back' };
  const typed = keys.replaceAll(keySequence, '').replaceAll(control, '');
  const isSent = /[\r\n]$/.test(typed);
  let text = line.text;
  for (const character of typed.replace(/[\r\n]+$/, '').replaceAll(/[\r\n\t]+/g, ' ')) {
    if (rubOuts.has(character)) text = [...text].slice(0, -1).join('');
    else text = character === clear ? '' : text + character;
  }
  return isSent ? { text, end: 'sent' } : { text };
}
