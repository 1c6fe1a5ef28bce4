import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { fullText, type Outcome } from '../../protocol/outcome.ts';
import { addUsage, noUsage } from '../../protocol/usage.ts';
import type { NextRequest, Unproven } from '../engine/engine-types.ts';
import { checkpointFields } from '../wording/snake-cased.ts';
import { costWords } from '../wording/checkpoint-words.ts';
import type { ForeseenRequest } from '../engine/preview-thread.ts';
import { type ContextBudget, budgetsOf } from './budgets.ts';
import { type FamilyShare, groupParts, type NamedShare } from './group-parts.ts';
import { type Family, type NamedPart, partNamer } from './part-names.ts';
import { about, type Cell, count, percent, plural, ranges, table } from '../terminal/table.ts';
import type { ThreadStory } from './thread-story.ts';
import { type WindowContent, windowContent } from './window-content.ts';

/** What fills the window, for programs. */
export interface WindowView {
  readonly total: number;
  readonly measure: WindowContent['measure'];
  readonly counted?: WindowContent['counted'];
  readonly families: readonly FamilyShare[];
  /** Every part by itself, in the order of the request. */
  readonly parts: readonly NamedPart[];
  readonly budgets: readonly ContextBudget[];
  /** Those that stand. */
  readonly checkpoints: readonly WindowCheckpoint[];
  /** What the next turn begins with; absent when it cannot be foreseen. */
  readonly next?: { readonly model: string; readonly told: readonly string[]; readonly tokens: number };
  readonly unknown: readonly string[];
}

export interface WindowCheckpoint {
  readonly number: number;
  readonly turn: number;
  readonly at: string;
  /** Absent: another program made it. */
  readonly report?: JsonObject;
}

export function windowView(story: ThreadStory, next?: ForeseenRequest | Outcome): WindowView {
  const known = next === undefined || 'code' in next ? undefined : next;
  const { total, measure, counted, parts: content, unknown } = windowContent(story, known);
  const parts = content.flatMap(partNamer(story));
  const families = groupParts(parts);
  const { budgets, unknown: noBudgets } = budgetsOf(story, families, total, known?.envelope);
  return {
    total,
    measure,
    ...defined({ counted }),
    families,
    parts,
    budgets,
    checkpoints: story.checkpoints.map(({ number, turn, at, report }) => {
      return { number, turn, at, ...(report === undefined ? {} : { report: checkpointFields(report) }) };
    }),
    ...(known === undefined ? {} : { next: nextTurn(known, parts) }),
    unknown: [
      ...unknown,
      ...noBudgets,
      ...(next !== undefined && 'code' in next ? [notForeseen(next)] : []),
      ...(known === undefined ? [] : leftOut(known.unproven)),
    ],
  };
}

