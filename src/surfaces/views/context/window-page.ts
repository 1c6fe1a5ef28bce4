import { countColumns } from '../../../base/text-columns.ts';
import { approximateCount, formatCount, formatPercent, plural, formatRanges } from '../../../engine/wording.ts';
import { stringAt } from '../../../protocol/json.ts';
import type { RateLimit } from '../../../protocol/rate-limits.ts';
import type { CheckpointReport } from '../../../protocol/thread-event.ts';
import { addUsage, noUsage } from '../../../protocol/usage.ts';
import { type PageForm, stackedBar, type TableCell, tableSpans, wrapSentences } from '../terminal/tables.ts';
import { bold, dim, type Span, type TextLook } from '../terminal/styled-text.ts';
import { checkpointCostWords } from '../wording/checkpoint-words.ts';
import { costUnknown, moneyWords } from '../wording/cost-words.ts';
import type { StoryRequest, ThreadStory } from './thread-story.ts';
import { type OriginFamily, originFamilyName, type FamilyShare, type NamedShare } from './window-parts.ts';
import type { ContextWindowView } from './window-view.ts';

export function contextWindowPage(view: ContextWindowView, story: ThreadStory, form: PageForm): readonly Span[] {
  const { total, families, budgets, notes = [], unknown } = view;
  const { width } = form;
  const rows = [
    ['', 'tokens', 'share', 'items', 'turns', 'measure', 'cached'].map(dim),
    ...families.flatMap(({ family, tokens, shares }) => [
      [bold(originFamilyName(family)), tokens, formatPercent(tokens, total)],
      ...shares.map((share) => shareRow(share, total)),
    ]),
    ['total', total, '', '', '', view.measure],
  ];
  const limits = budgets.map(({ name, unit, limit, used, meaning }) => {
    return [name, limit, used, formatPercent(used, limit), unit, meaning];
  });
  const limitRows = [['budget', 'limit', 'used', '', '', ''].map(dim), ...limits];
  const limit = budgets.find(({ name }) => name === 'effective')?.limit;
  const made = checkpointsLine(story);
  return [
    wrapSentences(tokenBasisText(view), form),
    '\n',
    ...windowBar(families, total, limit ?? 0, form),
    '\n',
    ...tableSpans(rows, { right: [2], width }),
    ...(limits.length === 0 ? [] : ['\n', ...tableSpans(limitRows, { right: [3], width })]),
    made === '' ? '' : `\n${wrapSentences(made, form)}`,
    ...costSpans(story, form),
    ...[notes, unknown].flatMap((lines) => (lines.length === 0 ? [] : ['\n', wrapSentences(lines.join('\n'), form)])),
  ];
}

/** The cost of all requests. Empty for a thread without requests. */
function costSpans({ state: { usage, rateLimits } }: ThreadStory, form: PageForm): readonly Span[] {
  const { cost, total, estimated = 0 } = usage.total;
  if (total + estimated === 0) return [];
  const unknown = `${costUnknown}: set model_prices to have it counted`;
  const spent = `All requests of the thread: ${cost === undefined ? unknown : moneyWords(cost, estimated)}.`;
  const limits = (rateLimits?.limits ?? []).map(limitWords).join(', ');
  const said = limits === '' ? '' : `\nLimits of the provider, as it said last: ${limits}.`;
  return ['\n', wrapSentences(`${spent}${said}`, form)];
}

function limitWords({ name, usedPercent, windowMinutes, resetsAt }: RateLimit): string {
  const window = windowMinutes === undefined ? '' : ` of ${plural(windowMinutes, 'minute')}`;
  const reset = resetsAt === undefined ? '' : ` until ${new Date(resetsAt * 1000).toISOString().slice(0, 16)}Z`;
  return `${name}${window} ${Math.round(usedPercent)} % used${reset}`;
}

function checkpointsLine({ checkpoints }: ThreadStory): string {
  const newest = checkpoints.at(-1);
  if (newest === undefined) return '';
  const reports = checkpoints.flatMap(({ report }) => report ?? []);
  const told = `${plural(checkpoints.length, 'checkpoint')}, the newest in turn ${newest.turn}`;
  const others = checkpoints.length - reports.length;
  const unknown = others === 0 ? '' : `; ${others} of them made by another program, at a cost that is not in the file`;
  const costs =
    reports.length === 0 ? 'What they cost is not in the file: another program made them' : costOf(reports) + unknown;
  return `${told}. ${costs}. See --checkpoint N.`;
}

function costOf(reports: readonly CheckpointReport[]): string {
  const requests = reports.reduce((sum, report) => sum + report.requests, 0);
  const uncounted = reports.reduce((sum, report) => sum + (report.uncounted ?? 0), 0);
  const usage = reports.reduce((sum, report) => addUsage(sum, report.usage), noUsage);
  const cachedShare = usage.input === 0 ? undefined : usage.cachedInput / usage.input;
  if (requests === 0) return 'No model was asked for them';
  return `They cost ${checkpointCostWords({ requests, uncounted, usage, cachedShare })}`;
}

