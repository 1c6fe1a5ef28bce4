import { percentRemaining } from '../../../../core/history/window-usage.ts';
import { formatCount, formatPercent } from '../../../../engine/wording.ts';
import { stringAt } from '../../../../protocol/json.ts';
import { readLongThreadStory } from '../../../views/context/thread-story.ts';
import { describeContextWindow } from '../../../views/context/window-view.ts';
import type { RequestCost, ContextWindowItem, ContextWindowView } from '../../../views/context/window-view.ts';
import { shareColumns } from '../../../views/terminal/tables.ts';
import { moneyWords } from '../../../views/wording/cost-words.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import type { Look } from '../../screen/text/look.ts';
import { dimStyle, type RowPiece, type Row, type Style, styled } from '../../screen/text/style.ts';
import type { TuiSession } from '../../session/session.ts';
import { callWords, groupItems, contextGroupLooks, type ContextWindowGroup } from './context-window-groups.ts';
import { type BrowsedThread, yieldRegularly } from './inspected-thread.ts';

/** Contents of a thread's window for the views. All figures match `capstan context`. */
export interface ContextWindowContents {
  readonly view: ContextWindowView;
  readonly groups: readonly ContextWindowGroup[];
  readonly room: WindowRoom;
  readonly cost: RequestCost;
}

export async function readContextFill({ parts, thread }: TuiSession): Promise<string> {
  const { engine, threads, now } = parts;
  const stored = thread.place === undefined ? undefined : await engine.stored.summary(thread.id);
  if (stored !== undefined && 'code' in stored) {
    // An unsaved conversation has no file.
    const { tokens, measure, effectiveWindow, percentRemaining } = thread.usage();
    return contextFillText({ total: tokens, measure }, { limit: effectiveWindow, left: percentRemaining });
  }
  const lines = stored === undefined ? [] : (await engine.stored.read(thread.id)).lines;
  const story = await readLongThreadStory(lines, yieldRegularly(now));
  const { view } = describeContextWindow(story, await threads.preview(thread.id, story.state));
  return contextFillText(view, contextWindowRoom(view));
}

export async function readContextWindow(
  { parts, thread }: TuiSession,
  { story, rest }: Pick<BrowsedThread, 'story' | 'rest'>,
): Promise<ContextWindowContents> {
  const { view, items, cost } = describeContextWindow(story, await parts.threads.preview(thread.id, story.state));
  return { view, groups: await groupItems(items, rest), room: contextWindowRoom(view), cost };
}

interface WindowRoom {
  /** Window size and compaction threshold. Undefined: the file does not record it. */
  readonly limit?: number;
  readonly compactsAt?: number;
  /** Percent left, counted as in the status line. */
  readonly left?: number;
  /** Tokens that can be used before Capstan compacts. */
  readonly free: number;
  /** Tokens beyond that. */
  readonly reserve: number;
}

export function contextWindowRoom({ total, budgets }: Pick<ContextWindowView, 'total' | 'budgets'>): WindowRoom {
  const limitOf = (wanted: string): number | undefined => budgets.find(({ name }) => name === wanted)?.limit;
  const limit = limitOf('effective');
  if (limit === undefined) return { free: 0, reserve: 0 };
  const compactsAt = Math.min(limit, limitOf('auto-compact') ?? limit);
  const free = Math.max(0, compactsAt - total);
  const left = percentRemaining({ effective: limit, baseline: limitOf('baseline') ?? 0, tokens: total });
  return { limit, compactsAt, left, free, reserve: Math.max(0, limit - total - free) };
}

export function contextMapRows(groups: readonly ContextWindowGroup[], room: WindowRoom, rows: number, look: Look) {
  // The rows below give the same in words.
  if (look.glyphs === 'words') return [];
  const cells = look.width * rows;
  const parts = [...groups.map(({ tokens }) => tokens), room.free, room.reserve];
  const whole = parts.reduce((sum, tokens) => sum + tokens, 0);
  if (whole === 0) return [];
  const marks = [...groups.map((group) => contextGroupMark(group, look)), freeSpaceMark(look), reservedSpaceMark(look)];
  const columns = shareColumns(parts, whole, cells);
  const pieces = marks.map(({ text, style = {} }, at) => styled(text.repeat(columns[at] ?? 0), style));
  // With more groups than columns, the last groups get no cell.
  return inRows(pieces, look.width).slice(0, rows);
}

export function contextGroupMark({ kind }: Pick<ContextWindowGroup, 'kind'>, look: Look): RowPiece {
  const { letter, style } = contextGroupLooks[kind];
  return markOf({ letter, sign: '█', style }, look);
}

