import { type MarkdownBlock, type LinkDefinitions, type ItemBlock, readBlocks } from './blocks.ts';
import { TimedParser, type ParsingTime } from './bounded-lexer.ts';
import { closesCodeFence, type Fence, readFence } from './code-fence.ts';
import { InlineText } from './inline-text.ts';

const longestBlock = 64 * 1024;

/** Lines of one block that later lines may still change. */
interface OpenBlock {
  readonly kind: 'text' | 'quote' | 'item' | 'indented';
  readonly offset: number;
  readonly patience: TimedParser;
  lines: string[];
  size: number;
  isPlain: boolean;
  isAfterBlank: boolean;
  endsBlank: boolean;
}

/** Fenced code: its lines are emitted at once. */
type OpenFence = Fence & { readonly isAfterBlank: boolean; isContinued: boolean };
const heading = /^ {0,3}#{1,6}(?: |$)/;
const quoteStart = /^ {0,3}>/;
const rule = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const underline = /^ {0,3}-+ *$/;
const itemStart = /^ {0,3}([-*+]|\d{1,9}[.)])([ \t]+|$)/;

/**
 * Reads Markdown line by line and emits each block as soon as no later line can change it, no matter when lines arrive.
 * Lines must have no tab in their indent. A block that is too long or too slow to read is emitted as written.
 */
export class MarkdownReader {
  readonly #give: (block: MarkdownBlock) => void;
  readonly #time: ParsingTime;
  #definitions: LinkDefinitions;
  #open: OpenBlock | undefined;
  #fence: OpenFence | undefined;
  #isAfterBlank = false;
  #item: ItemBlock | undefined;
  /** For the block that begins next. A copy of the reader shares it, and so learns with us that a block is slow. */
  #patience: TimedParser;

  constructor(give: (block: MarkdownBlock) => void, definitions: LinkDefinitions, time: ParsingTime = { share: 1 }) {
    this.#give = give;
    this.#definitions = definitions;
    this.#time = time;
    this.#patience = new TimedParser(time);
  }

  /** A reader in the same state that emits to another receiver. */
  copy(give: (block: MarkdownBlock) => void): MarkdownReader {
    const copy = new MarkdownReader(give, this.#definitions, this.#time);
    copy.#open = this.#open && { ...this.#open, lines: [...this.#open.lines] };
    copy.#fence = this.#fence && { ...this.#fence };
    copy.#isAfterBlank = this.#isAfterBlank;
    copy.#item = this.#item;
    copy.#patience = this.#patience;
    return copy;
  }

  line(line: string): void {
    if (this.#fence !== undefined) return this.#codeLine(this.#fence, line);
    if (line.trim() === '') return this.#blankLine();
    if (this.#open !== undefined && !continues(this.#open, line)) this.#close();
    if (this.#open !== undefined) return this.#add(this.#open, line);
    const fence = readFence(line);
    if (fence === undefined) return this.#begin(line);
    this.#fence = { ...fence, isAfterBlank: this.#takeBlank(), isContinued: false };
    this.#item = undefined;
  }

  end(): void {
    this.#close();
    if (this.#fence !== undefined) this.#endCode(this.#fence);
  }

  #blankLine(): void {
    const open = this.#open;
    if (open?.kind === 'indented' || (open?.kind === 'item' && !isMarkerAlone(open))) {
      open.endsBlank = true;
      if (!open.isPlain) open.lines.push('');
      return;
    }
    this.#close();
    this.#isAfterBlank = true;
  }

  #begin(line: string): void {
    const isRule = rule.test(line);
    const [marker, , gap = ''] = (isRule ? null : itemStart.exec(line)) ?? [];
    const kind =
      marker !== undefined ? 'item' : indentOf(line) >= 4 ? 'indented' : quoteStart.test(line) ? 'quote' : 'text';
    const [patience, isAfterBlank] = [this.#patience, this.#takeBlank()];
    this.#patience = new TimedParser(this.#time);
    const offset = marker === undefined ? 4 : offsetOf(marker, gap, line);
    this.#open = { kind, offset, patience, lines: [], size: 0, isPlain: false, isAfterBlank, endsBlank: false };
    this.#add(this.#open, line);
    if (isRule || heading.test(line)) this.#close();
  }

  #add(open: OpenBlock, line: string): void {
    open.lines.push(line);
    open.size += line.length + 1;
    if (open.isPlain || open.size > longestBlock || open.patience.isOver) this.#giveLines(open);
    open.endsBlank = false;
  }

  #giveLines(open: OpenBlock): void {
    const words = new InlineText(open.lines.join('\n').trimEnd());
    const isAfterBlank = open.isPlain ? open.endsBlank : open.isAfterBlank;
    this.#give({ kind: 'paragraph', words, isAfterBlank, isContinued: open.isPlain });
    open.lines = [];
    open.isPlain = true;
    this.#item = undefined;
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    this.#isAfterBlank = open.endsBlank;
    if (open.isPlain) return;
    const read = readBlocks(open.lines.join('\n').trimEnd(), this.#definitions, open.patience);
    if (read === undefined) return this.#giveLines(open);
    this.#definitions = read.definitions;
    for (const [at, block] of read.blocks.entries()) {
      const given = at === 0 ? { ...this.#counted(block), isAfterBlank: open.isAfterBlank } : block;
      this.#item = given.kind === 'item' ? given : undefined;
      this.#give(given);
    }
  }

  /** An item of the same list as the one before gets the next number, whatever is written. */
  #counted(block: MarkdownBlock): MarkdownBlock {
    const before = this.#item;
    if (block.kind !== 'item' || before?.sign !== block.sign) return block;
    return { ...block, isContinued: true, number: before.number === undefined ? undefined : before.number + 1 };
  }

  #takeBlank(): boolean {
    const isAfterBlank = this.#isAfterBlank;
    this.#isAfterBlank = false;
    return isAfterBlank;
  }

  #codeLine(fence: OpenFence, line: string): void {
    if (closesCodeFence(fence, line)) return this.#endCode(fence);
    this.#giveCode(fence, [line.slice(Math.min(indentOf(line), fence.indent))]);
  }

  #endCode(fence: OpenFence): void {
    if (!fence.isContinued) this.#giveCode(fence, []);
    this.#fence = undefined;
  }

