import { type HistoryEntry, isTurnBoundary, isModelMade, type EntryOrigin } from '../../../core/history/entry.ts';
import { historyEntries, type History, mergeFragments } from '../../../core/history/history.ts';
import { unsupportedMedia, withoutUnsupportedMedia } from '../../../core/history/media-parts.ts';
import { itemForProvider, placeholderAnswer, pairedItem } from '../../../core/history/sent-items.ts';
import { instructionsTokens, itemTokens, toolTokens } from '../../../core/history/token-counts.ts';
import { apportionTokens, droppedReasoning, requestShares, weighHistory } from '../../../core/history/window-usage.ts';
import type { CountAccuracy } from '../../../core/history/window-usage.ts';
import { currentProvider } from '../../../core/state/current-provider.ts';
import { waitingItem, type WaitingMessage } from '../../../core/state/fold/waiting-messages.ts';
import { hasTools, promptFor, toolsMissingProblem } from '../../../core/state/plan-request.ts';
import { instructionsOf, type ThreadState } from '../../../core/state/thread-state.ts';
import type { NextRequest } from '../../../engine/thread/context/preview-request.ts';
import { formatCount } from '../../../engine/wording.ts';
import type { ToolSpec } from '../../../ports/model.ts';
import { isMessage, type Item } from '../../../protocol/item.ts';
import { stringAt } from '../../../protocol/json.ts';
import { isSameModel, type ProviderName } from '../../../protocol/provider-name.ts';
import type { Usage } from '../../../protocol/usage.ts';
import { isConversationRequest, type StoryRequest, type ThreadStory } from './thread-story.ts';

export interface ContextWindowContent {
  readonly total: number;
  readonly measure: CountAccuracy;
  /** They sum to the total. */
  readonly parts: readonly ContextWindowPart[];
  readonly counted?: Counted;
  readonly unknown: readonly string[];
}

/** The request whose count by the provider is the basis of the numbers. */
interface Counted {
  readonly request: number;
  readonly usage: Usage;
  /** Reasoning tokens of the answer that the next request does not carry; absent when there are none. */
  readonly dropped?: number;
  /** The change of the count if the next request offers other tools; absent if it offers the same. */
  readonly tools?: number;
}

export interface ContextWindowPart {
  readonly what:
    | { readonly kind: 'instructions' }
    | { readonly kind: 'tool'; readonly name: string }
    | { readonly kind: 'entry'; readonly entry: HistoryEntry }
    /** The provider counted this part, but the file does not hold it. */
    | { readonly kind: 'missing'; readonly name: string };
  readonly tokens: number;
  readonly measure: CountAccuracy;
  /** Tokens found in the provider's cache; undefined if it reported none, or has not seen the part yet. */
  readonly cached?: number | undefined;
  /** Not in history yet: the next turn would add it. */
  readonly next?: boolean;
}

/** The provider of the next request; undefined if the file does not say. */
type Reader = ProviderName | undefined;
const toolsUnknown = 'The tools of this thread are not in its file: another program offered them.';

/** `next`: the beginning of the next turn; without it, only the file is known. */
export function contextWindowContent(story: ThreadStory, next?: NextRequest): ContextWindowContent {
  const { state } = story;
  const reader = currentProvider(next === undefined ? state : { ...state, envelope: next.envelope });
  const counted = countedRequest(story, reader);
  const content =
    counted === undefined
      ? estimatedContent(story, reader, next)
      : withTools(countedContent(story, reader, counted), counted.request, next?.tools ?? newestTools(story).tools);
  const told = next === undefined ? [] : partsOfNext(next);
  const parts = [...content.parts, ...told];
  return { ...content, total: sumTokens(parts), parts, measure: told.length === 0 ? content.measure : 'estimated' };
}

