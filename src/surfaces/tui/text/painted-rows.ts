import { drawRows } from './draw-row.ts';
import type { Look } from './look.ts';
import { OutputColours } from './output-colours.ts';
import type { ColourRole, Row } from './style.ts';
import { wrapRow } from './wrap-row.ts';

/** The colours of pages that serve every terminal, by what they mean here. */
const roles: Readonly<Record<number, ColourRole>> = { 1: 'bad', 2: 'good', 3: 'warn', 5: 'special', 6: 'accent' };

/** A painted page in rows that fit, in the colours of the theme. Nothing of it is left out. */
export function paintedRows(page: string, look: Look): readonly string[] {
  const colours = new OutputColours();
  return page
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line) =>
      drawRows(wrapRow(themed(colours.read(line)), { width: look.width, breaking: 'anywhere' }), look),
    );
}

function themed(row: Row): Row {
  return row.map((piece) => {
    const colour = typeof piece.style?.colour === 'number' ? roles[piece.style.colour] : undefined;
    return colour === undefined ? piece : { ...piece, style: { ...piece.style, colour } };
  });
}
