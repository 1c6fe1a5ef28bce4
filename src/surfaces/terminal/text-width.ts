/** Most text: one column for each character. */
const plain = /^[ -~\u00A1-\u00AC\u00AE-\u024F\u2010-\u2027\u2190-\u21FF\u2400-\u2421\u2500-\u259F]*$/;
/** Makes a picture of the sign before it. */
const pictureSelector = '\uFE0F';

/**
 * How many columns of a terminal a text of one line takes at most. Pictures that are put together of several are counted
 * apart: not every terminal joins them, and a line must not become two.
 */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const sign of text) width += signWidth(sign);
  return width;
}

/** The text, or as much of it as fits, with a sign at its end that there was more. */
export function fit(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let [end, left] = [0, width - 1];
  for (const sign of text) {
    left -= signWidth(sign);
    if (left < 0) break;
    end += sign.length;
  }
  return width <= 0 ? '' : `${text.slice(0, end)}…`;
}

/** Padded on the right, or on the left, to so many columns. */
export function pad(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(text)));
  return side === 'right' ? text + blanks : blanks + text;
}

function signWidth(sign: string): number {
  if (sign === pictureSelector) return 1;
  if (isWithoutWidth(sign)) return 0;
  return isWide(sign) ? 2 : 1;
}

// The patterns stand in functions: few texts need them, and at the start of the program they would take long to read.

/** Marks that stand over or under the letter before, joiners, selectors, and parts of a Korean syllable. */
function isWithoutWidth(sign: string): boolean {
  return /\p{M}|[\u200B-\u200D\u1160-\u11FF]|[\uFE00-\uFE0F]/u.test(sign);
}

/** Scripts and pictures that take two columns. */
function isWide(sign: string): boolean {
  return /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1F1E6}-\u{1F1FF}\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u.test(
    sign,
  );
}
