import type { ModelPrompt, ToolSpec } from '../../ports/model.ts';
import { arrayAt, stringAt } from '../../protocol/json.ts';
import { providerComparisonKey, type ProviderName } from '../../protocol/provider-name.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { type HistoryEntry, isTurnBoundary, isModelMade } from './entry.ts';
import type { History } from './history.ts';
import { itemForProvider } from './sent-items.ts';
import { instructionsTokens, itemTokens, toolTokens } from './token-counts.ts';
import type { NewestTokenCount, ProviderTokenCount } from './token-counts.ts';

/** `reader`: the provider that gets the next request. */
export interface ActiveTokensInput extends WeighedFor {
  readonly history: History;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  readonly newest: NewestTokenCount;
  /** The provider reported that its counts include the reasoning of earlier turns. */
  readonly reasoningCounted: boolean;
}

/**
 * Expected tokens of the next request: the provider's newest count without reasoning that is not sent again, plus our
 * estimate of later items and of earlier encrypted reasoning, which providers leave out of their counts.
 */
export function activeTokens(state: ActiveTokensInput): { readonly tokens: number; readonly measure: CountAccuracy } {
  const { newest } = state;
  if (newest.kind === 'counted') return activeAfterCount(state, newest);
  const since = newest.kind === 'estimated' ? tokensSince(state.history, newest.upTo, state) : 0;
  return { tokens: Math.max(newest.tokens + since, everything(state)), measure: 'estimated' };
}

function activeAfterCount(state: ActiveTokensInput, newest: ProviderTokenCount): ReturnType<typeof activeTokens> {
  const { usage, upTo } = newest;
  const { history, reader } = state;
  // Later answers without a provider's count are estimated like everything after the count.
  const isNewest = weighHistory(history, state).upToModel <= upTo;
  const covered = isNewest ? history : { ...history, length: Math.min(upTo, history.length) };
  // Some servers count the parts but leave the total at zero.
  const counted =
    Math.max(usage.total, usage.input + usage.output) - droppedReasoning({ history: covered, reader }, usage);
  const weight = weighHistory(covered, state);
  const isEarlier = !isNewest && history.storage.slice(covered.length, history.length).some(isTurnBoundary);
  const earlier = weight.earlierReasoning + (isEarlier ? weight.newReasoning : 0);
  const reasoning = state.reasoningCounted ? 0 : earlier;
  if (weight.afterModel === undefined) {
    // Nothing made by the model is left, so it is unknown what the count covers.
    return { tokens: Math.max(counted + reasoning, everything(state)), measure: 'estimated' };
  }
  const since = isNewest ? 0 : tokensSince(history, covered.length, state);
  const uncounted = weight.afterModel + since + reasoning;
  return { tokens: counted + uncounted, measure: uncounted === 0 ? 'exact' : 'estimated' };
}

/** Reasoning tokens of the newest response that are not sent again: zero if its reasoning is in history. */
export const droppedReasoning = (
  { history, ...reader }: Pick<ActiveTokensInput, 'history' | 'reader'>,
  usage: Usage,
) => (weighHistory(history, reader).thoughtKept ? 0 : Math.min(usage.reasoningOutput, usage.output));

const everything = ({ instructions, tools, history, reader }: ActiveTokensInput): number =>
  requestTokens({ instructions, tools, input: [] }) + historyTokens(history, { reader });

interface WeighedFor {
  /** The provider that gets the history: content it is not sent weighs nothing. Absent: everything is sent. */
  readonly reader?: ProviderName | undefined;
}

/** Estimated weights of parts of a history, in tokens. */
export interface HistoryWeight {
  /** After the model's last item. Undefined if it made none. */
  readonly afterModel: number | undefined;
  /** Number of entries up to the model's last item; 0 if it made none. */
  readonly upToModel: number;
  /** Encrypted, before the newest boundary. */
  readonly earlierReasoning: number;
  /** Encrypted, from the newest boundary on. */
  readonly newReasoning: number;
  /** Content that only another provider can read: it weighs nothing, but that provider's counts include it. */
  readonly hidden: number;
  /** True if reasoning of the newest turn is in history: as words, or encrypted after the newest boundary. */
  readonly thoughtKept: boolean;
}

