import { stringAt } from '../../../protocol/json.ts';
import type { RequestCost } from '../../context/request-cost.ts';
import type { WindowItem } from '../../context/window-items.ts';
import type { WindowView } from '../../context/window-view.ts';
import { moneyWords } from '../../wording/money-words.ts';
import { count, percent } from '../../wording/number-words.ts';
import { cleanLine } from '../text/clean.ts';
import { callWords } from './call-words.ts';
import type { WindowRoom } from './window-map.ts';

/** `84 % left: about 41,200 of 258,400 tokens`. */
export function fillWords(
  { total, measure }: Pick<WindowView, 'total' | 'measure'>,
  { limit, left }: Pick<WindowRoom, 'limit' | 'left'>,
): string {
  const tokens = `${measure === 'exact' ? '' : 'about '}${count(total)}`;
  return limit === undefined ? `${tokens} tokens` : `${left} % left: ${tokens} of ${count(limit)} tokens`;
}

/** What the last request cost, and what the next one will. Empty: no provider has counted one. */
export function costLines({ last, next }: RequestCost): readonly string[] {
  if (last === undefined) return [];
  const { input, cachedInput, output, cost, estimated } = last;
  const paid = cost === undefined ? '' : `, ${moneyWords(cost, estimated)}`;
  const sent = `Last request: ${count(input)} tokens sent, ${percent(cachedInput, input)} of them from the cache, ${count(output)} answered${paid}.`;
  if (next === undefined) return [sent];
  const { cached, uncached } = next;
  return [
    sent,
    `Next request, without its answer: ${moneyWords(cached.cost)} while the cache holds, ${moneyWords(uncached.cost)} if it is lost.`,
  ];
}

/** A long text begins with what people know it by. */
const longestLabel = 400;

/** An item in a line: the command, the file, or how the text begins. */
export function itemLabel(window: WindowItem): string {
  const { part, item, call } = window;
  if (call !== undefined) return cleanLine(callWords(call).slice(0, longestLabel));
  if (item === undefined || part.family === 'context' || part.family === 'tool') return cleanLine(part.name);
  if (part.family === 'model' && stringAt(item, 'call_id') !== undefined) {
    return cleanLine(callWords(item).slice(0, longestLabel));
  }
  if (item.type === 'reasoning') return 'reasoning';
  return cleanLine(window.text().trimStart().slice(0, longestLabel)) || cleanLine(part.name);
}

/** Where an item comes from, in lines above its text. */
export function originLines(window: WindowItem, total: number): readonly string[] {
  const { part, item, call } = window;
  const { tokens, measure, cached, turn, next } = part;
  const weight = `${count(tokens)} tokens (${measure}), ${percent(tokens, total)} of all`;
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
  return cached === tokens ? 'from the cache' : `${count(cached)} of them from the cache`;
}

function kindWords({ part: { family, name, section } }: WindowItem): string {
  if (family === 'instructions') return 'what every request begins with';
  if (family === 'tools') return `the description of the tool ${name}`;
  if (family === 'context') return `context ${name}${section === undefined ? ', sent once' : `, section ${section}`}`;
  if (family === 'tool') return `output of ${name}`;
  return `${family}: ${name}`;
}
