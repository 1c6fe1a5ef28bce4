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

interface HeaderFacts extends Partial<Pick<Settings, 'model' | 'provider' | 'cwd'>> {
  /** What it may do without a question, where no status line says it. */
  readonly policy?: string;
}

/** Which program this is, with which model, and where. */
export function headerCell({ model = '', provider, cwd, policy }: HeaderFacts): Cell {
  return {
    rows(look: Look) {
      const { dot } = glyphsOf(look);
      const sign = look.glyphs === 'words' ? '' : '>_ ';
      const via = provider === undefined || provider === 'openai' ? '' : ` via ${provider}`;
      const facts = [`${model}${via}`, cwd === undefined ? '' : shownPath(cwd, { ...look, cwd: '' }), policy ?? ''];
      const about = facts.filter((fact) => fact.trim() !== '').join(` ${dot} `);
      const rows: readonly Row[] = [
        [styled(sign, dimStyle), styled('Capstan', boldStyle), styled(` (v${version})`, dimStyle)],
        [plain(' '.repeat(sign.length)), styled(cleanLine(about), dimStyle)],
      ];
      return rows.map((row) => drawRow(cutRow(row, look.width, look), look));
    },
  };
}
