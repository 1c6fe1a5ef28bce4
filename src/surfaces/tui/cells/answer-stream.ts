import { PlanTagStream } from '../../exec/plan-tags.ts';
import { MarkdownStream } from '../markdown/markdown-stream.ts';
import type { Look } from '../text/look.ts';
import { type SpokenPart, partedRows, rowsBefore } from './answer-parts.ts';
import { answerRows, insideAnswer } from './answer-rows.ts';
import type { Cell, LastRows } from './cell.ts';

interface GrowingPart {
  readonly kind: SpokenPart['kind'];
  readonly markdown: MarkdownStream;
  hasText: boolean;
}

/** An answer that is still arriving. The completed item is the truth: `answerCell` takes its place, with the same rows. */
export class AnswerStream implements Cell {
  readonly #parts: GrowingPart[] = [newPart('prose')];
  readonly #tags = new PlanTagStream();

  append(text: string): void {
    // Line by line: a tag is a line of its own, and what follows it belongs to another part.
    for (const line of text.split(/(?<=\n)/)) this.#add(this.#tags.push(line));
  }

  end(): void {
    this.#add(this.#tags.end());
    this.#last.markdown.end();
  }

  rows(look: Look): readonly string[] {
    return partedRows(
      this.#drawn(({ markdown }) => markdown.rows(insideAnswer(look))),
      look,
    );
  }

  rowsFrom(look: Look, from: number): readonly string[] {
    if (this.#parts.length > 1) return this.rows(look).slice(from);
    return answerRows(this.#last.markdown.rowsFrom(insideAnswer(look), from), look, from);
  }

  lastRows(look: Look, least: number): LastRows {
    const all = this.#parts.length > 1 ? 0 : this.#last.markdown.rowTotal(insideAnswer(look));
    const from = Math.max(0, all - least);
    return { rows: this.rowsFrom(look, from), isAll: from === 0 };
  }

  /** Rows that no later text can change. `from`: those above it are known. */
  stableRows(look: Look, from = 0): readonly string[] {
    const inside = insideAnswer(look);
    const { markdown } = this.#last;
    if (this.#parts.length === 1) {
      const rows = markdown.stableRows(inside);
      return answerRows(from === 0 ? rows : rows.slice(from), look, from);
    }
    const parts = this.#drawn((part) =>
      part === this.#last ? markdown.stableRows(inside) : part.markdown.rows(inside),
    );
    return partedRows(parts, look).slice(from);
  }

  /** How many blocks make these rows. */
  get stableBlocks(): number {
    return this.#parts.reduce((sum, { markdown }) => sum + markdown.stableBlocks, 0);
  }

  /** How many rows so many blocks have. */
  rowCount(blocks: number, look: Look): number {
    let [rows, left] = [0, blocks];
    for (const { kind, markdown } of this.#parts) {
      const own = markdown.rowCount(Math.min(left, markdown.stableBlocks), insideAnswer(look));
      if (own > 0) rows += (rows === 0 ? 0 : 1) + rowsBefore(kind, look) + own;
      left = Math.max(0, left - markdown.stableBlocks);
    }
    return rows;
  }

  get #last(): GrowingPart {
    return this.#parts.at(-1)!;
  }

  #drawn(rows: (part: GrowingPart) => readonly string[]): readonly SpokenPart[] {
    return this.#parts.map((part) => ({ kind: part.kind, rows: rows(part) }));
  }

  /** Text without tags. It belongs to the part that the tags before it have begun. */
  #add(text: string): void {
    const part = this.#last;
    const passed = part.hasText ? text : text.replace(/^\n+/, '');
    part.hasText ||= passed !== '';
    part.markdown.append(passed);
    if (this.#tags.passed < this.#parts.length) return;
    part.markdown.end();
    this.#parts.push(newPart(this.#tags.passed === 1 ? 'plan' : 'prose'));
  }
}

function newPart(kind: SpokenPart['kind']): GrowingPart {
  return { kind, markdown: new MarkdownStream(), hasText: false };
}