/** Texts about the environment, and accepted messages that did not enter history. */
function partsOfNext({ update: { form, told }, waiting }: NextRequest): readonly ContextWindowPart[] {
  const fragments = told.map(({ fragment }) => fragment);
  const messages = mergeFragments(fragments, form === 'bundle' ? 'reinjection' : 'change');
  return [
    ...messages.map(({ item, origin }) => ({ item: item(''), origin })),
    ...waiting.map((message) => ({ item: waitingItem(message), origin: waitingOrigin(message) })),
  ].map((entry) => ({ ...estimated(entry), next: true }));
}

const ofOthers = { agent: 'subagent-notification', files: 'files-put-back', beside: 'files-changed-beside' };
const waitingContexts: Readonly<Record<string, string>> = ofOthers;

function waitingOrigin(message: WaitingMessage): EntryOrigin {
  const isContinued = message.kind === 'words' && message.input.continues !== undefined;
  const context = isContinued ? 'turn-continued' : waitingContexts[message.kind];
  if (context !== undefined) return { family: 'context', kinds: [context], cause: 'event' };
  return { family: message.kind === 'words' ? 'user' : 'client' };
}

/** The newest counted request, if the next one continues it, so that its count is still valid. */
function countedRequest({ state, requests }: ThreadStory, reader: Reader) {
  const request = requests.findLast((each) => isConversationRequest(each) && each.usage !== undefined);
  if (request?.usage === undefined) return undefined;
  const fits =
    request.state.history.storage === state.history.storage &&
    instructionsOf(request.state)?.text === instructionsOf(state)?.text &&
    !hidesCounted(state, request, reader);
  return fits ? { request, usage: request.usage } : undefined;
}

/** True if another provider counted the request, and the count includes items that the reader does not get. */
function hidesCounted({ history }: ThreadState, { record, state }: StoryRequest, reader: Reader): boolean {
  const by = record?.provider ?? currentProvider(state);
  if (by === undefined || reader === undefined || isSameModel(by, reader)) return false;
  return weighHistory(history, { reader }).hidden > 0;
}

function countedContent(
  story: ThreadStory,
  reader: Reader,
  { request, usage }: { readonly request: StoryRequest; readonly usage: Usage },
): Omit<ContextWindowContent, 'total'> & { readonly counted: Counted } {
  const { answer, covered } = answerTo(story, request);
  const later = new Set(historyEntries(story.state.history).slice(covered.length));
  const uncounted = new Set(earlierReasoning(sentTo(reader, story.state)).filter((entry) => !later.has(entry)));
  const { parts: sent, unknown } =
    request.record !== undefined && hasTools(request.state, request.record)
      ? { parts: recordedParts(request, usage, uncounted), unknown: [] }
      : foreignParts(request, usage, uncounted);
  const dropped = droppedReasoning({ history: covered, reader }, usage);
  const since = partsSince(story, request, { answer, output: usage.total - usage.input - dropped });
  const more = [...[...uncounted].map(estimated), ...since];
  const guessed = more.filter(({ measure }) => measure === 'estimated');
  const measure = sumTokens(guessed) === 0 ? 'exact' : 'estimated';
  const counted = { request: request.number, usage, dropped: dropped || undefined };
  return { measure, parts: [...sent, ...more], counted, unknown };
}

/** Adjusts the count to the next request's tools. Estimates new tools in the scale of the provider's count. */
function withTools(
  content: ReturnType<typeof countedContent>,
  { state, record }: StoryRequest,
  tools: readonly ToolSpec[] | undefined,
): ReturnType<typeof countedContent> {
  const known = record && state.toolSets.get(record.toolSet);
  if (known === undefined || tools === undefined) return content;
  const specs = new Set(known.map((tool) => JSON.stringify(tool)));
  const names = known.map(toolName);
  const before = content.parts.filter(({ what }) => what.kind === 'tool');
  const others = content.parts.filter(({ what }) => what.kind !== 'tool');
  const estimate = known.reduce((sum, tool) => sum + toolTokens(tool), 0);
  const scale = estimate === 0 ? 1 : sumTokens(before) / estimate;
  const after = tools.map((tool) => {
    const isKnown = specs.has(JSON.stringify(tool));
    const part = isKnown ? before[names.indexOf(toolName(tool))] : undefined;
    return part ?? { ...toolPart(tool), tokens: Math.round(toolTokens(tool) * scale) };
  });
  const changed = sumTokens(after) - sumTokens(before);
  if (after.length === before.length && after.every((part, at) => part === before[at])) return content;
  return {
    ...content,
    measure: 'estimated',
    parts: [...others.slice(0, 1), ...after, ...others.slice(1)],
    counted: { ...content.counted, tools: changed || undefined },
  };
}

