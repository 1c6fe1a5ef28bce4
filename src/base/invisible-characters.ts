/**
 * For a character class with the flag `u`: characters that show nothing, or that change how others appear. A few of
 * them do show something: `replaceInvisible` leaves these alone. Terminals and editors draw nothing for the last three.
 */
export const invisibleRegexClass = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFFC\u{16FE4}\u{1D159}`;
/** Characters that look like space, including the Braille letter without dots. */
export const spaceRegexClass = String.raw`\s\u2800`;
/** Characters that some program treats as a line end or a terminal control. */
export const controlRegexClass = String.raw`\u0000-\u001F\u007F-\u009F\u2028\u2029`;

/** Text that does not match needs no further check: the class covers every character in `invisibleRegexClass`. */
const notPlain =
  /[^\n\t -~\u00A0-\u00AC\u00AE-\u034E\u0350-\u05FF\u0900-\u115E\u1161-\u17B3\u1810-\u200A\u2010-\u2027\u202F-\u205F\u2070-\u3163\u3165-\uD7FF\uF900-\uFDFF\uFF01-\uFF9F\uDC00-\uDFFF\uD83C-\uD83E]/;

/** Newline and tab, and signs that enclose others: they are visible, although Unicode lists them as format. */
const visibleControls = String.raw`[\n\t\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]`;
// Compiled on first use: property classes are slow to compile.
let invisible: RegExp | undefined;
let seenSign: RegExp | undefined;

export function isBlankText(text: string): boolean {
  // Most text has one of these, and compiling the properties takes milliseconds at start.
  if (/[!-~]/.test(text)) return false;
  seenSign ??= new RegExp(`[^${invisibleRegexClass}${spaceRegexClass}]`, 'u');
  return !seenSign.test(text);
}

/** Replaces invisible characters. Newline and tab stay, and joiners and selectors that a script or emoji needs. */
export function replaceInvisible(text: string, replace: (sign: string) => string): string {
  if (!notPlain.test(text) && text.isWellFormed()) return text;
  invisible ??= new RegExp(`(?!${visibleControls})[${invisibleRegexClass}]`, 'gu');
  return text.replaceAll(invisible, (sign, at: number, all) => (isNeeded(sign, all, at) ? sign : replace(sign)));
}

/** For untrusted text that the model reads: removes everything that a user looking at the text would not see. */
export function withoutInvisible(text: string): string {
  // Selectors after Chinese characters only affect the font, those after digits only key caps. Others could hide text.
  return replaceInvisible(text.toWellFormed(), () => '').replaceAll(
    /[\uFE00-\uFE02\uFE0E]|[\u{E0100}-\u{E01EF}]|(?<=[#*0-9])\uFE0F(?!\u20E3)|(?<=\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D(?!\p{Extended_Pictographic})/gu,
    '',
  );
}

/** True if the text before makes the sign part of a letter or picture. Text after it is ignored: it may come later. */
function isNeeded(sign: string, all: string, at: number): boolean {
  const before = all.slice(Math.max(0, at - 4), at);
  if (/[\u200C\u200D]/u.test(sign))
    return /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?$/u.test(before) || endsInJoiningScript(before);
  if (/[\uFE0E\uFE0F]/u.test(sign)) return /[\p{Extended_Pictographic}#*0-9]$/u.test(before);
  if (/[\u180B-\u180D\u180F]/u.test(sign)) return /(?=\p{L})\p{Script=Mongolian}$/u.test(before);
  return /[\uFE00-\uFE02]|[\u{E0100}-\u{E01EF}]/u.test(sign) && /\p{Script=Han}$/u.test(before);
}

/** True if the text ends with a letter, or a mark of one, of a script where joiners choose among shapes. */
export function endsInJoiningScript(before: string): boolean {
  return /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tibetan}\p{Script=Myanmar}\p{Script=Khmer}]$(?<=[\p{L}\p{M}])(?<!\p{Default_Ignorable_Code_Point})/u.test(
    before,
  );
}
