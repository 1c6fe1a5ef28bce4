import type { TurnItem } from '../../../protocol/turn-item.ts';
import { cleanLine } from '../text/clean.ts';
import { boldStyle, plain, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, headRows, stateMark } from './frame.ts';

export function webSearchCell({ query }: Extract<TurnItem, { kind: 'web-search' }>): Cell {
  return cellOfRows((look) => {
    const words = cleanLine(query).trim();
    const isPage = /^https?:\/\/\S+$/.test(words);
    const verb = isPage ? 'Opened' : 'Searched the web';
    const rest = words === '' ? '' : isPage ? ` ${words}` : ` for ${words}`;
    return headRows(look, stateMark('plain', look), [styled(verb, boldStyle), plain(rest)]);
  });
}
