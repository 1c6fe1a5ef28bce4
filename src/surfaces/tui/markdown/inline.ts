import type { Look } from '../text/look.ts';
import type { Piece, Row, Style } from '../text/style.ts';
import { CodeSpans } from './code-spans.ts';
import { applyEmphasis, type Delimiter, flanks, type InlinePart } from './emphasis.ts';
import { shownTarget } from './shown-target.ts';

const codeStyle: Style = { colour: 'accent' };
const linkStyle: Style = { colour: 'accent', underline: true };
const addressStyle: Style = { weight: 'dim' };

/** A longer text is shown as it is written. */
const longestText = 100_000;
const longestTarget = 2048;

/** Text with its marks, as lines of pieces: each line of the source is one. */
export function inlineLines(text: string, look: Pick<Look, 'cwd' | 'home'>): readonly Row[] {
  if (text.length > longestText) return text.split('\n').map((line) => [{ text: line }]);
  return linesOf(new InlineReader(text, look).read());
}

/** The same for a text of one line. */
export function inlineRow(text: string, look: Pick<Look, 'cwd' | 'home'>): Row {
  return inlineLines(text.replaceAll('\n', ' '), look)[0] ?? [];
}

class InlineReader {
  readonly #text: string;
  readonly #look: Pick<Look, 'cwd' | 'home'>;
  readonly #parts: InlinePart[] = [];
  readonly #delimiters: Delimiter[] = [];
  /** Brackets that are open, by the index of their part. */
  readonly #brackets: number[] = [];
  readonly #codes: CodeSpans;
  #at = 0;

  constructor(text: string, look: Pick<Look, 'cwd' | 'home'>) {
    this.#text = text;
    this.#look = look;
    this.#codes = new CodeSpans(text);
  }

  read(): readonly InlinePart[] {
    const special = /[\\`*_~[\]<&]|!\[|https?:\/\/[^\s<>`"'[\]]/g;
    for (;;) {
      special.lastIndex = this.#at;
      const found = special.exec(this.#text);
      this.#push(this.#text.slice(this.#at, found?.index));
      if (found === null) break;
      this.#at = found.index;
      this.#special(found[0]);
    }
    applyEmphasis(this.#parts, this.#delimiters);
    return this.#parts;
  }

  #push(text: string, style: Style = {}): void {
    if (text !== '') this.#parts.push({ text, style });
  }

  /** Text for what stands there, and as much further. */
  #take(length: number, text: string, style?: Style): void {
    this.#push(text, style);
    this.#at += length;
  }

  #special(found: string): void {
    switch (found[0]) {
      case '\\':
        return this.#escape();
      case '`':
        return this.#code();
      case '*':
      case '_':
      case '~':
        return this.#delimiter(found);
      case '[':
      case '!':
        this.#brackets.push(this.#parts.length);
        return this.#take(found.length, found);
      case ']':
        return this.#endOfLabel();
      case '<':
        return this.#autolink();
      case '&':
        return this.#entity();
      default:
        return this.#address();
    }
  }

