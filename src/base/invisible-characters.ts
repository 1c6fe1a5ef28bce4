/**
 * For a class in a pattern with the flag `u`: characters without a shape, or that change where others are seen. A few
 * of them do have one: `replaceInvisible` leaves those out. The last three are letters, signs or marks in Unicode's
 * tables, and drawn as nothing.
 */
export const invisibleClass = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFFC\u{16FE4}\u{1D159}`;

/** The same for what a reader takes for space: one of them is a letter of Braille without dots. */
export const spaceClass = String.raw`\s\u2800`;

/** Ends a line or steers a terminal, in the eyes of one program or another. */
export const controlClass = String.raw`\u0000-\u001F\u007F-\u009F\u2028\u2029`;

/** Text without these needs no second look: the ranges leave out every character that `invisibleClass` has. */
const notPlain =
  /[^\n\t -~\u00A0-\u00AC\u00AE-\u034E\u0350-\u05FF\u0900-\u115E\u1161-\u17B3\u1810-\u200A\u2010-\u2027\u202F-\u205F\u2070-\u3163\u3165-\uD7FF\uF900-\uFDFF\uFF01-\uFF9F\uDC00-\uDFFF\uD83C-\uD83E]/;

// Made when the first text needs them: properties take long to read.
let invisible: RegExp | undefined;
let seenSign: RegExp | undefined;

/**
 * Invisible characters but newline and tab. Arabic, Syriac and Kaithi signs that enclose others are seen, whatever
 * Unicode calls them.
 */
function invisiblePattern(): RegExp {
  invisible ??= new RegExp(
    String.raw`(?![\n\t\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}])[${invisibleClass}]`,
    'gu',
  );
  return invisible;
}

/** A reader sees nothing of such a text: white space, zero-width signs, fillers. */
export function isBlankText(text: string): boolean {
  // Most text has one of these, and reading the properties takes milliseconds of a start.
  if (/[!-~]/.test(text)) return false;
  seenSign ??= new RegExp(`[^${invisibleClass}${spaceClass}]`, 'u');
  return !seenSign.test(text);
}

/**
 * The text with something in the place of each character that no one sees. Newline and tab stay, and so do joiners and
 * selectors where a script or an emoji needs them.
 */
export function replaceInvisible(text: string, replace: (sign: string) => string): string {
  if (!notPlain.test(text) && text.isWellFormed()) return text;
  return text.replaceAll(invisiblePattern(), (sign, at: number, all: string) =>
    isNeeded(sign, all, at) ? sign : replace(sign),
  );
}

/** For a text of strangers that the model reads: nothing is left in it that a user who looks at it does not see. */
export function withoutInvisible(text: string): string {
  // Those of Chinese characters are needed by fonts alone, and those of digits by key caps: others could spell words.
  return replaceInvisible(text.toWellFormed(), () => '').replaceAll(
    /[\uFE00-\uFE02\uFE0E]|[\u{E0100}-\u{E01EF}]|(?<=[#*0-9])\uFE0F(?!\u20E3)|(?<=\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D(?!\p{Extended_Pictographic})/gu,
    '',
  );
}

/** Whether what stands before makes it a part of a letter or a picture. Only that: a text may come in pieces. */
function isNeeded(sign: string, all: string, at: number): boolean {
  const before = all.slice(Math.max(0, at - 4), at);
  if (/[\u200C\u200D]/u.test(sign))
    return /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?$/u.test(before) || endsInJoiningScript(before);
  if (/[\uFE0E\uFE0F]/u.test(sign)) return /[\p{Extended_Pictographic}#*0-9]$/u.test(before);
  if (/[\u180B-\u180D\u180F]/u.test(sign)) return /(?=\p{L})\p{Script=Mongolian}$/u.test(before);
  return /[\uFE00-\uFE02]|[\u{E0100}-\u{E01EF}]/u.test(sign) && /\p{Script=Han}$/u.test(before);
}

/** Whether a text ends with a letter, or a mark of one, of a script where joiners choose among shapes. */
export function endsInJoiningScript(before: string): boolean {
  return /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tibetan}\p{Script=Myanmar}\p{Script=Khmer}]$(?<=[\p{L}\p{M}])(?<!\p{Default_Ignorable_Code_Point})/u.test(
    before,
  );
}
