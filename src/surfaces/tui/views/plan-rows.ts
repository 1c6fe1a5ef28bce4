import { hintKeys } from '../keys/hint-keys.ts';
import type { PlanItem } from '../../../protocol/turn-item.ts';
import { cleanLine } from '../text/clean.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';

/** The plan that is being worked on, as it stands above the composer. */
export interface PinnedPlan {
  readonly steps: PlanItem['steps'];
  /** One row: how far it is, and the step that is worked on. */
  readonly isFolded: boolean;
}

/** Steps that are shown at most: those around the one that is worked on. */
const mostSteps = 6;

export function planRows({ steps, isFolded }: PinnedPlan, look: Look): readonly Row[] {
  const { good, pending, arrow, dot } = glyphsOf(look);
  const key = hintKeys(look, 'composer')('alt+t');
  const done = steps.filter(({ status }) => status === 'completed').length;
  const current = steps.findIndex(({ status }) => status !== 'completed');
  const count = `  Tasks ${done}/${steps.length}`;
  if (isFolded) {
    const now = steps[current];
    return [
      [
        styled(count, boldStyle),
        ...(now === undefined ? [] : [styled(` ${dot} `, dimStyle), plain(cleanLine(now.text))]),
        styled(` (${key} shows all)`, dimStyle),
      ],
    ];
  }
  const from = Math.max(0, Math.min(current - 1, steps.length - mostSteps));
  const shown = steps.slice(from, from + mostSteps).map(({ text, status }): Row => {
    const sign = status === 'completed' ? good : status === 'in-progress' ? arrow : pending;
    const style = status === 'in-progress' ? { ...accentStyle, ...boldStyle } : dimStyle;
    return [styled(`    ${sign} ${cleanLine(text)}`, style)];
  });
  const left = steps.length - shown.length;
  return [
    [styled(count, boldStyle), styled(` (${key} folds them${left === 0 ? '' : `, ${left} more`})`, dimStyle)],
    ...shown,
  ];
}
