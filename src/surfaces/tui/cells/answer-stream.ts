import { PlanTagStream } from '../../exec/plan-tags.ts';
import { MarkdownStream } from '../markdown/markdown-stream.ts';
import type { Look } from '../text/look.ts';
import { answerRows, insideAnswer } from './answer-rows.ts';
import type { Cell } from './cell.ts';

/** An answer that is still arriving. The completed item is the truth: `answerCell` takes its place. */
export class AnswerStream implements Cell {
  readonly #markdown = new MarkdownStream();
  readonly #tags = new PlanTagStream();

  append(text: string): void {
    this.#markdown.append(this.#tags.push(text));
  }

  end(): void {
    this.#markdown.append(this.#tags.end());
    this.#markdown.end();
  }

  rows(look: Look): readonly string[] {
    return answerRows(this.#markdown.rows(insideAnswer(look)), look);
  }

  /** Rows that no later text can change. `from`: those above it are known. */
  stableRows(look: Look, from = 0): readonly string[] {
    const rows = this.#markdown.stableRows(insideAnswer(look));
    return answerRows(from === 0 ? rows : rows.slice(from), look, from);
  }

  /** How many blocks make these rows. */
  get stableBlocks(): number {
    return this.#markdown.stableBlocks;
  }

  /** How many rows so many blocks have. */
  rowCount(blocks: number, look: Look): number {
    return this.#markdown.rowCount(blocks, insideAnswer(look));
  }
}