function shareRow(share: NamedShare, total: number): readonly TableCell[] {
  const { name, tokens, items, turns, next, measure, cached } = share;
  const when = [formatRanges(turns), ...(next === true ? ['next'] : [])].filter((text) => text !== '').join(', ');
  const inCache = cached === undefined ? '-' : cached === 0 ? 'no' : cached === tokens ? 'yes' : formatCount(cached);
  return [`  ${name}`, tokens, formatPercent(tokens, total), items, when || '-', measure, inCache];
}

export function tokenBasisText({ total, counted, next }: ContextWindowView): string {
  const added = next?.tokens ?? 0;
  const more = added === 0 ? '' : `; ${approximateCount(added)} that the next turn will send`;
  if (counted === undefined)
    return `About ${formatCount(total)} tokens by Capstan's estimate: the provider has not counted this yet${more}.`;
  const { request, usage, dropped = 0, tools = 0 } = counted;
  const since = total - (usage.total - dropped) - added - tools;
  const gone = dropped === 0 ? '' : ` (${formatCount(dropped)} of them reasoning that is not sent again)`;
  const told = `${formatCount(usage.input)} sent and ${formatCount(usage.output)} answered${gone}, as the provider counted request ${request}`;
  const others =
    tools === 0 ? '' : `; ${approximateCount(Math.abs(tools))} ${tools > 0 ? 'more' : 'less'} for other tools`;
  const measure = since === 0 && added === 0 && tools === 0 ? '' : 'About ';
  return `${measure}${formatCount(total)} tokens: ${told}${since === 0 ? '' : `; ${approximateCount(since)} since`}${others}${more}.`;
}

export function threadSummaryLine(id: string, story: ThreadStory, next?: string): string {
  const { turns, requests, checkpoints, state } = story;
  const had = state.context && stringAt(state.context, 'model');
  const model = next === undefined || next === had ? had : `${next} from the next turn on`;
  const retries = requests.filter((request, at) => isRetry(request, requests[at - 1])).length;
  const again = retries === 0 ? '' : ` (${retries === 1 ? '1 retry' : `${formatCount(retries)} retries`})`;
  const parts = [`thread ${id}`, plural(turns.length, 'turn'), `${plural(requests.length, 'request')}${again}`];
  if (checkpoints.length > 0) parts.push(plural(checkpoints.length, 'checkpoint'));
  return [...parts, ...(model === undefined ? [] : [`model ${model}`])].join(' · ');
}

function isRetry({ turn, record }: StoryRequest, before: StoryRequest | undefined): boolean {
  const earlier = before?.record;
  if (record === undefined || earlier === undefined || turn !== before?.turn) return false;
  return record.auxiliary === undefined && earlier.auxiliary === undefined && record.step === earlier.step;
}

const marks: Readonly<Record<OriginFamily, { readonly letter: string; readonly look: TextLook }>> = {
  instructions: { letter: 'i', look: 'magenta' },
  tools: { letter: 't', look: 'blue' },
  user: { letter: 'u', look: 'green' },
  model: { letter: 'm', look: 'cyan' },
  tool: { letter: 'o', look: 'yellow' },
  context: { letter: 'c', look: 'red' },
  client: { letter: 'p', look: 'bold' },
  unknown: { letter: '?', look: 'dim' },
};

/** The window as one bar, with a legend below. `limit`: the size of the window, if it is known. */
function windowBar(families: readonly FamilyShare[], total: number, limit: number, form: PageForm): readonly Span[] {
  const { width, color } = form;
  const whole = Math.max(total, limit);
  if (whole === 0) return [];
  const parts = families.map(({ family, tokens }) => ({ amount: tokens, ...marks[family] }));
  const entries = families.map(({ family, tokens }): readonly [Span, string] => {
    const { letter, look } = marks[family];
    return [{ look, text: color ? '█' : letter }, ` ${originFamilyName(family)} ${formatCount(tokens)}`];
  });
  const free: readonly [Span, string] = [dim(color ? '░' : '.'), ` free ${formatCount(whole - total)}`];
  const legend = whole > total ? [...entries, free] : entries;
  return [...stackedBar(parts, { whole, width, color }), '\n', ...packed(legend, width), '\n'];
}

function packed(entries: readonly (readonly [Span, string])[], width: number): readonly Span[] {
  let left = 0;
  return entries.flatMap(([mark, text], at) => {
    const needed = 1 + countColumns(text);
    const [isFirst, fits] = [at === 0, needed + 3 <= left];
    left = isFirst || !fits ? width - needed : left - needed - 3;
    return [...(isFirst ? [] : [fits ? '   ' : '\n']), mark, text];
  });
}