  #escape(): void {
    const next = this.#text[this.#at + 1] ?? '';
    if (next === '\n') return this.#take(1, '');
    if (/[!-/:-@[-`{-~]/.test(next)) return this.#take(2, next);
    return this.#take(1, '\\');
  }

  #code(): void {
    const length = this.#runLength('`');
    const span = this.#codes.at(this.#at, length);
    if (span === undefined) return this.#take(length, '`'.repeat(length));
    this.#push(span.text, codeStyle);
    this.#at = span.end;
  }

  #runLength(sign: string): number {
    let end = this.#at;
    while (this.#text[end] === sign) end += 1;
    return end - this.#at;
  }

  #delimiter(sign: string): void {
    const count = this.#runLength(sign);
    const [before, after] = [this.#text[this.#at - 1] ?? '', this.#text[this.#at + count] ?? ''];
    const part: InlinePart = { text: sign.repeat(count), style: {} };
    this.#delimiters.push({ part, index: this.#parts.length, sign, count, ...flanks(before, after, sign) });
    this.#parts.push(part);
    this.#at += count;
  }

  #endOfLabel(): void {
    const bracket = this.#brackets.pop();
    const target = bracket === undefined ? undefined : targetAt(this.#text, this.#at + 1);
    if (bracket === undefined || target === undefined) return this.#take(1, ']');
    const label = this.#parts.slice(bracket + 1);
    const words = label.map(({ text }) => text).join('');
    const shown = shownTarget(target.text, this.#look);
    // The name of a file says no more than its path.
    if (shown.kind === 'file' && !/\s/.test(words.trim())) {
      this.#cutBack(bracket);
      this.#push(shown.text, linkStyle);
    } else {
      this.#parts[bracket]!.text = '';
      for (const part of label) part.style = { ...linkStyle, ...part.style };
      if (shown.kind !== 'none' && words !== shown.text)
        this.#push(words === '' ? shown.text : ` (${shown.text})`, addressStyle);
    }
    this.#at = target.end;
  }

  /** Forgets the parts of a label, and what began in it. */
  #cutBack(length: number): void {
    this.#parts.length = length;
    while ((this.#delimiters.at(-1)?.index ?? -1) >= length) this.#delimiters.pop();
  }

  #autolink(): void {
    const pattern = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return this.#take(1, '<');
    this.#take(found[0].length, found[1]!, linkStyle);
  }

  #entity(): void {
    const pattern = /&(amp|lt|gt|quot|#39|nbsp);/y;
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return this.#take(1, '&');
    this.#take(found[0].length, entities[found[1]!] ?? '');
  }

  /** An address in the text, without the signs that end its sentence. */
  #address(): void {
    const pattern = /https?:\/\/[^\s<>`"'[\]]+/y;
    pattern.lastIndex = this.#at;
    const [all = ''] = pattern.exec(this.#text) ?? [];
    const bare = all.slice(0, endOfAddress(all));
    this.#take(bare.length, bare, linkStyle);
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

function endOfAddress(address: string): number {
  let end = address.length;
  let open = 0;
  for (const sign of address) open += sign === '(' ? 1 : sign === ')' ? -1 : 0;
  for (; end > 0; end -= 1) {
    const sign = address[end - 1]!;
    if (sign === ')' && open < 0) open += 1;
    else if (!/[*_~.,;:!?|]/.test(sign)) break;
  }
  return end;
}

const [space, opening, closing] = [32, 40, 41];

/** `(target)` or `(<target> "title")` behind a label. */
function targetAt(text: string, at: number): { readonly text: string; readonly end: number } | undefined {
  if (text[at] !== '(') return undefined;
  const near = text.slice(at, at + longestTarget);
  const angled = /^\(\s{0,9}<([^<>\n]*)>(?:\s{1,9}"[^"]*")?\s{0,9}\)/.exec(near);
  if (angled !== null) return { text: angled[1]!, end: at + angled[0].length };
  let [open, end] = [1, 1];
  while (end < near.length && near.charCodeAt(end) > space) {
    const sign = near.charCodeAt(end);
    if (sign === opening) open += 1;
    if (sign === closing) open -= 1;
    if (open === 0) return { text: near.slice(1, end), end: at + end + 1 };
    end += 1;
  }
  const title = /^\s{1,9}(?:"[^"]*"|'[^']*')\s{0,9}\)/.exec(near.slice(end));
  return title === null || open !== 1 ? undefined : { text: near.slice(1, end), end: at + end + title[0].length };
}

function linesOf(parts: readonly InlinePart[]): readonly Row[] {
  const lines: Piece[][] = [[]];
  for (const { text, style } of parts) {
    if (text === '') continue;
    const isPlain = Object.keys(style).length === 0;
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      const shown = index > 0 ? line.trimStart() : line;
      if (shown !== '') lines.at(-1)!.push(isPlain ? { text: shown } : { text: shown, style });
    }
  }
  return lines;
}
