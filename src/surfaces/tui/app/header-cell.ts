import type { Settings } from '../../../envelope/settings.ts';
import { version } from '../../../protocol/version.ts';
import type { Cell } from '../cells/cell.ts';
import { cleanLine } from '../text/clean.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { shownPath } from '../text/shown-path.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';

/** Which program this is, with which model, and where. */
export function headerCell({ model, provider, cwd }: Pick<Settings, 'model' | 'provider' | 'cwd'>): Cell {
  return {
    rows(look: Look) {
      const { dot } = glyphsOf(look);
      const sign = look.glyphs === 'words' ? '' : '>_ ';
      const via = provider === 'openai' ? '' : ` via ${provider}`;
      const rows: readonly Row[] = [
        [styled(sign, dimStyle), styled('Capstan', boldStyle), styled(` (v${version})`, dimStyle)],
        [
          plain(' '.repeat(sign.length)),
          styled(cleanLine(`${model}${via} ${dot} ${shownPath(cwd, { ...look, cwd: '' })}`), dimStyle),
        ],
      ];
      return rows.map((row) => drawRow(cutRow(row, look.width, look), look));
    },
  };
}
