import { countColumns } from '../../../base/text-columns.ts';
import type { PlanItem } from '../../../protocol/turn-item.ts';
import type { SlashPopup } from '../commands/slash-popup.ts';
import type { Composer } from '../draft/composer.ts';
import { hintKeyMapper, keyHint } from './keys/key-map.ts';
import { cleanLine } from './text/clean-text.ts';
import { cutLine, drawCutRow, drawnColumns, drawRow } from './text/draw-row.ts';
import { elapsedWords } from './text/format-values.ts';
import { glyphsOf, type Look } from './text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from './text/style.ts';
import { wrapIn } from './text/wrap-row.ts';
import { fitFrame, type Frame, frameBelow, type View } from './view.ts';

interface Bottom {
  readonly composer: Composer;
  readonly popup: SlashPopup;
  readonly view: View | undefined;
  readonly plan: PinnedPlan | undefined;
  readonly waiting: WaitingWords;
  readonly placeholder: string;
  readonly pendingKey: string | undefined;
  readonly footer: (look: Look) => readonly string[];
  readonly under: ((look: Look, room: number) => readonly string[]) | undefined;
}

/**
 * The composer with its surroundings, or a view instead of it. The last frame requested from a view must be the one
 * that is drawn: by that frame a question decides if the user could read all of it, and if a yes counts.
 */
export function bottomFrame(bottom: Bottom, state: BottomRowsState, look: Look, height: number): Frame {
  const { composer, popup, view, plan, waiting, placeholder, under } = bottom;
  const isRead = look.glyphs === 'words';
  const room = Math.max(1, height - 1);
  if (view !== undefined) {
    // Leave out the plan and waiting messages, which would take space from the view.
    const running = isRead ? [] : bottomRows({ ...state, plan: undefined, waiting: noneWaiting }, look);
    const beside = view.frame(look, Math.max(1, room - running.length));
    // If the view must leave something out, drop the row about running work.
    const isTight = beside.rows.length >= room - running.length;
    const framed = isTight ? frameBelow([''], view.frame(look, room)) : frameBelow([...running, ''], beside);
    return fitFrame(framed, height);
  }
  const above = isRead ? [] : bottomRows({ ...state, plan, waiting }, look);
  const written = composer.frame(look, Math.max(1, Math.floor(height / 2)), placeholder);
  const usual = (): readonly string[] => (isRead ? [] : keyFooter(bottom, look));
  const below = (most: number): readonly string[] => {
    const listed = under?.(look, most) ?? (composer.isRecalled ? [] : popup.rows(composer.draft, look, most));
    return listed.length > 0 || under !== undefined ? listed : usual();
  };
  const whole = frameBelow([...above, ''], { ...written, rows: [...written.rows, '', ...below(Infinity)] });
  if (whole.rows.length <= height) return whole;
  // On a very low screen the composer comes first. A list has the keyboard and gets the remaining rows.
  const bare = fitFrame(written, room);
  const left = height - bare.rows.length;
  return { ...bare, rows: [...bare.rows, ...(left < 1 ? [] : below(left).slice(0, left))] };
}

export type PinnedPlan = { readonly steps: PlanItem['steps']; readonly isFolded: boolean };

const mostSteps = 6;

