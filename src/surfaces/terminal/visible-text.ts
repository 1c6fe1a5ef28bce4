/**
 * What a terminal or an eye must not take as it is: control characters but newline and tab, lone surrogates, what turns
 * the direction of writing, and what takes no space. Ranges instead of properties: those take a millisecond to compile.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uD800-\uDFFF\uFEFF\uFFA0\uFFF0-\uFFFB\u{13430}-\u{1343F}\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]|\u034F|[\uFE00-\uFE0F]/gu;

/** Most text is this, and needs no second look. */
const plain = /^[\n\t -~·…→]*$/;

/**
 * The text with hidden characters as signs: `␛` for ESC and so on for the first 32 and DEL, `<U+202E>` for the others.
 * A line that ends with CR LF ends with LF. Joiners and variation selectors stay where a script or an emoji needs them.
 */
export function visibleText(text: string): string {
  if (plain.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(hidden, (sign, at: number, all: string) => (isNeeded(sign, all, at) ? sign : signOf(sign)));
}

/** The same in one line, so that a name cannot pass for a line of its own. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll(/[\n\t]/g, signOf);
}

/** JSON with the same characters escaped, which only stand in its strings: every reader gets the same value. */
export function visibleJson(json: string): string {
  if (plain.test(json)) return json;
  return json.replaceAll(hidden, (sign, at: number, all: string) => (isNeeded(sign, all, at) ? sign : escapeOf(sign)));
}

/** Whether what stands before makes it a part of a letter or a picture. Only that: a text may come in pieces. */
function isNeeded(sign: string, all: string, at: number): boolean {
  const before = all.slice(Math.max(0, at - 4), at);
  // Made here and not at the start of the program: few texts have such signs, and properties take long to read.
  if (/[\u200C\u200D]/u.test(sign))
    return /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?$/u.test(before) || isJoining(before);
  if (/[\uFE0E\uFE0F]/u.test(sign)) return /[\p{Extended_Pictographic}#*0-9]$/u.test(before);
  if (/[\u180B-\u180D\u180F]/u.test(sign)) return /\p{Script=Mongolian}$/u.test(before);
  return /[\uFE00-\uFE02]|[\u{E0100}-\u{E01EF}]/u.test(sign) && /\p{Script=Han}$/u.test(before);
}

/** Whether a text ends with a letter, or a mark of one, of a script where joiners choose among shapes. */
export function isJoining(before: string): boolean {
  return /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tibetan}\p{Script=Myanmar}\p{Script=Khmer}]$(?<=[\p{L}\p{M}])/u.test(
    before,
  );
}

/** The sign that stands for a character. */
export function signOf(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

function escapeOf(sign: string): string {
  return sign
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
