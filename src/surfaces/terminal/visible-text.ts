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

/** Whether what stands before makes it a part of a letter or a picture. */
function isNeeded(sign: string, all: string, at: number): boolean {
  const before = all.slice(Math.max(0, at - 2), at);
  // Made here and not at the start of the program: few texts have such signs, and properties take long to read.
  if (/[\u200C\u200D]/u.test(sign)) return isJoined(before);
  // A selector follows neither a space nor another selector.
  return /\p{Variation_Selector}/u.test(sign) && !/(?:^|[\s\p{Variation_Selector}])$/u.test(before);
}

/** Letters that take their shape from a joiner, and pictures that are put together with one. */
function isJoined(before: string): boolean {
  return /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]$|(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}]$/u.test(
    before,
  );
}

function signOf(sign: string): string {
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