function nextTurn({ envelope }: NextRequest, parts: readonly NamedPart[]): NonNullable<WindowView['next']> {
  const told = parts.filter((part) => part.next === true);
  return {
    model: stringAt(objectAt(objectAt(envelope, 'identity') ?? {}, 'model') ?? {}, 'slug') ?? '',
    told: [...new Set(told.map(({ name }) => name))],
    tokens: told.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

function notForeseen(outcome: Outcome): string {
  return `What the next turn would tell the model is not known: ${fullText(outcome)}`;
}

/** Claims of the file are none of the user's words: they are counted beside the table. */
function leftOut({ messages, pins }: Unproven): readonly string[] {
  const count = messages.length + pins.length;
  if (count === 0) return [];
  const them = [
    ...(messages.length === 0 ? [] : [plural(messages.length, 'waiting message')]),
    ...(pins.length === 0 ? [] : [plural(pins.length, 'pinned note')]),
  ].join(' and ');
  return [`Not counted: ${them} that the file claims and no seal of this home proves. The next turn leaves them out.`];
}

const familyNames: Readonly<Record<Family, string>> = {
  instructions: 'instructions',
  tools: 'tools',
  user: 'user',
  model: 'model',
  tool: 'tool outputs',
  context: 'context',
  client: 'client',
  unknown: 'not in the file',
};

export function windowText(view: WindowView, reports: readonly CheckpointReport[], width: number): string {
  const { total, families, budgets, unknown } = view;
  const rows: (readonly Cell[])[] = [['', 'tokens', 'share', 'items', 'turns', 'measure', 'cached']];
  for (const { family, tokens, shares } of families) {
    rows.push([familyNames[family], tokens, percent(tokens, total)]);
    for (const share of shares) rows.push(shareRow(share, total));
  }
  rows.push(['total', total, '', '', '', view.measure]);
  const head: readonly Cell[] = ['budget', 'limit', 'used', '', '', ''];
  const limits = budgets.map(({ name, unit, limit, used, meaning }): readonly Cell[] => {
    return [name, limit, used, percent(used, limit), unit, meaning];
  });
  const budgetTable = limits.length === 0 ? '' : `\n${table([head, ...limits], { right: [3], width })}`;
  const notes = unknown.length === 0 ? '' : `\n${unknown.map((each) => `${each}\n`).join('')}`;
  return `${basis(view)}\n\n${table(rows, { right: [2], width })}${budgetTable}${checkpointsLine(view, reports)}${notes}`;
}

/** How many there are, and what those that we know of have cost. */
function checkpointsLine({ checkpoints }: WindowView, reports: readonly CheckpointReport[]): string {
  const newest = checkpoints.at(-1);
  if (newest === undefined) return '';
  const spent = reports.reduce(
    ({ requests, uncounted, usage }, report) => ({
      requests: requests + report.requests,
      uncounted: uncounted + (report.uncounted ?? 0),
      usage: addUsage(usage, report.usage),
    }),
    { requests: 0, uncounted: 0, usage: noUsage },
  );
  const cached = spent.usage.input === 0 ? {} : { cachedShare: spent.usage.cachedInput / spent.usage.input };
  const others = checkpoints.length - reports.length;
  const unknown = others === 0 ? '' : `; ${others} of them made by another program, at a cost that is not in the file`;
  const told = `${plural(checkpoints.length, 'checkpoint')}, the newest in turn ${newest.turn}`;
  const cost = spent.requests === 0 ? 'No model was asked for them' : `They cost ${costWords({ ...spent, ...cached })}`;
  const costs =
    reports.length === 0 ? 'What they cost is not in the file: another program made them' : `${cost}${unknown}`;
  return `\n${told}. ${costs}. See --checkpoint N.\n`;
}

function shareRow(share: NamedShare, total: number): readonly Cell[] {
  const { name, tokens, items, turns, next, measure, cached } = share;
  const when = [ranges(turns), ...(next === true ? ['next'] : [])].filter((text) => text !== '').join(', ');
  const inCache = cached === undefined ? '-' : cached === 0 ? 'no' : cached === tokens ? 'yes' : count(cached);
  return [`  ${name}`, tokens, percent(tokens, total), items, when || '-', measure, inCache];
}

function basis({ total, counted, next }: WindowView): string {
  const added = next?.tokens ?? 0;
  const more = added === 0 ? '' : `; ${about(added)} that the next turn tells the model`;
  if (counted === undefined) {
    return `About ${count(total)} tokens by Capstan's estimate: the provider has not counted this yet${more}.`;
  }
  const { request, usage, dropped = 0 } = counted;
  const since = total - (usage.total - dropped) - added;
  const gone = dropped === 0 ? '' : ` (${count(dropped)} of them reasoning that is not sent again)`;
  const told = `${count(usage.input)} sent and ${count(usage.output)} answered${gone}, as the provider counted request ${request}`;
  const measure = since === 0 && added === 0 ? '' : 'About ';
  return `${measure}${count(total)} tokens: ${told}${since === 0 ? '' : `; ${about(since)} since`}${more}.`;
}

/** Which thread and turn all this is about, in a line. */
export function threadLine(id: string, { turns, requests, checkpoints, state }: ThreadStory, next?: string): string {
  const had = modelOf(state.context);
  const model = next === undefined || next === had ? had : `${next} from the next turn on`;
  const parts = [`thread ${id}`, plural(turns.length, 'turn'), plural(requests.length, 'request')];
  if (checkpoints.length > 0) parts.push(plural(checkpoints.length, 'checkpoint'));
  return [...parts, ...(model === undefined ? [] : [`model ${model}`])].join(' · ');
}

function modelOf(context: JsonObject | undefined): string | undefined {
  return context === undefined ? undefined : stringAt(context, 'model');
}
