import type { ChangedFile } from '../../../protocol/turn-item.ts';
import { HighlightBudget, highlightLine, type LongToken } from '../markdown/highlight.ts';
import { type Grammar, grammarOfPath } from '../markdown/languages.ts';
import { clean } from '../text/clean.ts';
import { filledRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { hasGrounds } from '../text/sgr.ts';
import { dimStyle, type Piece, plain, restyled, type Row, styled, type Style } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

/** One line of a diff. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'gap' | 'note';
  readonly text: string;
  /** Absent: not known. */
  readonly number?: number;
}

/** The lines of a change. The numbers of lines are known for new files and for diffs that name them. */
export function diffLinesOf({ diff = '', kind }: Pick<ChangedFile, 'diff' | 'kind'>): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = kind === 'update' ? [undefined, undefined] : [1, 1];
  const source = diff === '' ? [] : diff.replace(/\n$/, '').split('\n');
  for (const line of source) {
    const [sign, text] = [line[0] ?? ' ', clean(line.slice(1)).replaceAll('\n', ' ').replaceAll('\t', '    ')];
    if (line.startsWith('@@')) {
      const [, from, to] = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})/.exec(line) ?? [];
      [before, after] = from === undefined ? [undefined, undefined] : [Number(from), Number(to)];
      const anchor = cleanAnchor(line);
      if (lines.length > 0 || anchor !== '') lines.push({ kind: 'gap', text: anchor });
    } else if (sign === '+') {
      lines.push(numbered('added', text, after));
      after = after === undefined ? undefined : after + 1;
    } else if (sign === '-') {
      lines.push(numbered('removed', text, before));
      before = before === undefined ? undefined : before + 1;
    } else if (sign === '\\') {
      lines.push({ kind: 'note', text: text.trim() });
    } else {
      lines.push(numbered('same', text, after));
      [before, after] = [before === undefined ? undefined : before + 1, after === undefined ? undefined : after + 1];
    }
  }
  return lines;
}

function numbered(kind: DiffLine['kind'], text: string, number: number | undefined): DiffLine {
  return number === undefined ? { kind, text } : { kind, text, number };
}

function cleanAnchor(line: string): string {
  return clean(line.replace(/^@@(?: [^@]*@@)? ?/, ''))
    .replaceAll(/[\n\t]/g, ' ')
    .trim();
}

/** Rows of a diff: the number, the sign, the text with the colours of its language. */
export function diffRows(lines: readonly DiffLine[], path: string, look: Look): readonly Row[] {
  const digits = String(lines.reduce((most, { number = 0 }) => Math.max(most, number), 0)).length;
  const hasNumbers = lines.some(({ number }) => number !== undefined);
  const painter = new DiffPainter(isShort(lines) ? grammarOfPath(path) : undefined);
  return lines.flatMap((line) => {
    if (line.kind === 'gap') {
      painter.restart();
      const words = line.text === '' ? '' : ` ${line.text}`;
      return wrapRow([styled(`${glyphsOf(look).gap}${words}`, dimStyle)], { width: look.width, first: margin });
    }
    if (line.kind === 'note') return wrapRow([styled(line.text, dimStyle)], { width: look.width, first: margin });
    return lineRows(line, painter.paint(line), hasNumbers ? digits : 0, look);
  });
}

const margin: Row = [plain('    ')];

const signs = { added: '+', removed: '-', same: ' ' } as const;

function lineRows({ kind, number }: DiffLine, text: Row, digits: number, look: Look): readonly Row[] {
  if (kind === 'gap' || kind === 'note') return [];
  const style = styleOf(kind, look);
  const column = digits === 0 ? '' : `${String(number ?? '').padStart(digits)} `;
  const first: Row = [
    ...margin,
    ...(column === '' ? [] : [numberPiece(column, kind, look)]),
    { text: signs[kind], style },
  ];
  const rest: Row = [...margin, plain(' '.repeat(column.length + 1))];
  const body = kind === 'same' ? text : restyled(text, style);
  const rows = wrapRow(body, { width: look.width, first, rest, breaking: 'anywhere' });
  if (kind === 'same' || !hasGrounds(look)) return rows;
  return rows.map((row) => filledRow(row, look.width, { back: kind }));
}

function numberPiece(text: string, kind: 'added' | 'removed' | 'same', look: Look): Piece {
  if (kind === 'same' || !hasGrounds(look)) return styled(text, dimStyle);
  return styled(text, { weight: 'dim', back: `${kind}-number` });
}

/** With a ground of its own a line keeps the colours of its language. */
function styleOf(kind: 'added' | 'removed' | 'same', look: Look): Style {
  if (kind === 'same') return {};
  const weight: Style = kind === 'removed' ? dimStyle : {};
  return hasGrounds(look) ? weight : { ...weight, colour: kind === 'added' ? 'good' : 'bad' };
}

/** Longer diffs have no colours of their language. */
function isShort(lines: readonly DiffLine[]): boolean {
  const budget = new HighlightBudget();
  return lines.every(({ text }) => budget.take(text));
}

/** Colours inside a hunk. What was and what is now are two texts, each with its own open comments. */
class DiffPainter {
  readonly #grammar: Grammar | undefined;
  #before: LongToken | undefined;
  #after: LongToken | undefined;

  constructor(grammar: Grammar | undefined) {
    this.#grammar = grammar;
  }

  restart(): void {
    this.#before = undefined;
    this.#after = undefined;
  }

  paint({ kind, text }: DiffLine): Row {
    if (this.#grammar === undefined) return [plain(text)];
    const { row, inside } = highlightLine(text, this.#grammar, kind === 'removed' ? this.#before : this.#after);
    if (kind !== 'added') this.#before = inside;
    if (kind !== 'removed') this.#after = inside;
    return row;
  }
}
