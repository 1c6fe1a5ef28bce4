import { visibleText } from '../../terminal/visible-text.ts';
import { columnsOf } from '../../../base/columns.ts';
import { tabWidth } from './draft-layout.ts';

/** A part of a draft on the screen, with a sign for every character that hides: what is drawn is what is sent, or runs. */
export function drawnDraft(text: string): string {
  return visibleText(text).replaceAll('\t', ' '.repeat(tabWidth)).replaceAll('\n', ' ');
}

/** The columns that a cluster of it takes. */
export function draftColumns(cluster: string): number {
  return columnsOf(visibleText(cluster));
}
