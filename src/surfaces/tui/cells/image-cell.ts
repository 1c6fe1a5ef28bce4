import type { TurnItem } from '../../../protocol/turn-item.ts';
import { cleanLine } from '../text/clean.ts';
import type { Look } from '../text/look.ts';
import { shownPath } from '../text/shown-path.ts';
import { badStyle, boldStyle, dimStyle, type Row, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, headRows, stateMark, underRows } from './frame.ts';

/** A picture that the model looked at, or that its provider made. */
export function imageCell(item: Extract<TurnItem, { kind: 'image-view' | 'image-generation' }>): Cell {
  return cellOfRows((look) => {
    const isBad = item.problem !== undefined || (item.kind === 'image-generation' && item.status === 'failed');
    const head = headRows(look, stateMark(isBad ? 'bad' : 'plain', look), [styled(titleOf(item, isBad), boldStyle)]);
    return [...head, ...underRows(look, linesOf(item, look))];
  });
}

function titleOf({ kind }: { readonly kind: 'image-view' | 'image-generation' }, isBad: boolean): string {
  if (kind === 'image-view') return isBad ? 'Image Not Shown' : 'Viewed Image';
  return isBad ? 'Image Not Saved' : 'Generated Image';
}

function linesOf(item: Extract<TurnItem, { kind: 'image-view' | 'image-generation' }>, look: Look): readonly Row[] {
  const prompt = item.kind === 'image-generation' && look.details === 'whole' ? item.prompt : undefined;
  return [
    ...(item.path === undefined ? [] : [[styled(shownPath(item.path, look), dimStyle)]]),
    ...(item.problem === undefined ? [] : [[styled(cleanLine(item.problem), badStyle)]]),
    ...(prompt === undefined ? [] : [[styled(cleanLine(prompt), dimStyle)]]),
  ];
}