interface Walked extends Omit<HistoryWeight, 'afterModel' | 'thoughtKept'> {
  readonly length: number;
  readonly encryptedKept: boolean;
  readonly wordsKept: boolean;
  /** A boundary follows the model's last item. */
  readonly isPassed: boolean;
}

const noTokens = { length: 0, upToModel: 0, earlierReasoning: 0, newReasoning: 0, hidden: 0 };
const nothing: Walked = { ...noTokens, encryptedKept: false, wordsKept: false, isPassed: false };

/** Cached per storage and extended, because history grows by appending: a step costs only its new entries. */
export function weighHistory(history: History, { reader }: WeighedFor = {}): HistoryWeight {
  const { length: _length, encryptedKept, wordsKept, isPassed: _isPassed, ...weights } = walked(history, reader);
  const { upToModel } = weights;
  const afterModel = upToModel === 0 ? undefined : tokensSince(history, upToModel, { reader });
  return { ...weights, afterModel, thoughtKept: encryptedKept || wordsKept };
}

export function tokensSince({ storage, length }: History, before: number, { reader }: WeighedFor = {}): number {
  let tokens = 0;
  for (let index = before; index < length; index++) tokens += entryTokens(storage[index]!, reader);
  return tokens;
}

/** The whole history. Separate, because weighing a long history that was just read takes time. */
export function historyTokens(history: History, { reader }: WeighedFor = {}): number {
  const none = { length: 0, tokens: 0 };
  return cachedUpTo(knownFor(reader).totals, history, none, (before) => {
    const tokens = before.tokens + tokensSince(history, before.length, { reader });
    return { length: history.length, tokens };
  }).tokens;
}

function entryTokens({ item, maker }: HistoryEntry, reader: WeighedFor['reader']): number {
  const sent = reader === undefined ? item : itemForProvider(item, maker, reader);
  return sent === undefined ? 0 : itemTokens(sent);
}

type PerStorage<Value> = WeakMap<readonly HistoryEntry[], Value>;
type Total = { readonly length: number; readonly tokens: number };
type Known = { readonly walks: PerStorage<Walked>; readonly totals: PerStorage<Total> };
const knownByReader = new Map<string, Known>();

function knownFor(reader: WeighedFor['reader']): Known {
  const name = providerComparisonKey(reader);
  const known = knownByReader.get(name) ?? { walks: new WeakMap(), totals: new WeakMap() };
  knownByReader.set(name, known);
  return known;
}

function walked(history: History, reader: WeighedFor['reader']): Walked {
  return cachedUpTo(knownFor(reader).walks, history, nothing, (before) => {
    let walk = before;
    while (walk.length < history.length) walk = withEntry(walk, history.storage[walk.length]!, reader);
    return walk;
  });
}

/** Extends the cached value. An older value of a grown storage is weighed without caching the result. */
function cachedUpTo<Value extends { readonly length: number }>(
  cache: PerStorage<Value>,
  { storage, length }: History,
  none: Value,
  extend: (before: Value) => Value,
): Value {
  const known = cache.get(storage) ?? none;
  if (known.length > length) return extend(none);
  const value = extend(known);
  cache.set(storage, value);
  return value;
}

function withEntry(walk: Walked, entry: HistoryEntry, reader: WeighedFor['reader']): Walked {
  const { item, maker } = entry;
  const length = walk.length + 1;
  const boundary = isTurnBoundary(entry);
  const modelMade = isModelMade(entry);
  const isHidden = reader !== undefined && itemForProvider(item, maker, reader) === undefined;
  const isReasoning = !isHidden && item.type === 'reasoning';
  const encrypted = isReasoning && stringAt(item, 'encrypted_content') !== undefined;
  const thinks = isReasoning && (arrayAt(item, 'content') ?? []).length > 0;
  return {
    length,
    upToModel: modelMade ? length : walk.upToModel,
    earlierReasoning: walk.earlierReasoning + (boundary ? walk.newReasoning : 0),
    newReasoning: (boundary ? 0 : walk.newReasoning) + (encrypted ? itemTokens(item) : 0),
    hidden: walk.hidden + (isHidden ? itemTokens(item) : 0),
    encryptedKept: !boundary && (encrypted || walk.encryptedKept),
    wordsKept: modelMade ? thinks || (walk.wordsKept && !walk.isPassed) : walk.wordsKept,
    isPassed: boundary || (walk.isPassed && !modelMade),
  };
}

