import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import { addUsage, noUsage } from '../../protocol/usage.ts';
import { checkpointFields } from '../checkpoint-fields.ts';
import { costWords } from '../checkpoint-words.ts';
import { type Budget, budgetsOf } from './budgets.ts';
import { type FamilyShare, groupParts, type NamedShare } from './group-parts.ts';
import { type Family, type NamedPart, partNamer } from './part-names.ts';
import { type Cell, count, percent, plural, ranges, table } from './table.ts';
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
  readonly budgets: readonly Budget[];
  /** Those that stand. */
  readonly checkpoints: readonly WindowCheckpoint[];
  readonly unknown: readonly string[];
}

export interface WindowCheckpoint {
  readonly number: number;
  readonly turn: number;
  readonly at: string;
  /** Absent: another program made it. */
  readonly report?: JsonObject;
}

export function windowView(story: ThreadStory): WindowView {
  const { total, measure, counted, parts: content, unknown } = windowContent(story);
  const parts = content.flatMap(partNamer(story));
  const families = groupParts(parts);
  const { budgets, unknown: noBudgets } = budgetsOf(story, families, total);
  return {
    total,
    measure,
    ...(counted === undefined ? {} : { counted }),
    families,
    parts,
    budgets,
    checkpoints: story.checkpoints.map(({ number, turn, at, report }) => {
      return { number, turn, at, ...(report === undefined ? {} : { report: checkpointFields(report) }) };
    }),
    unknown: [...unknown, ...noBudgets],
  };
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

export function windowText(view: WindowView, reports: readonly CheckpointReport[]): string {
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
  const budgetTable = limits.length === 0 ? '' : `\n${table([head, ...limits], [3])}`;
  const notes = unknown.length === 0 ? '' : `\n${unknown.map((each) => `${each}\n`).join('')}`;
  return `${basis(view)}\n\n${table(rows, [2])}${budgetTable}${checkpointsLine(view, reports)}${notes}`;
}

/** How many there are, and what those that we know of have cost. */
function checkpointsLine({ checkpoints }: WindowView, reports: readonly CheckpointReport[]): string {
  const newest = checkpoints.at(-1);
  if (newest === undefined) return '';
  const spent = reports.reduce(
    ({ requests, usage }, report) => ({ requests: requests + report.requests, usage: addUsage(usage, report.usage) }),
    { requests: 0, usage: noUsage },
  );
  const cached = spent.usage.input === 0 ? {} : { cachedShare: spent.usage.cachedInput / spent.usage.input };
  const others = checkpoints.length - reports.length;
  const unknown = others === 0 ? '' : `; ${others} of them made by another program, at a cost that is not in the file`;
  const told = `${plural(checkpoints.length, 'checkpoint')}, the newest in turn ${newest.turn}`;
  return `\n${told}. They cost ${costWords({ ...spent, ...cached })}${unknown}. See --checkpoint N.\n`;
}

function shareRow({ name, tokens, items, turns, measure, cached }: NamedShare, total: number): readonly Cell[] {
  const inCache = cached === undefined ? '-' : cached === 0 ? 'no' : cached === tokens ? 'yes' : count(cached);
  return [`  ${name}`, tokens, percent(tokens, total), items, ranges(turns) || '-', measure, inCache];
}

function basis({ total, counted }: WindowView): string {
  if (counted === undefined) return `About ${count(total)} tokens by our estimate: no count of the provider fits.`;
  const { request, usage } = counted;
  const since = total - usage.total;
  const told = `${count(usage.input)} sent and ${count(usage.output)} answered, as the provider counted request ${request}`;
  return since === 0
    ? `${count(total)} tokens: ${told}.`
    : `About ${count(total)} tokens: ${told}; about ${count(since)} since.`;
}

/** Which thread and turn all this is about, in a line. */
export function threadLine(id: string, { turns, requests, checkpoints, state }: ThreadStory): string {
  const model = modelOf(state.context);
  const parts = [`thread ${id}`, plural(turns.length, 'turn'), plural(requests.length, 'request')];
  if (checkpoints.length > 0) parts.push(plural(checkpoints.length, 'checkpoint'));
  return [...parts, ...(model === undefined ? [] : [`model ${model}`])].join(' · ');
}

function modelOf(context: JsonObject | undefined): string | undefined {
  return context === undefined ? undefined : stringAt(context, 'model');
}
