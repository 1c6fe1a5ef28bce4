import type { PlanItem, PlanStep } from '../../../protocol/turn-item.ts';
import { cleanLine } from '../text/clean.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled, type Style } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, headRows, stateMark } from './frame.ts';

const styles: Readonly<Record<PlanStep['status'], Style>> = {
  completed: { weight: 'dim', strike: true },
  'in-progress': { weight: 'bold', colour: 'accent' },
  pending: dimStyle,
};

/** The steps of the work, in their order. */
export function planCell({ steps }: PlanItem): Cell {
  return cellOfRows((look) => {
    const done = steps.filter(({ status }) => status === 'completed').length;
    const count = ` ${glyphsOf(look).dot} ${done}/${steps.length} complete`;
    const head = headRows(look, stateMark('plain', look), [styled('Updated Plan', boldStyle), styled(count, dimStyle)]);
    return [...head, ...steps.flatMap((step) => stepRows(step, look))];
  });
}

function stepRows({ text, status }: PlanStep, look: Look): readonly Row[] {
  const { good, pending, arrow } = glyphsOf(look);
  const now = look.glyphs === 'words' ? 'Now:' : arrow;
  const sign = status === 'completed' ? good : status === 'in-progress' ? now : pending;
  const mark: Style = status === 'completed' ? dimStyle : styles[status];
  const first: Row = [plain('  '), styled(`${sign} `, mark)];
  return wrapRow([styled(cleanLine(text), styles[status])], {
    width: look.width,
    first,
    rest: [plain(' '.repeat(3 + sign.length))],
  });
}
