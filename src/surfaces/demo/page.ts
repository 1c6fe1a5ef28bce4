import { styleText } from 'node:util';
import type { Variables } from '../../protocol/variables.ts';
import { visibleText } from '../terminal/visible-text.ts';

type Tone = 'plain' | 'strong' | 'quiet' | 'good' | 'bad';

const formats = { strong: 'bold', quiet: 'dim', good: 'green', bad: 'red' } as const;

const margin = 3;
const indent = ' '.repeat(margin);
const labelWidth = 9;
const widest = 100;

/** What a page is written on. */
interface Paper {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): void;
}

/**
 * The demo as text: headings, paragraphs, and rows with a label on the left. Lines are written as things happen; the
 * line of a command stays open until its end is known.
 */
export class Page {
  /** Columns that the text of a row may take. */
  readonly rowWidth: number;
  readonly #paper: Paper;
  readonly #width: number;
  readonly #colours: boolean;
  /** Columns used in the open line. */
  #open: number | undefined;

  constructor(paper: Paper, env: Variables) {
    this.#paper = paper;
    this.#colours = paper.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
    this.#width = Math.min(widest, Math.max(40, paper.columns ?? widest));
    this.rowWidth = this.#width - margin - labelWidth;
  }

  heading(text: string): void {
    this.#lines(['', this.#styled(text, 'strong'), '']);
  }

  paragraph(text: string, tone: Tone = 'plain'): void {
    this.#lines(wrapWords(text, this.#width - margin).map((line) => `${indent}${this.#styled(line, tone)}`));
  }

  gap(): void {
    this.#lines(['']);
  }

  /** Lines that are to be copied as they are. */
  copy(lines: readonly string[]): void {
    this.#lines(['', ...lines.map((line) => `${indent}${indent}${this.#styled(line, 'strong')}`), '']);
  }

  /** Without a label: more lines of the row above. */
  row(label: string, lines: readonly string[], tone: Tone = 'plain'): void {
    this.#lines(this.#rowLines(label, lines, tone));
  }

  /** A row with as many lines as the text needs. */
  text(label: string, text: string, tone: Tone = 'plain'): void {
    this.row(label, wrapWords(text, this.rowWidth), tone);
  }

  /** A row whose last line is finished by `close`. */
  open(label: string, text: string): void {
    const words = wrapWords(text, this.rowWidth);
    const lines = this.#rowLines(label, words, 'strong');
    this.#lines(lines.slice(0, -1));
    this.#paper.write(lines.at(-1) ?? '');
    this.#open = margin + labelWidth + (words.at(-1)?.length ?? 0);
  }

  close(text: string, tone: Tone): void {
    const used = this.#open ?? this.#width;
    if (used + 2 + text.length > this.#width) return this.row('', [text], tone);
    this.#open = undefined;
    this.#paper.write(`  ${this.#styled(text, tone)}\n`);
  }

  /** Ends a line that was left open. */
  end(): void {
    this.#lines([]);
  }

  #rowLines(label: string, lines: readonly string[], tone: Tone): readonly string[] {
    return lines.map((line, index) => {
      const name = (index === 0 ? label : '').padEnd(labelWidth);
      return `${indent}${this.#styled(name, 'quiet')}${this.#styled(line, tone)}`;
    });
  }

  #lines(lines: readonly string[]): void {
    if (this.#open !== undefined) this.#paper.write('\n');
    this.#open = undefined;
    for (const line of lines) this.#paper.write(`${line.trimEnd()}\n`);
  }

  #styled(text: string, tone: Tone): string {
    const shown = visibleText(text);
    if (!this.#colours || tone === 'plain' || shown.trim() === '') return shown;
    return styleText(formats[tone], shown, { validateStream: false });
  }
}

/** Breaks between words. A word that is wider than the line gets one of its own and stays whole, to be copied. */
function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
