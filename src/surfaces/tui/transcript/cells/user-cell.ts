import type { TurnItem } from '../../../../protocol/turn-item.ts';
import { shownPipedInput } from '../../../views/wording/turn-lines.ts';
import { cleanLines } from '../../screen/text/clean-text.ts';
import { filledRow, hasGrounds } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { accentStyle, type Piece, plain, type Row, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import { type Cell, cellFromRows } from './cell.ts';
import { foldRow } from './folded-output.ts';

/** A message of the user: a tinted block, if the terminal has tints. */
export function userCell({ text, images }: Extract<TurnItem, { kind: 'user-message' }>): Cell {
  return cellFromRows((look) => {
    const lines = cleanLines(shownPipedInput(text.trimEnd()));
    const isFolded = look.details !== 'whole' && lines.length > mostLines;
    const pictures = images.map((_, at): Row => [styled(`[Image #${at + 1}]`, accentStyle)]);
    const shown = [
      ...(isFolded ? lines.slice(0, keptLines) : lines).map(mentions),
      ...(isFolded ? [foldRow(lines.length - keptLines, look)] : []),
      ...(/\[Image #\d/.test(text) ? [] : pictures),
    ];
    const width = Math.max(1, look.width - 1);
    const rows = shown.flatMap((line, at) => wrapRow(line, { width, ...prefixes(look, at) }));
    if (!hasGrounds(look)) return rows;
    return [[], ...rows, []].map((row) => filledRow(row, look.width, { back: 'tint' }));
  });
}

const [mostLines, keptLines] = [60, 40];

function prefixes(look: Look, at: number): { readonly first: Row; readonly rest: Row } {
  if (look.glyphs === 'words') return { first: at === 0 ? [plain('You: ')] : [], rest: [] };
  const rest: Row = [plain('  ')];
  return { first: at === 0 ? [styled(glyphsOf(look).prompt, { weight: 'bold' }), plain(' ')] : rest, rest };
}

/** Highlights files, skills and pictures that the text names. */
function mentions(line: string): Row {
  const row: Piece[] = [];
  let from = 0;
  for (const found of line.matchAll(/(?<![^\s(])(?:[@$][\w./~-]{1,200}|\[Image #\d{1,4}\])/g)) {
    if (found.index > from) row.push(plain(line.slice(from, found.index)));
    row.push(styled(found[0], accentStyle));
    from = found.index + found[0].length;
  }
  return from === 0 ? [plain(line)] : [...row, plain(line.slice(from))];
}
