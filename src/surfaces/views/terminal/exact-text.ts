import { endsInJoiningScript, invisibleRegexClass } from '../../../base/invisible-characters.ts';
import { fittingPrefix, signForCharacter } from './visible-text.ts';

const plain = /^[\n\t -~]*$/;
/** Text that looks like one of our signs must not pass for one. */
const looksLikeSign = /<(?=U\+[\dA-F]{4,6}>)/g;

/**
 * A text that the user is asked to allow, with a sign for every character that an eye could miss or confuse: those that
 * `visibleText` shows, joiners, selectors, blanks other than the space, letters with two encodings, and letters of
 * other scripts that look like ASCII (`words`: a command, a path or the like). Joiners and selectors stay only inside
 * an emoji that Unicode lists, and between letters of a script that needs them. Different texts are always shown
 * differently. Newline and tab stay.
 */
export function unambiguousText(text: string, kind: 'words' | 'prose' = 'prose'): string {
  if (plain.test(text)) return text.includes('<U+') ? text.replaceAll(looksLikeSign, signForCharacter) : text;
  const kept = keptPlaces(text);
  const alike = lookalikePlaces(text, kind);
  const isComposed = text.normalize('NFC') === text;
  let [shown, tail] = ['', ''];
  let at = 0;
  for (const sign of text) {
    const isShown = kept.has(at) || (isSeen(sign) && (isComposed || isOneSpelling(tail, sign)));
    const isMisread = sign === '<' && /^U\+[\dA-F]{4,6}>/.test(text.slice(at + 1, at + 10));
    shown += isShown && !isMisread && !alike.has(at) ? sign : signForCharacter(sign);
    tail = isShown ? (tail + sign).slice(-16) : '';
    at += sign.length;
  }
  return shown;
}

/** The exact text in one line, with a sign for trailing blanks. */
export const unambiguousLine = (text: string, kind: 'words' | 'prose' = 'prose'): string =>
  unambiguousText(text, kind)
    .replaceAll(/[\n\t]/g, signForCharacter)
    .replace(/ +$/, (blanks) => '\u2420'.repeat(blanks.length));

/** Joiners and selectors that affect what is seen. */
function keptPlaces(text: string): ReadonlySet<number> {
  const kept = new Set<number>();
  if (!/[\u200C\u200D]|\uFE0F/u.test(text)) return kept;
  // Built here: few texts need these, and compiling the properties is slow.
  for (const { 0: picture, index } of text.matchAll(/\p{RGI_Emoji}/gv))
    for (const { index: at } of picture.matchAll(/\u200D|\uFE0F/g)) kept.add(index + at);
  for (const { index } of text.matchAll(/[\u200C\u200D]/g)) {
    const [next = ''] = text.slice(index + 1, index + 3);
    if (endsInJoiningScript(text.slice(Math.max(0, index - 2), index)) && endsInJoiningScript(next)) kept.add(index);
  }
  return kept;
}

let unseen: RegExp | undefined;

/** True if it has a shape of its own, and is no sign of ours. U+2800 is a blank, too. */
function isSeen(sign: string): boolean {
  unseen ??= new RegExp(String.raw`[${invisibleRegexClass}\p{Cn}\p{Z}\u2400-\u2421\u2800]`, 'u');
  return /[\n\t -~]/.test(sign) || !unseen.test(sign);
}

/** True if no other characters look the same after the preceding text: an accent and its letter have two encodings. */
function isOneSpelling(before: string, sign: string): boolean {
  const all = before + sign;
  return all.normalize('NFC') === all;
}

/** Each ASCII letter precedes the letters of other scripts that look like it in common fonts. */
const table = `
  aаαɑ bЬƅ cсϲᴄ dԁ eеҽ gɡց hһհ iіι jјϳ kκ lӏ nո oоοօסᴏ pрρ qԛ sѕꜱ uυսʋ vνѵᴠ wԝѡᴡ xхχ yуγү zᴢ
  AАΑᎪ BВΒᏴ CСϹᏟ DᎠ EЕΕᎬ GԌᏀ HНΗᎻ IІΙӀ JЈᎫ KКΚᏦ LᏞ MМΜᎷ NΝ OОΟՕ PРΡᏢ QԚ RᏒ SЅՏᏚ TТΤᎢ UՍ VѴᏙ WԜᏔ XХΧ YҮΥ ZΖᏃ
  3ЗӠ !ǃ |ǀ`;

