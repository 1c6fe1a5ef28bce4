import type { Cell } from '../cells/cell.ts';
import { cleanLine } from '../text/clean.ts';
import { drawRows } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import { badStyle, dimStyle, plain, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

/** A line of the terminal itself, which can be shown before the engine and its cells are loaded. */
export function quickNotice(text: string, level: 'info' | 'error'): Cell {
  return {
    rows(look) {
      const { bullet, error } = glyphsOf(look);
      const style = level === 'error' ? badStyle : dimStyle;
      const mark = level === 'error' ? error : bullet;
      const first = mark === '' ? [] : [styled(`${mark} `, style)];
      return drawRows(
        wrapRow([styled(cleanLine(text), style)], {
          width: look.width,
          first,
          rest: mark === '' ? [] : [plain('  ')],
        }),
        look,
      );
    },
  };
}
