import { cleanLine } from '../text/clean.ts';
import { boldStyle, dimStyle, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, framedRows, headRows, stateMark } from './frame.ts';
import { foldLimits, outputRows } from './folded-output.ts';

/** An item of a kind that this version does not know: its name, and in the transcript all that it holds. */
export function genericCell(item: { readonly kind: string; readonly id?: string }): Cell {
  return cellOfRows((look) => {
    const name = cleanLine(String(item.kind)).replaceAll(/[-_]/g, ' ');
    const head = headRows(look, stateMark('quiet', look), [
      styled(name, boldStyle),
      styled(' (shown as it is)', dimStyle),
    ]);
    const { kind: _, id: __, ...rest } = item;
    const json = JSON.stringify(rest, undefined, 2) ?? '';
    return [...head, ...framedRows(look, outputRows(json === '{}' ? '' : json, foldLimits.quiet, look))];
  });
}
