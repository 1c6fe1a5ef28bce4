import { shownPreview } from '../../wording/piped-input.ts';
import type { ThreadSummary } from '../../../protocol/thread-summary.ts';
import { turnWords } from '../../wording/number-words.ts';
import { agoWords } from '../../wording/time-words.ts';
import { cleanLine } from '../text/clean.ts';
import { columnsOf } from '../../../base/columns.ts';
import { cutTo } from '../text/cut.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { shownPath } from '../text/shown-path.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled, warnStyle } from '../text/style.ts';

/** How a thread is listed. */
export interface ListedAs {
  readonly isChosen: boolean;
  /** The thread that is open. */
  readonly isOpen: boolean;
  /** One row instead of two. */
  readonly isDense: boolean;
}

/** A thread in two rows: what it is about and how old it is; then where, with what, and under which policy. */
export function threadRows(thread: ThreadSummary, as: ListedAs, look: Look): readonly Row[] {
  const { isChosen, isDense } = as;
  const age = agoWords(thread.updatedAt, look.now);
  const sign = styled(isChosen ? `${glyphsOf(look).prompt} ` : '  ', accentStyle);
  const room = Math.max(1, look.width - 4 - columnsOf(age));
  const title = cutTo(titleOf(thread), room, look);
  const blanks = ' '.repeat(Math.max(0, room - columnsOf(title)) + 2);
  const style = isChosen ? { ...accentStyle, ...boldStyle } : {};
  const first: Row = [sign, styled(title, style), plain(blanks), styled(age, dimStyle)];
  return isDense ? [first] : [first, aboutRow(thread, as, look)];
}

/** What the user calls it, or how it began. */
export function titleOf({ name, preview }: Pick<ThreadSummary, 'name' | 'preview'>): string {
  return cleanLine((name ?? shownPreview(preview)).slice(0, 1000)).trim() || '(no messages)';
}

function aboutRow(thread: ThreadSummary, { isOpen }: ListedAs, look: Look): Row {
  const { model, effort, sandbox, approval, mode, cwd, gitBranch, questions = 0, archived } = thread;
  const policy = [sandbox, approval].filter((word) => word !== undefined).join(', ');
  const parts = [
    model === undefined ? undefined : [model, effort].filter((word) => word !== undefined).join(' '),
    policy === '' ? undefined : policy,
    mode === 'plan' ? 'plan mode' : undefined,
    ...turnWords(thread),
    archived ? 'archived' : undefined,
    gitBranch,
    cwd === undefined ? undefined : shownPath(cwd, { ...look, cwd: '' }),
  ];
  const { dot } = glyphsOf(look);
  const said = parts.filter((part) => part !== undefined).map((part) => cleanLine(part));
  return [
    plain('    '),
    ...(isOpen ? [styled(`open now ${dot} `, warnStyle)] : []),
    ...(questions > 0 ? [styled(`waits for your answer ${dot} `, warnStyle)] : []),
    styled(said.join(` ${dot} `), dimStyle),
  ];
}
