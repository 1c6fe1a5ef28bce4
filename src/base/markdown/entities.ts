import { replaceInvisible } from '../invisible.ts';

// The names of HTML 4, and those that people write where a sign would be a mark. The others stay as they are written.

/** From U+00A0 on, in order. */
const latin = `
  nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro
  para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil
  Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave
  Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml
  igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute
  thorn yuml`;
/** Small letters from U+03B1 on, and capitals from U+0391 on. `-`: U+03A2 is no letter. */
const greek = `
  alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho - sigma tau upsilon phi chi
  psi omega`;
const signs = `
  amp & lt < gt > quot " apos ' excl ! num # dollar $ percnt % lpar ( rpar ) ast * plus + comma , period . sol / colon
  : semi ; equals = quest ? commat @ lbrack [ lsqb [ bsol \\ rbrack ] rsqb ] lowbar _ grave \` lbrace { lcub { vert |
  verbar | rbrace } rcub } OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ sigmaf ς thetasym ϑ upsih ϒ
  piv ϖ ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰
  prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ larr ← uarr ↑
  rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin
  ∉ ni ∋ prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅
  asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ lceil ⌈ rceil ⌉
  lfloor ⌊ rfloor ⌋ lang ⟨ rang ⟩ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ check ✓ cross ✗ star ☆ starf ★`;

const codes: ReadonlyMap<string, number> = new Map([
  ...wordsOf(latin).map((name, at) => [name, 0xa0 + at] as const),
  ...wordsOf(greek).flatMap((name, at) => [
    [name, 0x3b1 + at] as const,
    [name[0]!.toUpperCase() + name.slice(1), 0x391 + at] as const,
  ]),
  ...Array.from(signs.matchAll(/(\w+)\s+(\S)/g), ([, name, sign]) => [name!, sign!.codePointAt(0)!] as const),
  ['ensp', 0x2002],
  ['emsp', 0x2003],
  ['thinsp', 0x2009],
]);

function wordsOf(names: string): readonly string[] {
  return names.trim().split(/\s+/);
}

/** The text with characters in the place of entities. One that no reader would see stays as it is written. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]\w{1,9}));/g, (all, decimal, hex, name) => {
    if (name !== undefined) return seenCharacter(codes.get(name)) ?? all;
    return seenCharacter(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)) ?? all;
  });
}

function seenCharacter(code = 0): string | undefined {
  if (code < 0x20 || code > 0x10_ffff) return undefined;
  const sign = String.fromCodePoint(code);
  if (sign === '\u00A0') return ' ';
  return sign.isWellFormed() && replaceInvisible(sign, () => '') === sign ? sign : undefined;
}