const lookalikes = table.trim().split(/\s+/);
const confusable: ReadonlySet<string> = new Set(lookalikes.flatMap((row) => [...row].slice(1)));
/** Variants of ASCII signs that no language writes words with: wide, mathematical, Roman numerals. */
const variant = /[\uFF0D-\uFF19\uFF20-\uFF3A\uFF3F\uFF41-\uFF5A\u2102-\u2139\u2160-\u217F\u{1D400}-\u{1D7FF}]/gu;

/** Lookalikes of dashes before an option, and of slashes, dots and hyphens inside a word. Those of prose stay. */
const sign =
  /(?<![^\s"'])[\u2010-\u2015\u2212\uFE58\uFE63]+(?=[A-Za-z-])|(?<=[\w.])[\u2044\u2215\u29F8\u2024\u2010\u2011\u2212\uFE63](?=\w)/gu;

const word = /[\p{L}\p{M}\p{N}_]+/gu;
const joint = /[-/\\.:@=~%+]/;

/**
 * Finds letters that look like ASCII in a text that the user is asked to allow: in a word that also has Latin letters,
 * and wide, mathematical and other variants anywhere; in `words` of a command also a word that has no other letters,
 * such as `сору`, unless a quoted sentence around it has another word that shows its script. Not so in `prose`: real
 * languages have too many such words.
 */
function lookalikePlaces(text: string, kind: 'words' | 'prose'): ReadonlySet<number> {
  const found = new Set<number>();
  const mark = (from: number, letters: string, isMarked: (letter: string) => boolean): void => {
    let at = from;
    for (const letter of letters) {
      if (isMarked(letter)) found.add(at);
      at += letter.length;
    }
  };
  for (const { 0: letter, index } of text.matchAll(variant))
    mark(index, letter, () => /^[!-~]$/.test(letter.normalize('NFKC')));
  if (kind === 'words') for (const { 0: signs, index } of text.matchAll(sign)) mark(index, signs, () => true);
  const sentences = foreignSentences(text);
  let sentence = 0;
  for (const { 0: letters, index } of text.matchAll(word)) {
    while ((sentences[sentence]?.[1] ?? Infinity) <= index) sentence += 1;
    const isQuoted = (sentences[sentence]?.[0] ?? Infinity) < index && isOfSentence(text, index, letters);
    const isLookalike = (letter: string): boolean => confusable.has(letter);
    if (![...letters].some(isLookalike)) continue;
    const isMixed = /[A-Za-z]/.test(letters);
    const isWhole = [...letters].every((letter) => isLookalike(letter) || /\d/.test(letter));
    if (isMixed || (kind === 'words' && isWhole && !isQuoted)) mark(index, letters, isLookalike);
  }
  return found;
}

/** Quoted sentences with a word plainly of another script, as pairs of places. */
const foreignSentences = (text: string): readonly (readonly [from: number, to: number])[] =>
  Array.from(text.matchAll(/"[^"]*"|'[^']*'/g))
    .filter(({ 0: quoted }) => [...quoted].some(isPlainlyOther))
    .map(({ 0: quoted, index }) => [index, index + quoted.length] as const);

/** A word that could be an option, a path or a host, or that begins a quoted script, is no part of a sentence. */
function isOfSentence(text: string, at: number, letters: string): boolean {
  const [before = '', after = ''] = [text[at - 1], text[at + letters.length]];
  return !joint.test(before) && !joint.test(after) && !(/["']/.test(before) && letters.length > 1);
}

const isPlainlyOther = (letter: string): boolean =>
  letter > '\u007F' && /\p{L}/u.test(letter) && !/\p{Script=Latin}/u.test(letter) && !confusable.has(letter);

/**
 * A line that the user is asked to allow, in rows broken between words if possible. Blanks at a break begin the next
 * row, where they are seen: different lines have different rows.
 */
export function unambiguousRows(line: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  const rows: string[] = [];
  let rest = line;
  for (;;) {
    const { length } = fittingPrefix(rest, room);
    if (length === rest.length) return [...rows, rest];
    const blanks = rest.slice(0, length + 1).search(/ +[^ ]*$/);
    const at = blanks > length / 2 ? blanks : length;
    rows.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
}
