import type { ThreadUsage } from '../../engine/live/live-thread.ts';
import type { Settings } from '../../../envelope/settings.ts';
import { usedTokens } from '../../../protocol/usage.ts';
import { moneyWords } from '../../wording/money-words.ts';
import { cleanLine } from '../text/clean.ts';
import { rowColumns } from '../text/cut.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { shownPath } from '../text/shown-path.ts';
import { badStyle, dimStyle, type Piece, type Row, styled, warnStyle } from '../text/style.ts';
import { compactNumber } from './compact-number.ts';
import { permissionWords, presetOf } from './permission-presets.ts';

/** What the line says. All figures are the engine's. */
export interface StatusFacts {
  readonly settings: Settings;
  readonly usage: ThreadUsage;
}

/** Below the composer: what is in force and what is left. Items that do not fit are left out, the last ones first. */
export function statusRow({ settings, usage }: StatusFacts, look: Look): Row {
  const { dot } = glyphsOf(look);
  const { model, effort, cwd, collaboration } = settings;
  const left = usage.percentRemaining;
  const leftStyle = left <= 10 ? badStyle : left <= 30 ? warnStyle : dimStyle;
  const used = usedTokens(usage.total);
  const { cost } = usage.total;
  const items: readonly (Piece | undefined)[] = [
    dim(cleanLine(`${model}${effort === undefined ? '' : ` ${effort}`}`)),
    // Always in sight: it stands before what is left out on a narrow screen.
    presetOf(settings)?.approval === 'never'
      ? styled(permissionWords(settings), warnStyle)
      : dim(permissionWords(settings)),
    styled(`Context ${Math.round(left)}% left`, leftStyle),
    collaboration?.mode === 'plan' ? styled('Plan mode', { colour: 'special' }) : undefined,
    used === 0 || cost === undefined ? undefined : dim(moneyWords(cost)),
    dim(shownPath(cwd, { ...look, cwd: '' })),
    used === 0 ? undefined : dim(`${compactNumber(used)} tokens`),
  ];
  const row: Piece[] = [styled('  ', dimStyle)];
  for (const item of items) {
    if (item === undefined) continue;
    const added = row.length === 1 ? [item] : [dim(` ${dot} `), item];
    if (rowColumns([...row, ...added]) > look.width) break;
    row.push(...added);
  }
  return row;
}

function dim(text: string): Piece {
  return styled(text, dimStyle);
}
