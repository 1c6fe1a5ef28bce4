import { addUsage, type Usage } from '../../../protocol/usage.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import { moneyWords } from '../../wording/money-words.ts';
import { usedCount, usedWithEstimate } from '../../wording/used-words.ts';
import { drawRow, drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

/**
 * What stays on the screen at the end: what the conversation has cost, `beside` its thread as well, if a model
 * answered, and how to resume it. A thread without a turn has neither.
 */
export function endSummary(thread: LiveThread, beside: Usage, look: Look): readonly string[] {
  const total = addUsage(thread.usage().total, beside);
  if (thread.place === undefined) return [];
  const money = total.cost === undefined ? '' : `, ${moneyWords(total.cost, total.estimated)}`;
  const besides = usedWithEstimate(beside) === 0 ? '' : ', with what was taken back or asked beside it';
  const spent = `${usedCount(total)} tokens used${money}${besides}.`;
  const command = `capstan resume ${thread.id}`;
  const [before, row]: readonly [string, Row] = ['To continue:', [styled(command, accentStyle)]];
  const isOneRow = before.length + 1 + command.length <= look.width;
  const said = usedWithEstimate(total) === 0 ? [] : wrapRow([plain(spent)], { width: look.width });
  if (isOneRow) return drawRows([[], ...said, [plain(`${before} `), ...row]], look);
  // Whole, however narrow the terminal is: it breaks the row itself, and copies it as one.
  return [...drawRows([[], ...said, [plain(before)]], look), drawRow(row, { ...look, width: command.length })];
}
