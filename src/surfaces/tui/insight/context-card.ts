import { compactNumber } from '../views/compact-number.ts';
import { count } from '../../wording/number-words.ts';
import type { Cell } from '../cells/cell.ts';
import { cellOfRows } from '../cells/frame.ts';
import { cutTo } from '../text/cut.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { ReadWindow } from './read-window.ts';
import { groupMark, mapRows } from './window-map.ts';
import { costLines, fillWords, itemLabel } from './window-words.ts';

const margin = 2;
const widestBar = 100;
const mostLargest = 3;
const longestName = 40;

/** What stays of `/context` in the transcript: a bar, and what it is made of. */
export function contextCard({ view, groups, room, cost }: ReadWindow): Cell {
  const largest = groups
    .filter(({ kind }) => kind !== 'system' && kind !== 'tools')
    .flatMap(({ items }) => items.slice(0, mostLargest))
    .toSorted((a, b) => b.part.tokens - a.part.tokens)
    .slice(0, mostLargest);
  return cellOfRows((look) => {
    const { dot } = glyphsOf(look);
    const inner = { ...look, width: Math.min(widestBar, Math.max(1, look.width - margin)) };
    const compacts = room.compactsAt === undefined ? '' : `, compacts at ${count(room.compactsAt)}`;
    const parts = groups.map((group): Row => [
      groupMark(group, look),
      plain(` ${group.name} ${compactNumber(group.tokens)}`),
    ]);
    const free: Row = [styled(`free ${compactNumber(room.free)}`, dimStyle)];
    const heavy = largest.map(
      (item) => `${cutTo(itemLabel(item), longestName, look)} ${compactNumber(item.part.tokens)}`,
    );
    return [
      ...wrapRow([styled('Context  ', boldStyle), plain(`${fillWords(view, room)}${compacts}`)], { width: look.width }),
      ...mapRows(groups, room, 1, inner).map((row): Row => [plain(' '.repeat(margin)), ...row]),
      ...packed([...parts, ...(room.limit === undefined ? [] : [free])], dot, look),
      ...(heavy.length === 0 ? [] : underRow(`Largest: ${heavy.join(` ${dot} `)}`, look)),
      ...costLines(cost).flatMap((line) => underRow(line, look)),
    ];
  });
}

function underRow(text: string, look: Look): readonly Row[] {
  const first = [plain(' '.repeat(margin))];
  return wrapRow([styled(text, dimStyle)], { width: look.width, first });
}

/** As many as fit in a row, with a sign between them. */
function packed(parts: readonly Row[], dot: string, look: Look): readonly Row[] {
  const rows: Row[] = [];
  let used = Infinity;
  for (const part of parts) {
    const wide = part.reduce((sum, { text }) => sum + text.length, 0);
    if (used + 3 + wide > look.width) {
      rows.push([plain(' '.repeat(margin)), ...part]);
      used = margin + wide;
    } else {
      rows.push([...rows.pop()!, styled(` ${dot} `, dimStyle), ...part]);
      used += 3 + wide;
    }
  }
  return rows;
}
