import type { Links, MarkedToken, Token } from 'marked';
import type { Patience } from './bounded-lexer.ts';
import { withoutEntities } from './entities.ts';

/** A part of a text with marks. Line breaks are newlines in texts. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'emphasis' | 'strong' | 'strike'; readonly parts: readonly Inline[] }
  | LinkInline;

export interface LinkInline {
  readonly kind: 'link' | 'picture';
  /** As it is written: it may lead anywhere. */
  readonly target: string;
  readonly parts: readonly Inline[];
  /** The text itself is an address of the web or of mail. */
  readonly isAddress: boolean;
}

/** A longer text is shown as it is written. */
const longestText = 16 * 1024;
/** The same for one where so many characters stand behind its signs, each of which may make the lexer read them all. */
const mostWork = 8_000_000;

/** Without any of them a text has no marks. */
const signs = /[\\`*_~[<&@:]|www\./;

/** How marks are read: with which definitions, and how long. */
export interface Marks {
  /** Has no prototype: labels are words of strangers. */
  readonly links: Links;
  readonly patience: Patience;
  /** In a cell of a table `<br>` breaks the line: cells have no other way. */
  readonly isCell?: true;
}

/** The text of a paragraph, a heading or a cell. Its marks are read once, when it is drawn. */
export class InlineText {
  readonly source: string;
  readonly #marks: Marks | undefined;
  #parts: readonly Inline[] | undefined;

  /** Without `marks`: it has none. */
  constructor(source: string, marks?: Marks) {
    this.source = source;
    this.#marks = marks;
  }

  get parts(): readonly Inline[] {
    this.#parts ??= this.#read() ?? [{ kind: 'text', text: this.source }];
    return this.#parts;
  }

  #read(): readonly Inline[] | undefined {
    const { source } = this;
    if (this.#marks === undefined || source.length > longestText || !signs.test(source)) return undefined;
    if (source.length * (source.match(/[`*_~[\]<&@]/g)?.length ?? 0) > mostWork) return undefined;
    const { links, patience, isCell } = this.#marks;
    const tokens = patience.read(source, (lexer) => {
      lexer.tokens.links = links;
      return lexer.inlineTokens(source);
    });
    return tokens && partsOf(tokens, isCell === true ? cellText : withoutEntities);
  }
}

function cellText(raw: string): string {
  return withoutEntities(raw.replaceAll(/ ?<br *\/?> */gi, '\n'));
}

/** `textOf` reads what stands between marks. */
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
        const target = withoutEntities(token.href);
        const isAddress = token.raw === token.text || token.raw === `<${token.text}>`;
        if (isAddress && !/^(?:https?:\/\/|mailto:)/i.test(target)) return { kind: 'text', text: token.raw };
        const parts = partsOf(token.tokens, textOf);
        return { kind: token.type === 'image' ? 'picture' : 'link', target, parts, isAddress };
      }
      default:
        // Not `token.text`: the library puts any character in the place of its number.
        return { kind: 'text', text: textOf(token.raw) };
    }
  });
}
