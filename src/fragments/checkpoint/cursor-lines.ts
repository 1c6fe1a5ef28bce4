/** Signs of lists, quotes, headings and emphasis that may stand around the word. */
const signs = String.raw`[ \t>*_#\x60+•\d.)-]{0,20}`;
const word = String.raw`RESUME[_ ]AT[*_\x60]{0,4}`;

/** A line that says where to continue, however it is decorated. A heading has its step on the line below. */
export const cursorLine = new RegExp(String.raw`^${signs}${word}[ \t]{0,4}(?:[:：][*_\x60]{0,4}(?<step>.*)|)$`, 'i');

const cursors = new RegExp(String.raw`^(?=${signs}${word}[ \t]{0,4}(?:[:：]|$))`, 'gim');

/** There is one place to continue from, at the end: a line that names another one says when it was meant. */
export function markCursors(text: string, when: string): string {
  return text.replace(cursors, `(${when}) `);
}
