import type { TurnItem } from '../../../protocol/turn-item.ts';
import { cleanLine } from '../text/clean.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOf } from './cell-of.ts';
import { type Explored, exploredBy } from './explored-parts.ts';
import { cellOfRows, headRows, stateMark, underRows } from './frame.ts';

/** Whether a call belongs in a group of those that only look around. One that failed stands alone, with its error, and so does one of the user. */
export function isExploring(item: TurnItem): boolean {
  if (item.kind !== 'command' && item.kind !== 'tool-call') return false;
  if (item.status === 'failed' || item.status === 'declined') return false;
  if (item.kind === 'command' && (item.byUser === true || (item.exitCode ?? 0) !== 0)) return false;
  return exploredBy(item) !== undefined;
}

/** Calls that looked around, one after the other. The transcript shows each of them. */
export function exploringCell(items: readonly TurnItem[]): Cell {
  const folded = cellOfRows((look) => {
    const isRunning = items.some((item) => 'status' in item && item.status === 'in-progress');
    const head: Row = [styled(isRunning ? 'Exploring' : 'Explored', boldStyle)];
    const lines = exploredLines(items.flatMap((item) => exploredBy(item) ?? []));
    return [...headRows(look, stateMark(isRunning ? 'running' : 'plain', look), head), ...underRows(look, lines)];
  });
  return {
    rows(look) {
      if (look.details === 'folded') return folded.rows(look);
      return items.flatMap((item, at) => [...(at === 0 ? [] : ['']), ...cellOf(item).rows(look)]);
    },
  };
}

/** One line for each, and one for files that were read one after the other. */
function exploredLines(parts: readonly Explored[]): readonly Row[] {
  const lines: Row[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at]!;
    if (part.kind !== 'read') {
      lines.push(part.kind === 'list' ? listLine(part.path) : searchLine(part));
      continue;
    }
    const names = new Set([part.name]);
    for (let next = parts[at + 1]; next?.kind === 'read'; next = parts[at + 1]) {
      names.add(next.name);
      at += 1;
    }
    lines.push([styled('Read ', accentStyle), plain([...names].map(cleanLine).join(', '))]);
  }
  return lines;
}

function listLine(path: string): Row {
  return [styled('List ', accentStyle), plain(path === '' ? '.' : cleanLine(path))];
}

function searchLine({ query, path }: Extract<Explored, { kind: 'search' }>): Row {
  const where: Row = path === '' ? [] : [styled(' in ', dimStyle), plain(cleanLine(path))];
  return [styled('Search ', accentStyle), plain(cleanLine(query)), ...where];
}
