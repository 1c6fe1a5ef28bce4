/** Most text: one column for each character. */
const plain = /^[ -~\u00A1-\u00AC\u00AE-\u024F\u2010-\u2027\u2190-\u21FF\u2400-\u2421\u2500-\u259F]*$/;
/** Marks that stand over or under the letter before, joiners, and selectors. */
const noWidth = /\p{M}|[\u200B-\u200D]|[\uFE00-\uFE0F]/u;
/** Scripts and pictures that take two columns. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1F1E6}-\u{1F1FF}\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

let segmenter: Intl.Segmenter | undefined;

/** Made when it is first needed: it costs a start more than all the rest of this file. */
function graphemes(text: string): Intl.Segments {
  return (segmenter ??= new Intl.Segmenter()).segment(text);
}

/** How many columns of a terminal a text of one line takes. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  return Array.from(graphemes(text), ({ segment }) => segmentWidth(segment)).reduce((sum, each) => sum + each, 0);
}

/** The text, or as much of it as fits, with a sign at its end that there was more. */
export function fit(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let [kept, left] = ['', width - 1];
  for (const { segment } of graphemes(text)) {
    left -= segmentWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return width <= 0 ? '' : `${kept}…`;
}

/** Padded on the right, or on the left, to so many columns. */
export function pad(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(text)));
  return side === 'right' ? text + blanks : blanks + text;
}

function segmentWidth(segment: string): number {
  const [first = ''] = segment;
  if (noWidth.test(first)) return 0;
  return wide.test(first) || segment.includes('\uFE0F') ? 2 : 1;
}
