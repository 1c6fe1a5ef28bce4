import { addUsage, type Usage } from '../../../protocol/usage.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import { moneyWords } from '../../wording/money-words.ts';
import { usedCount, usedWithEstimate } from '../../wording/used-words.ts';
import { drawRow, drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

interface AtTheEnd {
  /** What the conversation has cost beside its thread. */
  readonly beside: Usage;
  /** What is said of agents that are stopped. Empty: none worked. */
  readonly stopped: string;
  /** Messages that were not sent. */
  readonly waiting: number;
}

/**
 * What stays on the screen at the end: what the conversation has cost, if a model answered, which agents were stopped, and
 * how to resume it. A thread without a turn has nothing of it.
 */
export function endSummary(thread: LiveThread, { beside, stopped, waiting }: AtTheEnd, look: Look): readonly string[] {
  const total = addUsage(thread.usage().total, beside);
  if (thread.place === undefined) return [];
  const money = total.cost === undefined ? '' : `, ${moneyWords(total.cost, total.estimated)}`;
  const besides = usedWithEstimate(beside) === 0 ? '' : ', with what was taken back or asked beside it';
  const spent = `${usedCount(total)} tokens used${money}${besides}.`;
  const command = `capstan resume ${thread.id}`;
  const [before, row]: readonly [string, Row] = ['To continue:', [styled(command, accentStyle)]];
  const isOneRow = before.length + 1 + command.length <= look.width;
  const said = [
    ...(usedWithEstimate(total) === 0 ? [] : [spent]),
    ...(stopped === '' ? [] : [stopped]),
    ...keptWords(waiting),
  ].flatMap((line) => wrapRow([plain(line)], { width: look.width }));
  if (isOneRow) return drawRows([[], ...said, [plain(`${before} `), ...row]], look);
  // Whole, however narrow the terminal is: it breaks the row itself, and copies it as one.
  return [...drawRows([[], ...said, [plain(before)]], look), drawRow(row, { ...look, width: command.length })];
}

function keptWords(waiting: number): readonly string[] {
  if (waiting === 0) return [];
  return [`${waiting === 1 ? 'A queued message is' : `${waiting} queued messages are`} kept for when you continue.`];
}
