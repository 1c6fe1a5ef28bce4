import type { Settings } from '../../../../core/envelope/settings.ts';
import { failureWords } from '../../../../engine/models/failure-words.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { ThreadEvent } from '../../../../protocol/thread-event.ts';
import { type Usage, usageSince } from '../../../../protocol/usage.ts';
import { version } from '../../../../protocol/version.ts';
import { moneyWords } from '../../../views/wording/cost-words.ts';
import { cleanLine, cleanLines, trimmedLines } from '../../screen/text/clean-text.ts';
import { cutRow, drawCutRow } from '../../screen/text/draw-row.ts';
import { elapsedWords, shownPath } from '../../screen/text/format-values.ts';
import { glyphsOf, type Look, replaceGlyphs } from '../../screen/text/look.ts';
import { badStyle, boldStyle, dimStyle, plain, styled, warnStyle } from '../../screen/text/style.ts';
import type { RowPiece, Row } from '../../screen/text/style.ts';
import { type Cell, cellFromRows, cellWithHead, headRows, stateMark } from './cell.ts';

export type NoticeKind = 'info' | 'warning' | 'error';
type NoticeText = Pick<Outcome, 'message'> & Partial<Pick<Outcome, 'next'>>;

export function noticeCell(kind: NoticeKind, { message, next = '' }: NoticeText): Cell {
  return cellFromRows((look) => {
    const style = { info: undefined, warning: warnStyle, error: badStyle }[kind];
    const said = trimmedLines(replaceGlyphs(message, look)).map((text): Row => [{ text, style }]);
    const advice = trimmedLines(replaceGlyphs(next, look)).map((text): Row => [styled(text, dimStyle)]);
    return [...said, ...advice].flatMap((line, at) =>
      headRows(look, at === 0 ? noticeMark(kind, look) : { text: ' ' }, line),
    );
  });
}

function noticeMark(kind: NoticeKind, look: Look): RowPiece {
  const { warning, error } = glyphsOf(look);
  if (kind === 'info') return stateMark('quiet', look);
  return kind === 'warning' ? styled(warning, warnStyle) : styled(error, badStyle);
}

export interface QuietLine {
  readonly line: string;
  /** Shown when the line is opened. */
  readonly details?: string;
  /** Absent: `info`. */
  readonly kind?: 'info' | 'warning';
}

export function quietCell({ line, details = '', kind = 'info' }: QuietLine): Cell {
  return cellWithHead((look) => {
    const text = styled(replaceGlyphs(cleanLine(line), look), kind === 'info' ? dimStyle : warnStyle);
    const opened = look.details === 'folded' ? [] : cleanLines(replaceGlyphs(details, look));
    const lines = opened.filter((each) => each.trim() !== '').map((each) => [styled(each, dimStyle)]);
    return { mark: noticeMark(kind, look), head: [text], lines };
  });
}

interface HeaderFacts extends Partial<Pick<Settings, 'model' | 'provider' | 'cwd'>> {
  /** Permissions, if no status line shows them. */
  readonly policy?: string;
}

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
      return rows.map((row) => drawCutRow(row, look));
    },
  };
}

export interface EndedTurn {
  readonly durationMs: number;
  /** Time of its end in milliseconds. */
  readonly endedAt: number;
  readonly words?: readonly string[];
}

/** `Worked for 12s · 14:05`, with further facts. */
export function turnEndCell({ durationMs, endedAt, words = [] }: EndedTurn): Cell {
  return cellFromRows((look) => {
    const parts = [`Worked for ${elapsedWords(durationMs)}`, timeOfDay(endedAt), ...words];
    return [cutRow([styled(`  ${parts.join(` ${glyphsOf(look).dot} `)}`, dimStyle)], look.width, look)];
  });
}

export function timeOfDay(milliseconds: number): string {
  const at = new Date(milliseconds);
  return [at.getHours(), at.getMinutes()].map((value) => String(value).padStart(2, '0')).join(':');
}

/** The failure of a turn, the provider's words, and what to do. If another model continues the turn, it is no error. */
export function failedTurnCell(
  { outcome, continuedBy }: Extract<ThreadEvent, { kind: 'turn-failed' }>,
  at: number | undefined,
): Cell {
  const { what, said, next, opensAt } = failureWords(outcome, at ?? 0);
  const left = at === undefined || opensAt === undefined ? 0 : opensAt - at;
  const opens =
    opensAt === undefined || left < 1000 ? [] : [`It may work at ${timeOfDay(opensAt)}, in ${elapsedWords(left)}.`];
  if (continuedBy !== undefined)
    return quietCell({ line: `${continuedBy} continues: ${what}`, details: [said ?? '', next].join('\n').trim() });
  return noticeCell('error', {
    message: what,
    next: [...(said === undefined ? [] : [`The provider says: ${said}`]), [...opens, next].join(' ')].join('\n'),
  });
}

export function turnCostWords(before: Usage | undefined, now: Usage | undefined): readonly string[] {
  if (before === undefined || now?.cost === undefined) return [];
  const { cost, estimated } = usageSince(before, now);
  return cost === undefined ? [] : [moneyWords(cost, estimated)];
}