/** `exact`: from the provider; `scaled`: our estimate, scaled to the provider's total. */
export type CountAccuracy = 'exact' | 'scaled' | 'estimated';

export interface TokenShare {
  readonly part:
    | { readonly kind: 'instructions' }
    | { readonly kind: 'tool'; readonly name: string }
    /** `index` counts the request's input items. */
    | { readonly kind: 'entry'; readonly index: number };
  readonly tokens: number;
  readonly measure: CountAccuracy;
  /** Tokens found in the provider's cache; undefined if it did not report them. */
  readonly cached: number | undefined;
}

export interface RequestShares {
  readonly total: number;
  readonly measure: CountAccuracy;
  readonly shares: readonly TokenShare[];
}

export type WeighedRequest = Pick<ModelPrompt, 'instructions' | 'tools' | 'input'>;

/** `usage`: the provider's count of this very request, if it gave one. */
export function requestShares(request: WeighedRequest, usage: Usage | undefined): RequestShares {
  const parts = partsOfRequest(request);
  const estimates = parts.map(({ tokens }) => tokens);
  if (usage === undefined || usage.input === 0) {
    const shares = parts.map((part) => ({ ...part, measure: 'estimated' as const, cached: undefined }));
    return { total: sum(estimates), measure: 'estimated', shares };
  }
  const weights = apportionTokens(estimates, usage.input);
  const cached = cachedShares(weights, usage.cachedInput);
  const shares = weights.map((tokens, index) => {
    return { part: parts[index]!.part, tokens, measure: 'scaled' as const, cached: cached[index]! };
  });
  return { total: usage.input, measure: 'exact', shares };
}

/** Estimated weight of a request that no provider has counted. */
export const requestTokens = ({ instructions, tools, input }: WeighedRequest): number =>
  instructionsTokens(instructions) + sum(tools.map(toolTokens)) + sum(input.map(itemTokens));

function partsOfRequest(request: WeighedRequest): readonly Pick<TokenShare, 'part' | 'tokens'>[] {
  const { instructions, tools, input } = request;
  const nameOf = (tool: ToolSpec): string => stringAt(tool, 'name') ?? tool.type;
  return [
    { part: { kind: 'instructions' }, tokens: instructionsTokens(instructions) },
    ...tools.map((tool) => ({ part: { kind: 'tool', name: nameOf(tool) } as const, tokens: toolTokens(tool) })),
    ...input.map((item, index) => ({ part: { kind: 'entry', index } as const, tokens: itemTokens(item) })),
  ];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Whole numbers in the ratio of the weights that sum to the total; the largest remainders are rounded up. */
export function apportionTokens(weights: readonly number[], total: number): readonly number[] {
  const weight = sum(weights);
  if (weight === 0 && weights.length > 0) return apportionTokens(Array<number>(weights.length).fill(1), total);
  const wanted = weights.map((each) => (each * total) / weight);
  const shares = wanted.map(Math.floor);
  const byRemainder = wanted.map((_, index) => index);
  byRemainder.sort((a, b) => wanted[b]! - shares[b]! - (wanted[a]! - shares[a]!) || a - b);
  for (const index of byRemainder.slice(0, total - sum(shares))) shares[index]!++;
  return shares;
}

/** Assigns cached tokens to parts in order, because a cache holds the beginning of a request. */
export function cachedShares(tokens: readonly number[], cached: number): readonly number[] {
  let left = cached;
  return tokens.map((own) => {
    const share = Math.min(own, left);
    left -= share;
    return share;
  });
}

export interface WindowUse {
  readonly effective: number;
  /** Tokens that every thread spends before the user's first word: they count neither as space nor as use. */
  readonly baseline: number;
  readonly tokens: number;
}

/** The remaining part of the window as shown to users: a whole number from 0 to 100. */
export function percentRemaining({ effective, baseline, tokens }: WindowUse): number {
  const space = effective - baseline;
  if (space <= 0) return 0;
  const used = Math.max(0, tokens - baseline);
  return Math.round((100 * Math.max(0, space - used)) / space);
}

/** Usage after a request was refused as too long: it has no count, but the window must show as full. */
export function usageAfterOverflow(effective: number, total: Usage): { readonly total: Usage; readonly last: Usage } {
  return { total, last: { ...noUsage, total: effective } };
}
