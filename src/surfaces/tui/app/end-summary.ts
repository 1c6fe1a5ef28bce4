import { usedTokens } from '../../../protocol/usage.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import { moneyWords } from '../../wording/money-words.ts';
import { count } from '../../wording/number-words.ts';
import { drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, plain, type Row, styled } from '../text/style.ts';

/** What stays on the screen at the end: what the thread has cost, and how to resume it. A thread without a turn has neither. */
export function endSummary(thread: LiveThread, look: Look): readonly string[] {
  const { total } = thread.usage();
  if (thread.place === undefined || total.total === 0) return [];
  const { cost } = total;
  const spent = `${count(usedTokens(total))} tokens used${cost === undefined ? '' : `, ${moneyWords(cost)}`}.`;
  const rows: readonly Row[] = [
    [],
    [plain(spent)],
    [plain('To continue: '), styled(`capstan resume ${thread.id}`, accentStyle)],
  ];
  return drawRows(rows, look);
}
