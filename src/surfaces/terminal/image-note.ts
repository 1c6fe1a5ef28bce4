import type { TurnItem } from '../../protocol/turn-item.ts';
import { dim, type Span, yellow } from './look.ts';
import { visibleLine } from './visible-text.ts';

/** What became of a picture, in one line. */
export function imageNote(item: Extract<TurnItem, { kind: 'image-view' | 'image-generation' }>): Span {
  const { problem } = item;
  const isView = item.kind === 'image-view';
  if (problem !== undefined) return yellow(visibleLine(`${isView ? 'not shown' : 'not saved'}: ${problem}`));
  return dim(visibleLine(isView ? `looked at ${item.path}` : `generated an image: ${item.path ?? item.status}`));
}
