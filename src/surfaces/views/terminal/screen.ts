import { closesCodeFence, type Fence, readFence } from '../../../base/markdown/code-fence.ts';
import { countColumns } from '../../../base/text-columns.ts';
import type { EnvironmentVariables } from '../../../protocol/shell.ts';
import { paint, type Span, type TextLook, wantsColor } from './styled-text.ts';
import { fitToWidth, type SizedStream, terminalWidth, visibleText, wrap } from './visible-text.ts';
import { stripVTControlCharacters } from 'node:util';

/** A screen on standard error, or on another stream. Only a terminal has a rewritable line. */
export const openStatusScreen = (stream: ScreenStream = process.stderr): StatusScreen =>
  new StatusScreen({ stream, color: wantsColor(stream, 'auto'), live: canRewriteLines(stream) });

export const canRewriteLines = ({ isTTY }: SizedStream, env: EnvironmentVariables = process.env): boolean =>
  isTTY === true && env['TERM'] !== 'dumb';

export type ScreenStream = SizedStream & { write(text: string): unknown };

export interface ScreenOptions {
  readonly stream: ScreenStream;
  readonly color: boolean;
  /** True for a terminal that can rewrite a line. */
  readonly live: boolean;
}

export interface MessageForm {
  readonly look?: TextLook;
  readonly indent?: string;
  /** For every row but the first; by default the same. */
  readonly hanging?: string;
}

/** The content of the status line, computed at every redraw, so it may count seconds. */
export type StatusLineContent = () => readonly Span[];
const redrawMs = 200;
/** Takes the cursor to the beginning of the line and clears it. */
const erased = '\r\u001B[K';
/** A terminal that became narrower shows the line on several rows: clears from the first of them. */
const erasedFrom = (linesAbove: number): string => (linesAbove === 0 ? erased : `\r\u001B[${linesAbove}A\u001B[J`);

/** Standard error for people: lines that stay, text in pieces, and a status line below them that leaves nothing. */
export class StatusScreen {
  readonly #stream: ScreenStream;
  readonly #live: boolean;
  readonly #color: boolean;
  #status: StatusLineContent | undefined;
  #typed: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #drawn = '';
  #drawnWidth = 0;
  #streaming: { readonly text: VisibleStream; readonly wrapped: WrappedStream; endsLine: boolean } | undefined;

  constructor({ stream, color, live }: ScreenOptions) {
    this.#stream = stream;
    this.#live = live;
    this.#color = color;
  }

