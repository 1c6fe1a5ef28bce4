import { drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { boldStyle, styled } from '../text/style.ts';
import { answerRows, insideAnswer } from './answer-rows.ts';
import { headRows, stateMark } from './frame.ts';

/** A part of an answer, with the rows that its Markdown has inside the margin. */
export interface SpokenPart {
  readonly kind: 'prose' | 'plan';
  readonly rows: readonly string[];
}

/** An answer of some parts: a plan that the model proposes stands apart, below a heading. A part without rows takes none. */
export function partedRows(parts: readonly SpokenPart[], look: Look): readonly string[] {
  return parts
    .filter(({ rows }) => rows.length > 0)
    .flatMap(({ kind, rows }, at) => [
      ...(at === 0 ? [] : ['']),
      ...(kind === 'prose' ? answerRows(rows, look) : planRows(rows, look)),
    ]);
}

/** Rows above those of the Markdown. */
export function rowsBefore(kind: SpokenPart['kind'], look: Look): number {
  return kind === 'prose' ? 0 : planHead(look).length;
}

function planRows(rows: readonly string[], look: Look): readonly string[] {
  const indent = look.glyphs === 'words' ? 0 : look.width - insideAnswer(look).width;
  return [...planHead(look), ...rows.map((row) => (row === '' ? '' : `${' '.repeat(indent)}${row}`))];
}

function planHead(look: Look): readonly string[] {
  return [...drawRows(headRows(look, stateMark('plain', look), [styled('Proposed Plan', boldStyle)]), look), ''];
}