export const toolName = (tool: ToolSpec): string => stringAt(tool, 'name') ?? tool.type;

function toolPart(tool: ToolSpec): ContextWindowPart {
  return { what: { kind: 'tool', name: toolName(tool) }, tokens: toolTokens(tool), measure: 'estimated' };
}

const sentTo = (reader: Reader, { history }: ThreadState): readonly HistoryEntry[] =>
  historyEntries(history).filter(
    ({ item, maker }) => reader === undefined || itemForProvider(item, maker, reader) !== undefined,
  );

/** Providers leave the encrypted reasoning of earlier turns out of their counts, although it is sent. */
function earlierReasoning(known: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const boundary = known.findLastIndex(isTurnBoundary);
  return known
    .slice(0, Math.max(0, boundary))
    .filter(({ item }) => item.type === 'reasoning' && stringAt(item, 'encrypted_content') !== undefined);
}

function recordedParts({ state, record }: StoryRequest, usage: Usage, uncounted: ReadonlySet<HistoryEntry>) {
  const prompt = promptFor(state, record!);
  const ofItem = matchHistoryEntries(state.history, record!.modalities);
  const input = prompt.input.filter((item) => !uncounted.has(ofItem.get(item)!));
  return requestShares({ ...prompt, input }, usage).shares.map(({ part, ...share }): ContextWindowPart => {
    if (part.kind !== 'entry') return { what: part, ...share };
    const item = input[part.index]!;
    // Not reached for our own requests: each of their items comes from an entry.
    const entry = ofItem.get(item) ?? { item, origin: { family: 'context', kinds: ['foreign'] } };
    return { what: { kind: 'entry', entry }, ...share };
  });
}

/** Estimates the parts that the file holds. The rest of the provider's count is for parts that it lacks. */
function foreignParts({ state, record }: StoryRequest, usage: Usage, uncounted: ReadonlySet<HistoryEntry>) {
  const sent = historyEntries(state.history).filter((entry) => !uncounted.has(entry));
  const [instructions, items] = [instructionsPart(state), sent.map(estimated)];
  const known = [instructions, ...items];
  const unknown = [record === undefined ? toolsUnknown : toolsMissingProblem(record).message];
  const tokens = usage.input - sumTokens(known);
  if (tokens >= 0) {
    const what = { kind: 'missing', name: 'tools and the like' } as const;
    return { parts: [instructions, { what, tokens, measure: 'estimated' as const }, ...items], unknown };
  }
  const weights = known.map((part) => part.tokens);
  const shares = apportionTokens(weights, usage.input);
  return { parts: known.map((part, at) => ({ ...part, tokens: shares[at]!, measure: 'scaled' as const })), unknown };
}

/** The answer to the request, and the history that its count covers; later answers are estimated. */
function answerTo({ state: { history }, requests }: ThreadStory, request: StoryRequest) {
  const next = requests.find((other) => other.number > request.number && isConversationRequest(other));
  const from = request.state.history.length;
  const span = historyEntries(history).slice(
    from,
    next === undefined ? undefined : Math.max(from, next.state.history.length),
  );
  const answer = span.filter(isModelMade);
  const length = from + span.findLastIndex(isModelMade) + 1;
  return { answer, covered: next === undefined ? history : { ...history, length } };
}