  note(...spans: readonly Span[]): void {
    this.endText();
    // Written at once: erasing and drawing separately would flicker.
    const status = this.#statusNow();
    const [before, after] = [this.#erased(), status === '' ? '' : erased];
    this.#stream.write(`${before}${paint(spans, this.#color)}\n${after}${status}`);
    this.#isDrawn(status);
  }

  message(text: string, { look, indent = '', hanging = indent }: MessageForm = {}): void {
    const room = this.#width - Math.max(indent.length, hanging.length);
    const lines = this.#live ? wrap(visibleText(text), room) : text.split('\n');
    const shown = lines.map((line, at) => `${at === 0 ? indent : hanging}${line}`).join('\n');
    this.note(look === undefined ? shown : { look, text: shown });
  }

  /** Prints a piece of a text that stays, broken between words on a terminal. Other output begins on a new line. */
  text(piece: string): void {
    if (piece === '') return;
    if (this.#streaming === undefined) {
      this.#erase();
      const wrapped = new WrappedStream(() => (this.#live ? this.#width : Infinity));
      this.#streaming = { text: new VisibleStream(), wrapped, endsLine: true };
    }
    const { text, wrapped } = this.#streaming;
    this.#piece(wrapped.push(text.push(piece)));
  }

  endText(): void {
    if (this.#streaming === undefined) return;
    const { text, wrapped } = this.#streaming;
    this.#piece(wrapped.push(text.end()) + wrapped.end());
    if (!this.#streaming.endsLine) this.#stream.write('\n');
    this.#streaming = undefined;
    this.#draw();
  }

  /** Sets the status line; undefined removes it. */
  status(status: StatusLineContent | undefined): void {
    if (!this.#live) return;
    this.#status = status;
    if (status === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      if (this.#typed === undefined) this.#erase();
      return;
    }
    // Unreferenced: a process that has nothing left to do ends.
    this.#timer ??= setInterval(() => this.#draw(), redrawMs).unref();
    this.#draw();
  }

  /** Shows typed text instead of the status line; undefined removes it. */
  typing(text: string | undefined): void {
    if (!this.#live) return;
    this.#typed = text;
    if (text === undefined && this.#status === undefined) return this.#erase();
    this.#draw();
  }

  /** Restores the terminal. */
  end(): void {
    this.endText();
    this.#typed = undefined;
    this.status(undefined);
  }

  #piece(visible: string): void {
    if (visible === '' || this.#streaming === undefined) return;
    this.#streaming.endsLine = visible.endsWith('\n');
    this.#stream.write(visible);
  }

  #draw(): void {
    const next = this.#statusNow();
    if (next === '' || next === this.#drawn) return;
    this.#stream.write(`${this.#drawn === '' ? erased : this.#erased()}${next}`);
    this.#isDrawn(next);
  }

  /** Empty if nothing is under way, and while a text comes. */
  #statusNow(): string {
    if (this.#streaming !== undefined) return '';
    if (this.#typed !== undefined) return typedLine(this.#typed, this.#width);
    if (this.#status === undefined) return '';
    return paint(shortened(this.#status(), this.#width), this.#color);
  }

  /** One column stays free: a terminal may begin a new line when the last one is written. */
  get #width(): number {
    return Math.max(20, (terminalWidth(this.#stream) ?? 80) - 1);
  }

  #erase(): void {
    if (this.#drawn !== '') this.#stream.write(this.#erased());
    this.#drawn = '';
  }

  #isDrawn(status: string): void {
    this.#drawn = status;
    this.#drawnWidth = countColumns(stripVTControlCharacters(status));
  }

  #erased(): string {
    if (this.#drawn === '') return '';
    const columns = terminalWidth(this.#stream) ?? Infinity;
    return erasedFrom(Math.max(0, Math.ceil(this.#drawnWidth / columns) - 1));
  }
}

const typedMark = '  > ';

/** The end of the typed text, where the next character goes. */
function typedLine(text: string, width: number): string {
  const characters = [...visibleText(text.replaceAll(/\s/g, ' '))];
  while (countColumns(characters.join('')) > width - typedMark.length) characters.shift();
  return `${typedMark}${characters.join('')}`;
}

/** A shorter beginning of a status tells nothing. */
const leastBeginning = 12;

/** Fits the spans into one line by cutting the first: it may be a long command, and what follows counts seconds. */
function shortened(spans: readonly Span[], width: number): readonly Span[] {
  // Made visible before it is measured: a hidden character becomes a sign of several columns.
  const texts = spans.map((span) => visibleText((typeof span === 'string' ? span : span.text).replaceAll(/\s+/g, ' ')));
  const behind = countColumns(texts.slice(1).join(''));
  let left = width;
  return spans.map((span, at) => {
    const text = fitToWidth(texts[at]!, at === 0 ? Math.max(leastBeginning, width - behind) : left);
    left -= countColumns(text);
    return typeof span === 'string' ? text : { ...span, text };
  });
}

/** The number of preceding characters that decide if a character is part of a letter or an emoji. */
const lookBack = 4;

/** `visibleText` in pieces: joined, they equal that of the whole. An unfinished line end or character waits. */
export class VisibleStream {
  #before = '';
  #held = '';

  push(piece: string): string {
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const isOpen = last === 0x0d || (last >= 0xd800 && last <= 0xdbff);
    this.#held = isOpen ? text.slice(-1) : '';
    return this.#visible(isOpen ? text.slice(0, -1) : text);
  }

  /** Returns the held-back rest. */
  end(): string {
    const rest = this.#visible(this.#held);
    this.#held = '';
    this.#before = '';
    return rest;
  }

  #visible(text: string): string {
    const shown = visibleText(this.#before + text).slice(visibleText(this.#before).length);
    this.#before = (this.#before + text).slice(-lookBack);
    return shown;
  }
}

/** A line break, blanks, or a word; a sign of two columns is a word of its own, as lines may break beside it. */
const token = /\n|[^\S\n]+|\S+/g;
/** Rows of a table, which breaking would not improve. */
const unbroken = /^ {0,3}\|/;
/** The opening of a list item or quotation: continuation lines are indented to its text. */
const opening = /^\s*(?:(?:[-*+>]|\d{1,3}[.)])\s+)?/;
const longestOpening = 24;

/** Breaks the lines of an answer between words while it arrives. Fenced code is unchanged, so that it can be copied. */
export class WrappedStream {
  readonly #width: () => number;
  #column = 0;
  #line = '';
  #blanks = '';
  /** Waits until it is complete, unless it is the first of its line. */
  #word = '';
  /** The word need not wait: it is the first of its line, or fits in none. */
  #isPlaced = false;
  #code: Fence | undefined;

  constructor(width: () => number) {
    this.#width = width;
  }

  push(text: string): string {
    let shown = '';
    for (const [part] of text.matchAll(token)) {
      if (part === '\n') shown += this.#endLine();
      else if (/^\s/.test(part)) shown += this.#endWord() + this.#blank(part);
      else for (const piece of wordsIn(part)) shown += this.#add(piece);
    }
    return shown;
  }

  end(): string {
    return this.#endWord();
  }

  #add(piece: string): string {
    if (this.#isWhole) return this.#pass(piece);
    const isOwn = countColumns(piece) > piece.length;
    const before = isOwn ? this.#endWord() : '';
    this.#note(piece);
    this.#word += piece;
    if (!isOwn && (this.#column === 0 || countColumns(this.#word) > this.#width())) this.#isPlaced = true;
    return isOwn || this.#isPlaced ? before + this.#place() : before;
  }

  #blank(blanks: string): string {
    this.#note(blanks);
    if (this.#isWhole) return blanks;
    this.#blanks += blanks;
    return '';
  }

  #endLine(): string {
    const shown = this.#endWord();
    if (this.#code === undefined) this.#code = readFence(this.#line);
    else if (closesCodeFence(this.#code, this.#line)) this.#code = undefined;
    this.#line = '';
    this.#blanks = '';
    this.#column = 0;
    return `${shown}\n`;
  }

  #endWord(): string {
    const shown = this.#place();
    this.#isPlaced = false;
    return shown;
  }

  #place(): string {
    const [word, blanks, width] = [this.#word, this.#blanks, countColumns(this.#word)];
    if (word === '') return '';
    [this.#word, this.#blanks] = ['', ''];
    const most = this.#width();
    if (this.#column === 0 || this.#column + countColumns(blanks) + width <= most || this.#isPlaced) {
      this.#column += countColumns(blanks) + width;
      return blanks + word;
    }
    const hanging = opening.exec(this.#line)?.[0].length ?? 0;
    const indent = hanging > most / 2 ? 0 : hanging;
    this.#column = indent + width;
    return `\n${' '.repeat(indent)}${word}`;
  }

  get #isWhole(): boolean {
    return this.#code !== undefined || readFence(this.#line) !== undefined || unbroken.test(this.#line);
  }

  #pass(piece: string): string {
    this.#note(piece);
    const shown = this.#endWord() + this.#blanks + piece;
    this.#blanks = '';
    return shown;
  }

  #note(piece: string): void {
    if (this.#line.length < longestOpening) this.#line += piece;
  }
}

const wordsIn = (run: string): readonly string[] =>
  countColumns(run) <= run.length ? [run] : (run.match(/[\u0021-\u024F]+|./gsu) ?? []);
