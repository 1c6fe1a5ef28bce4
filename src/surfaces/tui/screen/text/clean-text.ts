import { replaceInvisible } from '../../../../base/invisible-characters.ts';

/**
 * Escape sequences: those with a final letter, texts for the terminal up to their end, and short ones. A text for the
 * terminal without an end in its line loses only its beginning, so that nothing can swallow the rest of an output.
 */
const sequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\x07\x1b\x90-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/** What moves the place where a terminal writes, or begins a sequence. */
const steering = /[\x08\v\f\r\x1b\x80-\x9f\u2028\u2029]/;

/**
 * A text of any origin as a screen may show it: no escape sequence, no control character but newline and tab, nothing
 * that turns the direction of writing. A carriage return ends a line, so that no line hides the one before it.
 */
export function cleanText(text: string): string {
  const lines = steering.test(text)
    ? overstruck(text)
        .replaceAll(sequences, '')
        .replaceAll(/\r+\n|[\r\v\f\u2028\u2029]/g, '\n')
    : text;
  return withoutHidden(lines.toWellFormed());
}

/** The same in one line. */
export function cleanLine(text: string): string {
  return (
    cleanText(text)
      // One look at each blank: a pattern that looks for blanks before a newline begins anew at every one of them.
      .replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks))
      .replaceAll('\t', ' ')
  );
}

/** Without the same signs, for a text that stays with the user: it has no control characters any more. */
export function withoutHidden(text: string): string {
  return replaceInvisible(text.replaceAll(/[\u2028\u2029]/g, '\n'), () => '');
}

/** The same in lines, with blanks in the place of tabs. */
export function cleanLines(text: string): readonly string[] {
  return cleanText(text)
    .split('\n')
    .map((line) => withoutTabs(line, codeTab));
}

const codeTab = 4;

/** Bold and underlined letters of old printers, as manual pages still have them, become letters. */
function overstruck(text: string): string {
  return text.includes('\b') ? text.replaceAll(/_\x08(?=[^\x08])|([^\x08\n])\x08(?=\1)/g, '') : text;
}

/** A line with blanks in the place of its tabs. */
export function withoutTabs(line: string, size: number): string {
  if (!line.includes('\t')) return line;
  let [column, from, out] = [0, 0, ''];
  for (let at = line.indexOf('\t'); at >= 0; at = line.indexOf('\t', from)) {
    // Wide signs before a tab move it by a column or two, which no one aligns by.
    column += at - from;
    const blanks = size - (column % size);
    out += line.slice(from, at) + ' '.repeat(blanks);
    column += blanks;
    from = at + 1;
  }
  return out + line.slice(from);
}
