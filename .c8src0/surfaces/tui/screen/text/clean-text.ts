import { replaceInvisible } from '../../../../base/invisible-characters.ts';

/**
 * Escape sequences: control sequences, short sequences, and strings for the terminal with their end mark. If such a
 * string does not end on its line, only its first characters are removed, so that it cannot hide the rest of the
 * output.
 */
const sequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\x07\x1b\x90-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/** Characters that move the writing position or begin a sequence. */
const steering = /[\x08\v\f\r\x1b\x80-\x9f\u2028\u2029]/;

/**
 * Makes untrusted text safe for a screen: no escape sequences, no control characters except newline and tab, nothing
 * that changes the writing direction. A carriage return ends a line, so that no line hides the one before it.
 */
export function cleanText(text: string): string {
  if (!steering.test(text)) return withoutHidden(text.toWellFormed());
  const bare = overstruck(text).replaceAll(sequences, '');
  return withoutHidden(bare.replaceAll(/\r+\n|[\r\v\f\u2028\u2029]/g, '\n').toWellFormed());
}

/** `cleanText` in one line. */
export function cleanLine(text: string): string {
  return (
    cleanText(text)
      // Looks at each blank once: a pattern for blanks before a newline would restart at every one of them.
      .replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks))
      .replaceAll('\t', ' ')
  );
}

/** Removes invisible characters from text that has no control characters any more. */
export const withoutHidden = (text: string): string =>
  replaceInvisible(text.replaceAll(/[\u2028\u2029]/g, '\n'), () => '');

/** `cleanText` split into lines, with blanks for tabs. */
export const cleanLines = (text: string): readonly string[] =>
  Array.from(cleanText(text).split('\n'), (line) => withoutTabs(line, codeTab));

export const trimmedLines = (text: string): readonly string[] => (text.trim() === '' ? [] : cleanLines(text.trimEnd()));
const codeTab = 4;

/** Converts overstruck bold and underlined letters, as in manual pages, to plain letters. */
const overstruck = (text: string): string =>
  text.includes('\b') ? text.replaceAll(/_\x08(?=[^\x08])|([^\x08\n])\x08(?=\1)/g, '') : text;

export function withoutTabs(line: string, size: number): string {
  if (!line.includes('\t')) return line;
  let [column, from, out] = [0, 0, ''];
  for (let at = line.indexOf('\t'); at >= 0; at = line.indexOf('\t', from)) {
    // Wide characters before a tab shift it by a column or two, which does not matter.
    column += at - from;
    const blanks = size - (column % size);
    out += line.slice(from, at) + ' '.repeat(blanks);
    column += blanks;
    from = at + 1;
  }
  return out + line.slice(from);
}
