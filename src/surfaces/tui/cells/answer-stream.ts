import { planTags, proposedPlan } from '../../../protocol/proposed-plan.ts';
import { PlanTagStream } from '../../exec/plan-tags.ts';
import { MarkdownStream } from '../markdown/markdown-stream.ts';
import type { Look } from '../text/look.ts';
import { answerCell } from './answer-cell.ts';
import { answerRows, insideAnswer } from './answer-rows.ts';
import type { Cell } from './cell.ts';

/** An answer that is still arriving. The completed item is the truth: `answerCell` takes its place. */
export class AnswerStream implements Cell {
  readonly #markdown = new MarkdownStream();
  readonly #tags = new PlanTagStream();
  /** All that has arrived, as it was written. */
  #text = '';
  #proposes = false;

  append(text: string): void {
    this.#text += text;
    if (this.#proposes) return;
    const shown = this.#tags.push(text);
    this.#proposes = this.#tags.hasBegun;
    if (!this.#proposes) this.#markdown.append(shown);
  }

  end(): void {
    if (this.#proposes) return;
    this.#markdown.append(this.#tags.end());
    this.#markdown.end();
  }

  /** A plan stands apart as in the completed item; what comes with it is stable when that is there. */
  rows(look: Look): readonly string[] {
    if (this.#proposes) return answerCell(planSoFar(this.#text)).rows(look);
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

/** A plan that has begun, as if it ended here. */
function planSoFar(text: string): { readonly text: string; readonly plan: string } {
  const whole = proposedPlan(text);
  if (whole !== undefined) return { text, plan: whole };
  const [, end] = planTags;
  const lastLine = text.lastIndexOf('\n') + 1;
  const isTag = end.startsWith(text.slice(lastLine).trim());
  const closed = `${isTag ? text.slice(0, lastLine) : `${text}\n`}${end}`;
  return { text: closed, plan: proposedPlan(closed) ?? '' };
}