export const freeSpaceMark = (look: Look): RowPiece => markOf({ letter: '.', sign: '·', style: dimStyle }, look);
export const reservedSpaceMark = (look: Look): RowPiece => markOf({ letter: '-', sign: '▒', style: dimStyle }, look);

/** The legend mark of a map sign. A screen reader gets no map, and no marks. */
function markOf({ letter, sign, style }: { letter: string; sign: string; style: Style }, look: Look): RowPiece {
  // Without colours all blocks look the same, so letters identify them.
  const hasBlocks = look.colours !== 'none' && look.glyphs === 'unicode';
  return styled(look.glyphs === 'words' ? '' : hasBlocks ? sign : letter, style);
}

function inRows(pieces: readonly RowPiece[], width: number): readonly Row[] {
  const rows: RowPiece[][] = [[]];
  let left = width;
  for (const { text, style = {} } of pieces) {
    for (let at = 0; at < text.length;) {
      if (left === 0) {
        rows.push([]);
        left = width;
      }
      const part = text.slice(at, at + left);
      rows.at(-1)!.push(styled(part, style));
      at += part.length;
      left -= part.length;
    }
  }
  return rows;
}

/** `84 % left: about 41,200 of 258,400 tokens`. */
export function contextFillText(
  { total, measure }: Pick<ContextWindowView, 'total' | 'measure'>,
  { limit, left }: Pick<WindowRoom, 'limit' | 'left'>,
): string {
  const tokens = `${measure === 'exact' ? '' : 'about '}${formatCount(total)}`;
  return limit === undefined ? `${tokens} tokens` : `${left} % left: ${tokens} of ${formatCount(limit)} tokens`;
}

/** Describes the costs of the last and the next request. Empty if no provider has counted one. */
export function costLines({ last, next }: RequestCost): readonly string[] {
  if (last === undefined) return [];
  const { input, cachedInput, output, cost, estimated } = last;
  const paid = cost === undefined ? '' : `, ${moneyWords(cost, estimated)}`;
  const sent = `Last request: ${formatCount(input)} tokens sent, ${formatPercent(cachedInput, input)} of them from the cache, ${formatCount(output)} answered${paid}.`;
  if (next === undefined) return [sent];
  const [held, lost] = [moneyWords(next.cached.cost), moneyWords(next.uncached.cost)];
  return [sent, `Next request, without its answer: ${held} while the cache holds, ${lost} if it is lost.`];
}

/** Enough of a long text for people to recognize it. */
const longestLabel = 400;

export function itemLabel(window: ContextWindowItem): string {
  const { part, item, call } = window;
  if (call !== undefined) return cleanLine(callWords(call).slice(0, longestLabel));
  if (item === undefined || part.family === 'context' || part.family === 'tool') return cleanLine(part.name);
  if (part.family === 'model' && stringAt(item, 'call_id') !== undefined)
    return cleanLine(callWords(item).slice(0, longestLabel));
  if (item.type === 'reasoning') return 'reasoning';
  return cleanLine(window.text().trimStart().slice(0, longestLabel)) || cleanLine(part.name);
}

export function contextItemDetails(window: ContextWindowItem, total: number): readonly string[] {
  const { part, item, call } = window;
  const { tokens, measure, cached, turn, next } = part;
  const weight = `${formatCount(tokens)} tokens (${measure}), ${formatPercent(tokens, total)} of all`;
  const inCache = cached === undefined ? '' : `, ${cachedWords(cached, tokens)}`;
  const when = next === true ? 'The next turn will send it' : turn === undefined ? undefined : `Turn ${turn}`;
  const id = item === undefined ? undefined : (stringAt(item, 'id') ?? stringAt(item, 'call_id'));
  return [
    [when, kindWords(window), id].filter((word) => word !== undefined).join(' · '),
    ...(call === undefined ? [] : [`Answer to: ${callWords(call)}`]),
    `${weight}${inCache}`,
  ];
}

function cachedWords(cached: number, tokens: number): string {
  if (cached === 0) return 'not from the cache';
  return cached === tokens ? 'from the cache' : `${formatCount(cached)} of them from the cache`;
}

function kindWords({ part: { family, name, section } }: ContextWindowItem): string {
  if (family === 'instructions') return 'what every request begins with';
  if (family === 'tools') return `the description of the tool ${name}`;
  if (family === 'context') return `context ${name}${section === undefined ? ', sent once' : `, section ${section}`}`;
  if (family === 'tool') return `output of ${name}`;
  return `${family}: ${name}`;
}
