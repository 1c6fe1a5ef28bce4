import { replaceInvisible } from '../invisible-characters.ts';
import type { TimedParser } from './bounded-lexer.ts';
import type { Links, MarkedToken, Token } from 'marked';

/** Line breaks are newlines in texts. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'emphasis' | 'strong' | 'strike'; readonly parts: readonly Inline[] }
  | LinkInline;

export interface LinkInline {
  readonly kind: 'link' | 'picture';
  /** Unchecked: it may lead anywhere. */
  readonly target: string;
  readonly parts: readonly Inline[];
  readonly isAddress: boolean;
}

/** A longer text is shown as written. */
const longestText = 16 * 1024;
/** A text with more work is, too: each of its signs may make the lexer read all characters after it. */
const mostWork = 8_000_000;
/** Without any of them a text has no marks. */
const markSigns = /[\\`*_~[<&@:]|www\./;

export interface InlineParseContext {
  /** Has no prototype: labels are untrusted. */
  readonly links: Links;
  readonly timedParser: TimedParser;
  /** In a table cell `<br>` breaks the line; cells have no other way. */
  readonly isCell?: true;
}

/** The text of a paragraph, a heading or a cell. Its marks are read once, when it is first drawn. */
export class InlineText {
  readonly source: string;
  readonly #marks: InlineParseContext | undefined;
  #parts: readonly Inline[] | undefined;

  /** Without `marks` the text is plain. */
  constructor(source: string, marks?: InlineParseContext) {
    this.source = source;
    this.#marks = marks;
  }

  get parts(): readonly Inline[] {
    this.#parts ??= this.#read() ?? [{ kind: 'text', text: this.source }];
    return this.#parts;
  }

  #read(): readonly Inline[] | undefined {
    const { source } = this;
    if (this.#marks === undefined || source.length > longestText || !markSigns.test(source)) return undefined;
    if (source.length * (source.match(/[`*_~[\]<&@]/g)?.length ?? 0) > mostWork) return undefined;
    const { links, timedParser: patience, isCell } = this.#marks;
    const tokens = patience.read(source, (lexer) => {
      lexer.tokens.links = links;
      return lexer.inlineTokens(source);
    });
    return tokens && partsOf(tokens, isCell === true ? cellText : decodeEntities);
  }
}

const cellText = (raw: string): string => decodeEntities(raw.replaceAll(/ ?<br *\/?> */gi, '\n'));

function partsOf(tokens: readonly Token[], textOf: (raw: string) => string): readonly Inline[] {
  return (tokens as readonly MarkedToken[]).map((token): Inline => {
    switch (token.type) {
      case 'em':
        return { kind: 'emphasis', parts: partsOf(token.tokens, textOf) };
      case 'strong':
        return { kind: 'strong', parts: partsOf(token.tokens, textOf) };
      case 'del':
        return { kind: 'strike', parts: partsOf(token.tokens, textOf) };
      case 'codespan':
        return { kind: 'code', text: token.text };
      case 'br':
        return { kind: 'text', text: '\n' };
      case 'escape':
        return { kind: 'text', text: token.text };
      case 'link':
      case 'image': {
        const target = decodeEntities(token.href);
        const isAddress = token.raw === token.text || token.raw === `<${token.text}>`;
        if (isAddress && !/^(?:https?:\/\/|mailto:)/i.test(target)) return { kind: 'text', text: token.raw };
        const parts = partsOf(token.tokens, textOf);
        return { kind: token.type === 'image' ? 'picture' : 'link', target, parts, isAddress };
      }
      default:
        // Not `token.text`: the library decodes every numeric entity, even to invisible characters.
        return { kind: 'text', text: textOf(token.raw) };
    }
  });
}

// The entity names of HTML 4, and those that people write where a sign would be a mark. Others stay as written.

/** From U+00A0 on, in order. */
const latinEntities = `
  nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro
  para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil
  Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave
  Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml
  igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute
  thorn yuml`;
/** Small letters from U+03B1 on, capitals from U+0391 on. `-`: U+03A2 is unassigned. */
const greekEntities = `
  alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho - sigma tau upsilon phi chi
  psi omega`;
const signEntities = `
  amp & lt < gt > quot " apos ' excl ! num # dollar $ percnt % lpar ( rpar ) ast * plus + comma , period . sol / colon
  : semi ; equals = quest ? commat @ lbrack [ lsqb [ bsol \\ rbrack ] rsqb ] lowbar _ grave \` lbrace { lcub { vert |
  verbar | rbrace } rcub } OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ sigmaf ς thetasym ϑ upsih ϒ
  piv ϖ ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰
  prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ larr ← uarr ↑
  rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin
  ∉ ni ∋ prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅
  asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ lceil ⌈ rceil ⌉
  lfloor ⌊ rfloor ⌋ lang ⟨ rang ⟩ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ check ✓ cross ✗ star ☆ starf ★`;

const wordsOf = (names: string): readonly string[] => names.trim().split(/\s+/);
const codes: ReadonlyMap<string, number> = new Map([
  ...wordsOf(latinEntities).map((name, at) => [name, 0xa0 + at] as const),
  ...wordsOf(greekEntities).flatMap((name, at) => [
    [name, 0x3b1 + at] as const,
    [name[0]!.toUpperCase() + name.slice(1), 0x391 + at] as const,
  ]),
  ...Array.from(signEntities.matchAll(/(\w+)\s+(\S)/g), ([, name, sign]) => [name!, sign!.codePointAt(0)!] as const),
  ['ensp', 0x2002],
  ['emsp', 0x2003],
  ['thinsp', 0x2009],
]);

/** Decodes entities, except those of invisible characters. */
export function decodeEntities(text: string): string {
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