export function planRows({ steps, isFolded }: PinnedPlan, look: Look): readonly Row[] {
  const { good, pending, arrow, dot } = glyphsOf(look);
  const key = hintKeyMapper(look, 'composer')('alt+t');
  const at = steps.findIndex(({ status }) => status !== 'completed');
  const count = `  Tasks ${steps.filter(({ status }) => status === 'completed').length}/${steps.length}`;
  if (isFolded) {
    const now = steps[at];
    const current = now === undefined ? [] : [styled(` ${dot} `, dimStyle), plain(cleanLine(now.text))];
    return [[styled(count, boldStyle), ...current, styled(` (${key} shows all)`, dimStyle)]];
  }
  const from = Math.max(0, Math.min(at - 1, steps.length - mostSteps));
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

export interface WaitingWords {
  readonly steers: readonly string[];
  /** Refused by the running work; sent when it ends. */
  readonly refused: readonly string[];
  /** Messages that each wait for a turn of their own. */
  readonly queued: readonly string[];
}

export const noneWaiting: WaitingWords = { steers: [], refused: [], queued: [] };

export interface FailedTurn {
  /** Earliest time of a retry in milliseconds, if the provider gives it. */
  readonly opensAt?: number;
  /** Waiting messages would fail too. */
  readonly holdsQueue?: boolean;
}

/** Running work, for the row above the composer. */
export interface BusyState {
  readonly header: string;
  readonly since: number;
  readonly detail?: string;
  readonly until?: number;
  /** It is a command of the user, which may never end by itself. */
  readonly isCommand?: true;
}

export interface BottomRowsState {
  readonly busy: BusyState | undefined;
  readonly failed: FailedTurn | undefined;
  readonly background: { readonly commands: number; readonly agents: number };
}

type AboveComposer = BottomRowsState & Pick<Bottom, 'plan' | 'waiting'>;

export function bottomRows({ busy, failed, plan, background, waiting }: AboveComposer, look: Look): readonly string[] {
  const { bullet, dot } = glyphsOf(look);
  const rows: Row[] = [];
  const { commands, agents } = background;
  const runs = agents === 1 ? '1 agent runs' : `${agents} agents run`;
  const inBackground = commands === 0 ? '' : ` ${dot} ${commands} in background, /ps`;
  const running = `${inBackground}${agents === 0 ? '' : ` ${dot} ${runs}, /agents`}`;
  if (busy !== undefined) {
    const ends = keyHint(look, 'chat.interrupt_turn', (key) => ` ${dot} ${key} to interrupt`);
    const about = styled(` (${elapsedWords(look.now - busy.since)}${ends})${running}`, dimStyle);
    rows.push([], [plain(`${bullet} `), styled(busy.header, boldStyle), about]);
    if (busy.detail !== undefined) {
      const left = busy.until === undefined ? 0 : busy.until - look.now;
      const again = left < 1000 ? '' : ` ${dot} again in ${elapsedWords(left)}`;
      rows.push(...detailRows(busy.detail, again, look));
    }
  } else if (failed !== undefined) rows.push([], ...failedRows(failed, look));
  else if (running !== '') rows.push([], [styled(` ${running}`, dimStyle)]);
  if (plan !== undefined) rows.push([], ...planRows(plan, look));
  const listed = (title: string, words: readonly string[]): void => {
    if (words.length === 0) return;
    rows.push([], [styled(`${bullet} ${title}`, dimStyle)]);
    for (const each of words) rows.push(...messageRows(each, look));
  };
  const sends = keyHint(look, 'chat.interrupt_turn', (key) => ` (${key} interrupts and sends them now)`);
  listed(`For the next request${sends}`, waiting.steers);
  listed('For when this has ended', waiting.refused);
  listed(queueTitle(busy?.isCommand === true, look), waiting.queued);
  return rows.map((row) => drawCutRow(row, look));
}

function queueTitle(isBehindCommand: boolean, look: Look): string {
  const edits = keyHint(look, 'chat.edit_queued_message', (key) => `${key} edits the last, `);
  if (!isBehindCommand) return `Queued (${edits}/queue shows all)`;
  const ends = keyHint(look, 'chat.interrupt_turn', (key) => `, which ${key} ends`);
  return `Queued behind your command${ends} (/queue shows all)`;
}

function detailRows(detail: string, again: string, look: Look): readonly Row[] {
  const { corner } = glyphsOf(look);
  const rows = (text: string): readonly Row[] =>
    wrapIn(look, [styled(`${text}${again}`, dimStyle)], [styled(`  ${corner} `, dimStyle)], [plain('    ')]);
  const text = cleanLine(detail);
  const whole = rows(text);
  if (whole.length <= mostDetailRows) return whole;
  return rows(cutLine(text, Math.max(0, look.width - 4 - countColumns(again)), look));
}

const mostDetailRows = 3;
const mostMessageRows = 3;

function messageRows(words: string, look: Look): readonly Row[] {
  const { input, ellipsis } = glyphsOf(look);
  const first = [styled(`  ${input} `, dimStyle)];
  const rows = wrapIn(look, [styled(cleanLine(words), dimStyle)], first, [styled('    ', dimStyle)]);
  if (rows.length <= mostMessageRows) return rows;
  return [...rows.slice(0, mostMessageRows), [styled(`    ${ellipsis}`, dimStyle)]];
}

function failedRows({ opensAt, holdsQueue = false }: FailedTurn, look: Look): readonly Row[] {
  const left = opensAt === undefined ? 0 : opensAt - look.now;
  const { dot } = glyphsOf(look);
  const when = left < 1000 ? '' : ` ${dot} may work in ${elapsedWords(left)}`;
  const queue = holdsQueue ? ` ${dot} the queue waits` : '';
  const hint = `r tries again, ${hintKeyMapper(look, 'composer')('up')} brings the message back${when}${queue}`;
  return wrapIn(look, [styled(hint, dimStyle)], [plain('  ')]);
}

const modeNames = { normal: 'Normal', insert: 'Insert', replace: 'Replace' } as const;

/** The row below the composer: the first key of a chord, a search, or the Vim mode at the right. */
function keyFooter({ footer, pendingKey, composer: { vim } }: Bottom, look: Look): readonly string[] {
  if (pendingKey !== undefined) {
    const row = [plain(`  ${pendingKey} `), styled('waits for the next key, esc cancels', dimStyle)];
    return [drawCutRow(row, look)];
  }
  if (vim === undefined) return footer(look);
  if (vim.search !== undefined) return [drawCutRow([plain(`  ${cleanLine(vim.search)}`)], look)];
  const words = `Vim: ${modeNames[vim.mode]}`;
  const room = look.width - words.length - 3;
  // A narrow screen has no room for both in one row.
  if (room < 20) return [drawCutRow([styled(`  ${words}`, dimStyle)], look), ...footer(look)];
  const [first = '', ...rest] = footer({ ...look, width: room });
  const blanks = ' '.repeat(Math.max(2, look.width - 1 - words.length - drawnColumns(first)));
  return [`${first}${drawRow([plain(blanks), styled(words, dimStyle)], look)}`, ...rest];
}
