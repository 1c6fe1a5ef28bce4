import type { TurnItem } from '../../../protocol/turn-item.ts';
import { cleanLine, cleanLines } from '../text/clean.ts';
import { styled, type Style } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, headRows, stateMark } from './frame.ts';

const thinking: Style = { weight: 'dim', italic: true };

/** The model's own summary of its thinking: only the transcript shows it. */
export function reasoningCell({ summary }: Extract<TurnItem, { kind: 'reasoning' }>): Cell {
  return cellOfRows((look) => {
    if (look.details === 'folded') return [];
    const lines = summary.flatMap((part, at) => [
      ...(at === 0 ? [] : ['']),
      ...cleanLines(part.replaceAll('**', '').trim()),
    ]);
    return lines.flatMap((line, at) =>
      headRows(look, at === 0 ? stateMark('quiet', look) : { text: ' ' }, [styled(line, thinking)]),
    );
  });
}

/** The first bold words of a summary: what the model is about. */
export function reasoningTitle(summary: string): string | undefined {
  const [, words] = /\*\*([^*\n]{1,200})\*\*/.exec(summary) ?? [];
  return words === undefined ? undefined : cleanLine(words).trim();
}
