import type { Alignment, TimedParser, TableToken } from './bounded-lexer.ts';
import { codeFenceLanguage } from './code-fence.ts';
import { InlineText } from './inline-text.ts';
import type { Links, MarkedToken, Token, Tokens } from 'marked';

export type MarkdownBlock = BlockPlace &
  (
    | { readonly kind: 'paragraph'; readonly words: InlineText }
    | { readonly kind: 'heading'; readonly level: number; readonly words: InlineText }
    /** `language` is the first word behind the fence; may be empty. */
    | { readonly kind: 'code'; readonly language: string; readonly lines: readonly string[] }
    | { readonly kind: 'rule' }
    | { readonly kind: 'quote'; readonly blocks: readonly MarkdownBlock[] }
    | ItemBlock
    | TableBlock
    | { readonly kind: 'definition'; readonly words: InlineText }
  );

interface BlockPlace {
  readonly isAfterBlank?: boolean;
  /** Continues the block before it: code or text given in parts, or a list, where each item is a block. */
  readonly isContinued?: boolean;
}

export interface ItemBlock extends BlockPlace {
  readonly kind: 'item';
  /** The bullet, or what follows the number; equal for all items of one list. */
  readonly sign: string;
  readonly number: number | undefined;
  readonly task: 'open' | 'done' | undefined;
  readonly blocks: readonly MarkdownBlock[];
}

export interface TableBlock extends BlockPlace {
  readonly kind: 'table';
  readonly header: readonly InlineText[];
  readonly alignments: readonly Alignment[];
  /** No row has more cells than the header. */
  readonly rows: readonly (readonly InlineText[])[];
}

/** Further definitions are read as text: each new one copies all before it, which would take long. */
const mostDefinitions = 200;

/** Link targets by label. `so far`: those above a text, which never changes. `all`: draw when everything was read. */
export class LinkDefinitions {
  readonly #known: 'all' | 'so far';
  readonly #count: number;
  readonly links: Links;

  /** `links` has no prototype: labels are untrusted. */
  constructor(known: 'all' | 'so far', links = Object.create(null) as Links, count = 0) {
    this.#known = known;
    this.#count = count;
    this.links = links;
  }

  /** The first definition of a label wins. */
  with(label: string, link: Links[string]): LinkDefinitions {
    if (label in this.links) return this;
    if (this.#known === 'all') {
      this.links[label] = link;
      return this;
    }
    if (this.#count >= mostDefinitions) return this;
    const links = Object.assign(Object.create(null) as Links, this.links, { [label]: link });
    return new LinkDefinitions(this.#known, links, this.#count + 1);
  }
}

/** The blocks of complete lines, and the definitions after them. Undefined if they could not be read in time. */
export function readBlocks(lines: string, definitions: LinkDefinitions, patience: TimedParser) {
  const tokens = patience.read(lines, (lexer) => lexer.blockTokens(lines));
  if (tokens === undefined) return undefined;
  const maker = new BlockMaker(definitions, patience);
  return { blocks: maker.blocks(tokens), definitions: maker.definitions };
}

class BlockMaker {
  readonly #patience: TimedParser;
  definitions: LinkDefinitions;

  constructor(definitions: LinkDefinitions, patience: TimedParser) {
    this.definitions = definitions;
    this.#patience = patience;
  }

  blocks(tokens: readonly Token[]): readonly MarkdownBlock[] {
    const blocks: MarkdownBlock[] = [];
    let isAfterBlank = false;
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at] as MarkedToken;
      if (token.type === 'space') {
        isAfterBlank = blocks.length > 0;
        continue;
      }
      // The library splits a paragraph at HTML, which is text here: join the pieces again.
      const texts = textsFrom(tokens, at);
      at += Math.max(0, texts.length - 1);
      const [first, ...more] = texts.length === 0 ? this.#blocksOf(token) : [this.#paragraph(texts.join('\n'))];
      if (first === undefined) continue;
      blocks.push({ ...first, isAfterBlank }, ...more);
      isAfterBlank = false;
    }
    return blocks;
  }

  #paragraph(text: string): MarkdownBlock {
    return { kind: 'paragraph', words: this.#words(text) };
  }

  #blocksOf(token: MarkedToken): readonly MarkdownBlock[] {
    switch (token.type) {
      case 'heading':
        return [{ kind: 'heading', level: token.depth, words: this.#words(token.text.replaceAll('\n', ' ')) }];
      case 'code': {
        const lines = (token.codeBlockStyle === 'indented' ? token.text.trimEnd() : token.text).split('\n');
        return [{ kind: 'code', language: codeFenceLanguage(token.lang ?? ''), lines }];
      }
      case 'hr':
        return [{ kind: 'rule' }];
      case 'blockquote':
        return [{ kind: 'quote', blocks: this.blocks(token.tokens) }];
      case 'list':
        return this.#items(token);
      case 'table': {
        const { titles, alignments, lines } = token as unknown as TableToken;
        const marks = { links: this.definitions.links, timedParser: this.#patience, isCell: true } as const;
        const cells = (row: readonly string[]) => row.map((cell) => new InlineText(cell, marks));
        return [{ kind: 'table', header: cells(titles), alignments, rows: lines.map(cells) }];
      }
      case 'def':
        this.definitions = this.definitions.with(token.tag, token);
        return [{ kind: 'definition', words: new InlineText(token.raw.trim()) }];
      case 'checkbox':
        return [];
      default:
        return [this.#paragraph(token.raw)];
    }
  }

  #items({ raw, start, items }: Tokens.List): readonly ItemBlock[] {
    const [, bullet = '', dot = ''] = /^ *(?:([-*+])|\d{1,9}([.)]))/.exec(raw) ?? [];
    return items.map((item, at): ItemBlock => {
      const above = items[at - 1]?.raw ?? '';
      return {
        kind: 'item',
        isContinued: at > 0,
        isAfterBlank: above.slice(above.trimEnd().length).split('\n').length > 2,
        sign: bullet || dot,
        number: start === '' ? undefined : start + at,
        task: item.task ? (item.checked === true ? 'done' : 'open') : undefined,
        blocks: this.blocks(item.task ? withoutBox(item.tokens) : item.tokens),
      };
    });
  }

  #words(text: string): InlineText {
    const lines = text
      .trim()
      .split('\n')
      .map((line) => line.trim());
    return new InlineText(lines.join('\n'), { links: this.definitions.links, timedParser: this.#patience });
  }
}

/** In a loose list the library repeats the task's box at the beginning of the text. */
function withoutBox([first, ...rest]: readonly Token[]): readonly Token[] {
  if (first?.type !== 'paragraph') return rest;
  return [{ ...first, text: first['text'].replace(/^\[[ xX]\] +/, '') }, ...rest];
}

function textsFrom(tokens: readonly Token[], from: number): readonly string[] {
  const texts: string[] = [];
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at] as MarkedToken;
    if (token.type !== 'paragraph' && token.type !== 'text') break;
    texts.push(token.text);
  }
  return texts;
}
