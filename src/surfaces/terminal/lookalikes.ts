/**
 * Letters of other scripts that are drawn like a letter of ASCII in common fonts. The ASCII letter stands before those
 * that look like it.
 */
const table = `
  aаαɑ bЬƅ cсϲᴄ dԁ eеҽ gɡց hһհ iіι jјϳ kκ lӏ nո oоοօסᴏ pрρ qԛ sѕꜱ uυսʋ vνѵᴠ wԝѡᴡ xхχ yуγү zᴢ
  AАΑᎪ BВΒᏴ CСϹᏟ DᎠ EЕΕᎬ GԌᏀ HНΗᎻ IІΙӀ JЈᎫ KКΚᏦ LᏞ MМΜᎷ NΝ OОΟՕ PРΡᏢ QԚ RᏒ SЅՏᏚ TТΤᎢ UՍ VѴᏙ WԜᏔ XХΧ YҮΥ ZΖᏃ
  3ЗӠ !ǃ |ǀ`;

const confusable: ReadonlySet<string> = new Set(
  table
    .trim()
    .split(/\s+/)
    .flatMap((row) => [...row].slice(1)),
);

/** Forms of ASCII letters, digits and signs that no language writes words with: wide, mathematical, Roman numerals. */
const variant = /[\uFF0D-\uFF19\uFF20-\uFF3A\uFF3F\uFF41-\uFF5A\u2102-\u2139\u2160-\u217F\u{1D400}-\u{1D7FF}]/gu;

/** Dashes that begin an option, and slashes, dots and hyphens inside a word, that are none. Those of prose stay. */
const sign =
  /(?<![^\s"'])[\u2010-\u2015\u2212\uFE58\uFE63]+(?=[A-Za-z-])|(?<=[\w.])[\u2044\u2215\u29F8\u2024\u2010\u2011\u2212\uFE63](?=\w)/gu;

const word = /[\p{L}\p{M}\p{N}_]+/gu;
/** Separators of the parts of an option, a path, a host or an assignment. */
const joint = /[-/\\.:@=~%+]/;

/**
 * Finds letters that look like ASCII in a text that the user is asked to allow:
 *
 * - in a word that also has Latin letters, and wide, mathematical and other variants anywhere;
 * - in `words` of a command also in a word that has no other letters, such as `сору`, unless it stands in a quoted
 *   sentence in which another word shows its script. `prose` has too many such words of real languages.
 */
export function lookalikePlaces(text: string, kind: 'words' | 'prose'): ReadonlySet<number> {
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

/** Quoted sentences in which some word is plainly of another script, as pairs of places. */
function foreignSentences(text: string): readonly (readonly [from: number, to: number])[] {
  return Array.from(text.matchAll(/"[^"]*"|'[^']*'/g))
    .filter(({ 0: quoted }) => [...quoted].some(isPlainlyOther))
    .map(({ 0: quoted, index }) => [index, index + quoted.length] as const);
}

/** A word that could be an option, a path or a host, or that begins a script in quotes, is no part of a sentence. */
function isOfSentence(text: string, at: number, letters: string): boolean {
  const [before = '', after = ''] = [text[at - 1], text[at + letters.length]];
  return !joint.test(before) && !joint.test(after) && !(/["']/.test(before) && letters.length > 1);
}

function isPlainlyOther(letter: string): boolean {
  return letter > '\u007F' && /\p{L}/u.test(letter) && !/\p{Script=Latin}/u.test(letter) && !confusable.has(letter);
}
