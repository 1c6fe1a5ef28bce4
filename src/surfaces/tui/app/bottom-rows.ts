import { hintKeys } from '../keys/hint-keys.ts';
import { type PinnedPlan, planRows } from '../views/plan-rows.ts';
import { keyHint } from '../keys/key-map.ts';
import { cleanLine } from '../text/clean.ts';
import { columnsOf } from '../../../base/columns.ts';
import { cutRow, cutTo } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { elapsedWords } from '../text/elapsed.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { wrapRow } from '../text/wrap-row.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';

/** What the user has sent and the model has not read. */
export interface WaitingWords {
  /** For the turn that runs. */
  readonly steers: readonly string[];
  /** For the end of what runs, which takes no words. */
  readonly refused: readonly string[];
  /** Each for a turn of its own. */
  readonly queued: readonly string[];
}

export const noneWaiting: WaitingWords = { steers: [], refused: [], queued: [] };

/** The last turn failed, and can be tried again. */
export interface FailedTurn {
  /** When that may work, in milliseconds, where the provider says so. */
  readonly opensAt?: number;
  /** Messages wait that would fail, too. */
  readonly holdsQueue?: boolean;
}

/** What is going on, for the row above the composer. */
export interface Busy {
  readonly header: string;
  readonly since: number;
  readonly detail?: string;
  /** When it goes on by itself. */
  readonly until?: number;
  /** It is a command of the user, which may never end by itself. */
  readonly isCommand?: true;
}

export interface StageState {
  readonly busy: Busy | undefined;
  readonly failed: FailedTurn | undefined;
  /** So many of each run in the background. */
  readonly background: { readonly commands: number; readonly agents: number };
}

interface AboveComposer extends StageState {
  readonly plan: PinnedPlan | undefined;
  readonly waiting: WaitingWords;
}

/** What runs, and what waits, above the composer. */
export function bottomRows({ busy, failed, plan, background, waiting }: AboveComposer, look: Look): readonly string[] {
  const { bullet, dot } = glyphsOf(look);
  const rows: Row[] = [];
  const { commands, agents } = background;
  const running = [
    ...(commands === 0 ? [] : [` ${dot} ${commands} in background, /ps`]),
    ...(agents === 0 ? [] : [` ${dot} ${agents === 1 ? '1 agent runs' : `${agents} agents run`}, /agents`]),
  ].join('');
  if (busy !== undefined) {
    const time = elapsedWords(look.now - busy.since);
    rows.push(
      [],
      [
        plain(`${bullet} `),
        styled(busy.header, boldStyle),
        styled(
          ` (${time}${keyHint(look, 'chat.interrupt_turn', (key) => ` ${dot} ${key} to interrupt`)})${running}`,
          dimStyle,
        ),
      ],
    );
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
  return rows.map((row) => drawRow(cutRow(row, look.width, look), look));
}

function queueTitle(isBehindCommand: boolean, look: Look): string {
  const edits = keyHint(look, 'chat.edit_queued_message', (key) => `${key} edits the last, `);
  if (!isBehindCommand) return `Queued (${edits}/queue shows all)`;
  const ends = keyHint(look, 'chat.interrupt_turn', (key) => `, which ${key} ends`);
  return `Queued behind your command${ends} (/queue shows all)`;
}

/** Why something takes its time, and when it goes on, which is never cut. */
function detailRows(detail: string, again: string, look: Look): readonly Row[] {
  const { corner } = glyphsOf(look);
  const rows = (text: string): readonly Row[] =>
    wrapRow([styled(`${text}${again}`, dimStyle)], {
      width: look.width,
      first: [styled(`  ${corner} `, dimStyle)],
      rest: [plain('    ')],
    });
  const text = cleanLine(detail);
  const whole = rows(text);
  return whole.length <= mostDetailRows
    ? whole
    : rows(cutTo(text, Math.max(0, look.width - 4 - columnsOf(again)), look));
}

const mostDetailRows = 3;
/** Rows of one message that waits. */
const mostMessageRows = 3;

function messageRows(words: string, look: Look): readonly Row[] {
  const { input, ellipsis } = glyphsOf(look);
  const rows = wrapRow([styled(cleanLine(words), dimStyle)], {
    width: look.width,
    first: [styled(`  ${input} `, dimStyle)],
    rest: [styled('    ', dimStyle)],
  });
  if (rows.length <= mostMessageRows) return rows;
  return [...rows.slice(0, mostMessageRows), [styled(`    ${ellipsis}`, dimStyle)]];
}

function failedRows({ opensAt, holdsQueue = false }: FailedTurn, look: Look): readonly Row[] {
  const left = opensAt === undefined ? 0 : opensAt - look.now;
  const { dot } = glyphsOf(look);
  const when = left < 1000 ? '' : ` ${dot} may work in ${elapsedWords(left)}`;
  const queue = holdsQueue ? ` ${dot} the queue waits` : '';
  const up = hintKeys(look, 'composer')('up');
  const hint = `r tries again, ${up} brings the message back${when}${queue}`;
  return wrapRow([styled(hint, dimStyle)], { width: look.width, first: [plain('  ')] });
}