/** The answer, with the provider's token count, and later parts, which are estimated. */
function partsSince(
  { state }: ThreadStory,
  request: StoryRequest,
  { answer, output }: { readonly answer: readonly HistoryEntry[]; readonly output: number },
): readonly ContextWindowPart[] {
  const since = historyEntries(state.history).slice(request.state.history.length);
  const weights = answer.map(({ item }) => itemTokens(item));
  const shares = apportionTokens(weights, output);
  const tokensOf = new Map(answer.map((entry, index) => [entry, shares[index]!]));
  const parts = since.map((entry): ContextWindowPart => {
    const tokens = tokensOf.get(entry);
    if (tokens === undefined) return estimated(entry);
    return { what: { kind: 'entry', entry }, tokens, measure: answer.length === 1 ? 'exact' : 'scaled' };
  });
  if (answer.length > 0 || output === 0) return parts;
  return [{ what: { kind: 'missing', name: 'answer' }, tokens: output, measure: 'exact' }, ...parts];
}

/** The tools of our newest request; undefined if they are lost. */
export function newestTools({ requests, state }: ThreadStory) {
  const record = requests.findLast((request) => request.record !== undefined)?.record;
  return { record, tools: record === undefined ? undefined : state.toolSets.get(record.toolSet) };
}

function estimatedContent(story: ThreadStory, reader: Reader, next: NextRequest | undefined) {
  const { record, tools: known } = newestTools(story);
  const tools = next?.tools ?? known;
  const missing = record === undefined ? toolsUnknown : toolsMissingProblem(record).message;
  const more = [...(tools ?? []).map(toolPart), ...sentTo(reader, story.state).map(estimated)];
  const parts = [instructionsPart(story.state, next), ...more];
  return { measure: 'estimated' as const, parts, unknown: tools === undefined ? [missing] : [] };
}

function instructionsPart(state: ThreadState, next?: NextRequest): ContextWindowPart {
  const tokens = instructionsTokens(next?.instructions ?? instructionsOf(state)?.text ?? '');
  return { what: { kind: 'instructions' }, tokens, measure: 'estimated' };
}

function estimated(entry: HistoryEntry): ContextWindowPart {
  return { what: { kind: 'entry', entry }, tokens: itemTokens(entry.item), measure: 'estimated' };
}

export const sumTokens = (parts: readonly { readonly tokens: number }[]): number =>
  parts.reduce((total, { tokens }) => total + tokens, 0);

/**
 * Maps each item of a request to its entry of history: the request has the entry's item or a replacement. The
 * replacement for a missing tool answer belongs to the tool, in the turn of the call.
 */
export function matchHistoryEntries(history: History, modalities: readonly string[]): ReadonlyMap<Item, HistoryEntry> {
  const missing = unsupportedMedia(modalities);
  return new Map(
    historyEntries(history).flatMap((entry): readonly (readonly [Item, HistoryEntry])[] => {
      const own = [withoutUnsupportedMedia(entry.item, missing), entry] as const;
      const paired = pairedItem(entry.item);
      if (paired?.half !== 'call') return [own];
      const item = placeholderAnswer(entry.item);
      return [own, [item, { item, origin: { family: 'tool' }, turn: entry.turn }]];
    }),
  );
}

/** The readable text of an item; the whole item if it has no text. */
export function itemText(item: Item): string {
  if (isMessage(item))
    return item.content.map((part) => (typeof part['text'] === 'string' ? part['text'] : short(part))).join('\n');
  const output = item['output'];
  if (typeof output === 'string') return output;
  const call = item['arguments'] ?? item['input'];
  return typeof call === 'string' ? `${String(item['name'])} ${call}` : short(item);
}

/** Pictures and encrypted reasoning are long and tell a reader nothing. */
const short = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' && member.length > 300
      ? `${member.slice(0, 60)}… (${formatCount(member.length)} characters)`
      : member,
  );
