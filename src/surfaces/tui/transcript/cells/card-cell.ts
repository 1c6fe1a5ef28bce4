import { cleanLine } from '../../screen/text/clean-text.ts';
import { countColumns } from '../../../../base/text-columns.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import { type Cell, cellFromRows } from './cell.ts';

export interface CardRow {
  readonly name: string;
  readonly value: string;
  /** Dimmed rows below it. */
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
    const inColumn = (text: string, first: Row, isDim: boolean): readonly Row[] =>
      wrapRow([isDim ? styled(cleanLine(text), dimStyle) : plain(cleanLine(text))], {
        width: look.width,
        first,
        rest: [plain(' '.repeat(indent))],
      });
    return [
      [styled(title, boldStyle)],
      ...rows.flatMap(({ name, value, details = [] }) => {
        const label = cleanLine(name);
        const room = indent - 2 - countColumns(label);
        // A name that is too long for its column gets a line of its own.
        const head: Row = [styled(`  ${label}${' '.repeat(Math.max(0, room))}`, dimStyle)];
        const first =
          room < 2
            ? [
                ...wrapRow(head, { width: look.width, rest: [plain('  ')] }),
                ...inColumn(value, [plain(' '.repeat(indent))], false),
              ]
            : inColumn(value, head, false);
        return [...first, ...details.flatMap((text) => inColumn(text, [plain(' '.repeat(indent))], true))];
      }),
      ...notes.flatMap((text) =>
        wrapRow([styled(cleanLine(text), dimStyle)], { width: look.width, first: [plain('  ')], rest: [plain('  ')] }),
      ),
    ];
  });
}
