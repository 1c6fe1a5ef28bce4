import { cleanLine } from '../../screen/text/clean-text.ts';
import { countColumns } from '../../../../base/text-columns.ts';
import { boldStyle, dimStyle, plain, type Row, type Style, styled } from '../../screen/text/style.ts';
import { wrapIn } from '../../screen/text/wrap-row.ts';
import { type Cell, cellFromRows } from './cell.ts';

export interface CardRow {
  readonly name: string;
  readonly value: string;
  /** Dimmed rows below the value. */
  readonly details?: readonly string[];
}

export interface Card {
  readonly title: string;
  readonly rows: readonly CardRow[];
  readonly notes?: readonly string[];
}

/** A titled list of facts that stays in the conversation. Nothing is cut. */
export function cardCell({ title, rows, notes = [] }: Card): Cell {
  return cellFromRows((look) => {
    const names = rows.map(({ name }) => countColumns(cleanLine(name)));
    const wide = Math.min(Math.max(0, ...names), Math.max(4, Math.floor(look.width / 3)));
    const indent = 2 + wide + 2;
    const blanks = plain(' '.repeat(indent));
    const inColumn = (text: string, first: Row, style?: Style): readonly Row[] =>
      wrapIn(look, [{ text: cleanLine(text), style }], first, [blanks]);
    return [
      [styled(title, boldStyle)],
      ...rows.flatMap(({ name, value, details = [] }) => {
        const label = cleanLine(name);
        const room = indent - 2 - countColumns(label);
        const head: Row = [styled(`  ${label}${' '.repeat(Math.max(0, room))}`, dimStyle)];
        // A name that is too long for its column gets a line of its own.
        const above = room < 2 ? wrapIn(look, head, [], [plain('  ')]) : [];
        return [
          ...above,
          ...inColumn(value, room < 2 ? [blanks] : head),
          ...details.flatMap((text) => inColumn(text, [blanks], dimStyle)),
        ];
      }),
      ...notes.flatMap((text) => wrapIn(look, [styled(cleanLine(text), dimStyle)], [plain('  ')])),
    ];
  });
}
