import { stripVTControlCharacters } from 'node:util';
import { type TextLook, paint, type Span } from './look.ts';
import { wrap } from './wrap.ts';
import { type SizedStream, terminalWidth } from './terminal-width.ts';
import { columnsOf } from '../../base/columns.ts';
import { fit } from './text-width.ts';
import { VisibleStream } from './visible-stream.ts';
import { visibleText } from './visible-text.ts';
import { WrappedStream } from './wrapped-stream.ts';

/** The part of standard error that a screen needs. */
export interface ScreenStream extends SizedStream {
  write(text: string): unknown;
}

export interface ScreenOptions {
  readonly stream: ScreenStream;
  readonly color: boolean;
  /** Whether a line may be written over: a terminal that can do it. */
  readonly live: boolean;
}

export interface MessageForm {
  readonly look?: TextLook;
  readonly indent?: string;
  /** Of every row but the first; by default the same. */
  readonly hanging?: string;
}

/** What the status line says now. It is asked again whenever the line is drawn, so it may count seconds. */
export type Status = () => readonly Span[];

const redrawMs = 200;

/** Takes the cursor to the beginning of the line and clears it. */
const erased = '\r\u001B[K';
/** A terminal that became narrower shows the line on several: the same from the first of them on. */
const erasedFrom = (linesAbove: number): string => (linesAbove === 0 ? erased : `\r\u001B[${linesAbove}A\u001B[J`);

/**
 * Standard error for people: lines that stay, a text that comes in pieces, and below them one status line that is
 * written over and leaves nothing behind. Where nothing can be written over there is no status line.
 */
export class Screen {
  readonly #stream: ScreenStream;
  readonly #live: boolean;
  readonly #color: boolean;
  #status: Status | undefined;
  #typed: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What stands in the status line. */
  #drawn = '';
  #drawnWidth = 0;
  #streaming: { readonly text: VisibleStream; readonly wrapped: WrappedStream; endsLine: boolean } | undefined;

  constructor({ stream, color, live }: ScreenOptions) {
    this.#stream = stream;
    this.#live = live;
    this.#color = color;
  }

  /** A line, or several, that stay. */
  note(...spans: readonly Span[]): void {
    this.endText();
    // In one piece: a line that is erased and drawn again in two would flicker.
    const status = this.#statusNow();
    const [before, after] = [this.#erased(), status === '' ? '' : erased];
    this.#stream.write(`${before}${paint(spans, this.#color)}\n${after}${status}`);
    this.#isDrawn(status);
  }

  /** A sentence of ours, or several: on a terminal they are broken between words. */
  message(text: string, { look, indent = '', hanging = indent }: MessageForm = {}): void {
    const room = this.#width - Math.max(indent.length, hanging.length);
    const lines = this.#live ? wrap(visibleText(text), room) : text.split('\n');
    const shown = lines.map((line, at) => `${at === 0 ? indent : hanging}${line}`).join('\n');
    this.note(look === undefined ? shown : { look, text: shown });
  }

  /** A piece of a text that stays, broken between words on a terminal. Whatever else is said begins on a line of its own. */
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

  /** The text is over. */
  endText(): void {
    if (this.#streaming === undefined) return;
    const { text, wrapped } = this.#streaming;
    this.#piece(wrapped.push(text.end()) + wrapped.end());
    if (!this.#streaming.endsLine) this.#stream.write('\n');
    this.#streaming = undefined;
    this.#draw();
  }

  /** What the status line says from now on; undefined takes it away. */
  status(status: Status | undefined): void {
    if (!this.#live) return;
    this.#status = status;
    if (status === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      if (this.#typed === undefined) this.#erase();
      return;
    }
    // It holds nothing up: a process that has nothing left to do ends.
    this.#timer ??= setInterval(() => this.#draw(), redrawMs).unref();
    this.#draw();
  }

  /** What the user types, in place of the status line; undefined takes it away. */
  typing(text: string | undefined): void {
    if (!this.#live) return;
    this.#typed = text;
    if (text === undefined && this.#status === undefined) return this.#erase();
    this.#draw();
  }

  /** Leaves the terminal as it should be found. */
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

  /** Empty where nothing is under way, and while a text comes. */
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
    this.#drawnWidth = columnsOf(stripVTControlCharacters(status));
  }

  /** What takes away the status line, if there is one. */
  #erased(): string {
    if (this.#drawn === '') return '';
    const columns = terminalWidth(this.#stream) ?? Infinity;
    return erasedFrom(Math.max(0, Math.ceil(this.#drawnWidth / columns) - 1));
  }
}

const typedMark = '  > ';

/** The end of what is typed: there the next character goes. */
function typedLine(text: string, width: number): string {
  const characters = [...visibleText(text.replaceAll(/\s/g, ' '))];
  while (columnsOf(characters.join('')) > width - typedMark.length) characters.shift();
  return `${typedMark}${characters.join('')}`;
}

/** A status with less of its beginning says nothing. */
const leastBeginning = 12;

/** As much as fits in one line. The first part gives way: it may be a long command, and what follows counts seconds. */
function shortened(spans: readonly Span[], width: number): readonly Span[] {
  // Made visible before it is measured: a hidden character becomes a sign of several columns.
  const texts = spans.map((span) => visibleText((typeof span === 'string' ? span : span.text).replaceAll(/\s+/g, ' ')));
  const behind = columnsOf(texts.slice(1).join(''));
  let left = width;
  return spans.map((span, at) => {
    const text = fit(texts[at]!, at === 0 ? Math.max(leastBeginning, width - behind) : left);
    left -= columnsOf(text);
    return typeof span === 'string' ? text : { ...span, text };
  });
}
