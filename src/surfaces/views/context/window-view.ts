import { type ModelPrice, usageWithCost } from '../../../core/envelope/prices.ts';
import type { ContextWindow } from '../../../core/envelope/window.ts';
import { byteLength, bytesPerToken } from '../../../core/fragments/text/truncate.ts';
import type { HistoryEntry } from '../../../core/history/entry.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { partBytes } from '../../../core/history/token-counts.ts';
import { usageFields } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import { instructionsOf, type ThreadState } from '../../../core/state/thread-state.ts';
import type { NextRequest } from '../../../engine/thread/context/preview-request.ts';
import type { ForeseenRequest } from '../../../engine/preview-thread.ts';
import { plural } from '../../../engine/wording.ts';
import type { ToolSpec } from '../../../ports/model.ts';
import { isMessage, type Item } from '../../../protocol/item.ts';
import { type JsonObject, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import { outcomeText, type Outcome } from '../../../protocol/outcome.ts';
import { noUsage, type Usage } from '../../../protocol/usage.ts';
import { checkpointHead } from './checkpoint-page.ts';
import type { ThreadStory } from './thread-story.ts';
import { itemText, newestTools, sumTokens, toolName, contextWindowContent } from './window-content.ts';
import type { ContextWindowContent, ContextWindowPart } from './window-content.ts';
import { type FamilyShare, groupParts, type NamedPart, partNamer } from './window-parts.ts';

export type ContextWindowView = ReturnType<typeof contextWindowView>;
/** The window's content, for programs. `next` is absent if the next turn cannot be foreseen. */
export const contextWindowView = (story: ThreadStory, next: ForeseenRequest | Outcome) =>
  describeContextWindow(story, next).view;

/** The view, with the content of each part in the order of `parts`, and the cost of a request. */
export function describeContextWindow(story: ThreadStory, next: ForeseenRequest | Outcome) {
  const known = 'code' in next ? undefined : next;
  const content = contextWindowContent(story, known);
  const items = windowItems(story, content.parts, known);
  return { view: viewOf(story, next, content, items), items, cost: requestCost(content, known?.envelope) };
}

function viewOf(
  story: ThreadStory,
  next: ForeseenRequest | Outcome,
  { total, measure, counted, unknown }: ContextWindowContent,
  items: readonly ContextWindowItem[],
) {
  const known = 'code' in next ? undefined : next;
  const parts = items.map(({ part }) => part);
  const families = groupParts(parts);
  const { budgets, unknown: noBudgets } = budgetsOf(story, families, total, known?.envelope);
  return {
    total,
    measure,
    counted,
    families,
    parts,
    budgets,
    checkpoints: story.checkpoints.map(checkpointHead),
    next: known && nextTurn(known, parts),
    notes: known?.skillsCut && [outcomeText(known.skillsCut)],
    unknown: [...unknown, ...noBudgets, ...unknownOfNext(next)],
  };
}

function nextTurn({ envelope }: NextRequest, parts: readonly NamedPart[]) {
  const told = parts.filter((part) => part.next === true);
  return {
    model: stringAt(objectAt(objectAt(envelope, 'identity') ?? {}, 'model') ?? {}, 'slug') ?? '',
    told: [...new Set(told.map(({ name }) => name))],
    tokens: sumTokens(told),
  };
}

/** Notes how many messages and pins the table leaves out, because Capstan cannot prove to have written them. */
function unknownOfNext(next: ForeseenRequest | Outcome): readonly string[] {
  if ('code' in next) return [`Capstan cannot foresee what the next turn would send: ${outcomeText(next)}`];
  const { messages, pins } = next.unproven;
  const claims = [
    ...(messages.length === 0 ? [] : [plural(messages.length, 'waiting message')]),
    ...(pins.length === 0 ? [] : [plural(pins.length, 'pinned note')]),
  ].join(' and ');
  const why = 'that Capstan cannot prove to have written in this home. The next turn leaves them out.';
  return claims === '' ? [] : [`Not counted: ${claims} ${why}`];
}

/** The view, with counts under the names that rollouts and events use. */
export function contextWindowFields(view: ContextWindowView) {
  const { counted } = view;
  return { ...view, counted: counted && { ...counted, usage: usageFields(counted.usage) } };
}

/** `meaning`: what uses a budget. The window is the next turn's, else the newest's; some threads give only its size. */
function budgetsOf(
  { state, window: size }: ThreadStory,
  groups: readonly FamilyShare[],
  total: number,
  envelope: JsonObject | undefined = state.envelope,
) {
  type Unit = 'tokens' | 'bytes';
  const budget = (name: string, limit: number, used: number, meaning: string, unit: Unit = 'tokens') => {
    return { name, unit, limit, used, meaning };
  };
  const stored = envelope && objectAt(envelope, 'window');
  if (stored === undefined) {
    const unknown = ['The budgets of the newest turn are not in the file: another program ran it.'];
    return { budgets: size === undefined ? [] : [budget('effective', size, total, 'everything')], unknown };
  }
  const window = stored as unknown as ContextWindow;
  const inReserve = Math.max(0, total - (window.effective - window.compactionReserve));
  const skills = groups.flatMap(({ shares }) => shares).filter(({ section }) => section === 'skills');
  const first = groups.filter(({ family }) => ['instructions', 'tools', 'context'].includes(family));
  const { mode, limit } = window.toolOutput;
  // Capstan cuts outputs by bytes: a limit in tokens would not be comparable with the tokens of the parts.
  const mostBytes = mode === 'bytes' ? limit : limit * bytesPerToken;
  const budgets = [
    budget('effective', window.effective, total, 'everything'),
    budget('auto-compact', window.autoCompact, total, 'everything'),
    budget('reserve', window.compactionReserve, inReserve, 'what reaches into it'),
    budget('skills', window.skills, sumTokens(skills), 'the catalogue of skills'),
    budget('memory', window.memory, 0, 'no request of the thread: it is for writing notes'),
    budget('baseline', window.baseline, sumTokens(first), 'instructions, tools, context'),
    budget('tool output', mostBytes, largestOutput(state), 'the largest one', 'bytes'),
  ];
  return { budgets, unknown: [] };
}

function largestOutput({ history }: ThreadState): number {
  const outputs = historyEntries(history).filter(({ origin }) => origin.family === 'tool');
  return Math.max(0, ...outputs.map(({ item }) => outputBytes(item)));
}

function outputBytes(item: Item): number {
  const output = item['output'];
  if (typeof output === 'string') return byteLength(output);
  return objectsAt(item, 'output').reduce((sum, part) => sum + partBytes(part), 0);
}

export interface RequestCost {
  /** The newest request that the provider counted. */
  readonly last?: Usage;
  /** The next request without its answer: with the provider's last input still cached, and with nothing cached. */
  readonly next?: { readonly cached: Usage; readonly uncached: Usage };
}

type CountedContent = Pick<ContextWindowContent, 'total' | 'counted'>;

/** `envelope`: of the next turn. If the last request had no price, none is predicted: a plan may pay for it. */
export function requestCost({ total, counted }: CountedContent, envelope: JsonObject | undefined): RequestCost {
  if (counted === undefined) return {};
  const { usage: last } = counted;
  const price = objectAt(objectAt(envelope ?? {}, 'identity') ?? {}, 'price') as unknown as ModelPrice | undefined;
  if (last.cost === undefined || price === undefined) return { last };
  const uncached = { ...noUsage, input: total, total };
  const cached = { ...uncached, cachedInput: Math.min(total, last.input) };
  return { last, next: { cached: usageWithCost(cached, price), uncached: usageWithCost(uncached, price) } };
}

export interface ContextWindowItem {
  readonly part: NamedPart;
  /** The item of history. Absent: instructions, a tool, or content that is not in the file. */
  readonly item?: Item;
  readonly call?: Item;
  /** The readable text that the model gets. Made on request: most are never looked at. */
  text(): string;
}

function windowItems(
  story: ThreadStory,
  content: readonly ContextWindowPart[],
  next?: NextRequest,
): readonly ContextWindowItem[] {
  const nameParts = partNamer(story);
  const calls = callsById(story);
  const tools = next?.tools ?? newestTools(story).tools ?? [];
  return content.flatMap((each) =>
    nameParts(each).map((part, at): ContextWindowItem => {
      const { what } = each;
      if (what.kind !== 'entry') return { part, text: () => textBeside(what, story, tools, next) };
      const { item } = what.entry;
      const call = what.entry.origin.family === 'tool' ? calls.get(stringAt(item, 'call_id') ?? '') : undefined;
      return { part, item, call, text: () => entryText(what.entry, at) };
    }),
  );
}

const callsById = ({ state }: ThreadStory): ReadonlyMap<string, Item> =>
  new Map(
    historyEntries(state.history).flatMap(({ item, origin }) => {
      const id = stringAt(item, 'call_id');
      return id === undefined || origin.family !== 'model' ? [] : [[id, item] as const];
    }),
  );

function entryText({ item, origin }: HistoryEntry, at: number): string {
  const text = origin.family === 'context' && isMessage(item) ? item.content[at]?.['text'] : undefined;
  return typeof text === 'string' ? text : itemText(item);
}

function textBeside(
  what: Exclude<ContextWindowPart['what'], { kind: 'entry' }>,
  { state }: ThreadStory,
  tools: readonly ToolSpec[],
  next: NextRequest | undefined,
): string {
  switch (what.kind) {
    case 'instructions':
      return next?.instructions ?? instructionsOf(state)?.text ?? '';
    case 'tool': {
      const tool = tools.find((each) => toolName(each) === what.name);
      return tool === undefined ? '' : JSON.stringify(tool, undefined, 2);
    }
    case 'missing':
      return 'The provider counted it, and the file of the thread does not hold it.';
  }
}