  #giveCode(fence: OpenFence, lines: readonly string[]): void {
    const { language, isContinued } = fence;
    this.#give({ kind: 'code', language, lines, isContinued, isAfterBlank: fence.isAfterBlank && !isContinued });
    fence.isContinued = true;
  }
}

/** True while an item consists only of its marker: a blank line then ends it. */
const isMarkerAlone = ({ lines, offset }: OpenBlock): boolean =>
  lines.length === 1 && lines[0]!.trimEnd().length < offset;

function continues({ kind, offset, lines, endsBlank }: OpenBlock, line: string): boolean {
  if (kind === 'quote' ? quoteStart.test(line) : kind !== 'text' && indentOf(line) >= offset) return true;
  if (kind === 'indented' || endsBlank || (kind !== 'text' && !endsInText(lines))) return false;
  if (readFence(line) !== undefined || heading.test(line) || quoteStart.test(line)) return false;
  if (rule.test(line)) return kind === 'text' && underline.test(line);
  const [marker, sign = ''] = itemStart.exec(line) ?? [];
  // An empty item does not end a paragraph, and neither does a number other than 1, which may belong to its sentence.
  return marker === undefined || (kind === 'text' && (marker.length === line.length || !/^(?:[-*+]|1\D)/.test(sign)));
}

/** True if the last line of a quote or an item is text, which a line outside may continue. */
function endsInText(lines: readonly string[]): boolean {
  const last = lines.at(-1)?.replace(/^(?: *(?:>|(?:[-*+]|\d{1,9}[.)])(?= |$)))* */, '');
  return (
    last !== '' && (last === undefined || !(readFence(last) !== undefined || heading.test(last) || rule.test(last)))
  );
}

function offsetOf(marker: string, gap: string, line: string): number {
  if (marker.length === line.length) return marker.trimEnd().length + 1;
  // With more blanks than that, the rest belongs to indented code.
  return marker.length - (gap.length > 4 ? gap.length - 1 : 0);
}

function indentOf(line: string): number {
  let indent = 0;
  while (line[indent] === ' ') indent += 1;
  return indent;
}
