import { rowColumns } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { type Piece, plain, restyled, type Row, type Style, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import { highlightLine } from './highlight.ts';
import { inlineLines, inlineRow } from './inline-rows.ts';
import type { Leaf, PrefixPart } from './leaf.ts';
import { tableRows } from './table-rows.ts';

const quoteStyle: Style = { colour: 'quote' };
const markerStyle: Style = { colour: 'marker' };
const headings: readonly Style[] = [
  { weight: 'bold', underline: true },
  { weight: 'bold' },
  { weight: 'bold', italic: true },
  { italic: true },
];

/** The rows of a block. They depend on nothing but the block and the look. */
export function drawLeaf(leaf: Leaf, look: Look): readonly string[] {
  const [first, rest] = [prefixRow(leaf.first, look), prefixRow(leaf.rest, look)];
  const above = leaf.blank === undefined ? [] : [withoutTail(prefixRow(leaf.blank, look))];
  const isQuoted = leaf.rest.includes('quote');
  const body = leafRows(leaf, look, { first, rest }).map((row) => (isQuoted ? restyled(row, quoteStyle) : row));
  return [...above, ...body].map((row) => drawRow(row, look));
}

interface Prefixes {
  readonly first: Row;
  readonly rest: Row;
}

function leafRows(leaf: Leaf, look: Look, { first, rest }: Prefixes): readonly Row[] {
  const { width } = look;
  switch (leaf.kind) {
    case 'paragraph': {
      const box = boxPieces(leaf.task, look);
      return inlineLines(leaf.words, look).flatMap((line, at) =>
        wrapRow(at === 0 ? [...box, ...line] : line, { width, first: at === 0 ? first : rest, rest }),
      );
    }
    case 'heading': {
      const style = headings[Math.min(leaf.level, headings.length) - 1]!;
      const line: Row = [plain(`${'#'.repeat(leaf.level)} `), ...inlineRow(leaf.words, look)];
      return wrapRow(restyled(line, style), { width, first, rest });
    }
    case 'code':
      return wrapRow(codeRow(leaf), { width, first, rest, breaking: 'anywhere' });
    case 'rule':
      return [[...first, styled(glyphsOf(look).rule.repeat(3), { weight: 'dim' })]];
    case 'table': {
      const room = Math.max(1, width - rowColumns(rest));
      return tableRows(leaf, room, look).map((row, at) => [...(at === 0 ? first : rest), ...row]);
    }
  }
}

function codeRow({ text, grammar, inside }: Extract<Leaf, { kind: 'code' }>): Row {
  if (grammar === undefined) return [plain(text)];
  if (grammar !== 'diff') return highlightLine(text, grammar, inside).row;
  const colour = text.startsWith('+')
    ? 'good'
    : text.startsWith('-')
      ? 'bad'
      : text.startsWith('@@')
        ? 'accent'
        : undefined;
  return [colour === undefined ? plain(text) : styled(text, { colour })];
}

function boxPieces(box: 'open' | 'done' | undefined, look: Look): readonly Piece[] {
  if (box === undefined) return [];
  const { boxOpen, boxDone } = glyphsOf(look);
  return [box === 'done' ? styled(`${boxDone} `, { colour: 'good' }) : plain(`${boxOpen} `)];
}

function prefixRow(parts: readonly PrefixPart[], look: Look): Row {
  return parts.map((part): Piece => {
    if (part === 'quote') return styled('> ', quoteStyle);
    if ('blanks' in part) return plain(' '.repeat(part.blanks));
    if (part.marker === '') return plain(`${glyphsOf(look).listItem} `);
    return styled(`${part.marker} `, markerStyle);
  });
}

/** The row without blanks at its end. */
function withoutTail(row: Row): Row {
  const end = row.findLastIndex(({ text }) => text.trim() !== '');
  return row.slice(0, end + 1).map((piece, at) => (at === end ? { ...piece, text: piece.text.trimEnd() } : piece));
}
