import type { Prompt, ToolSpec } from '../../ports/model.ts';
import { stringAt } from '../../protocol/json.ts';
import { providerKey, type ProviderName } from '../../protocol/provider-name.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { type Entry, isBoundary, isModelMade } from './entry.ts';
import type { History } from './history.ts';
import { itemForProvider } from './sent-items.ts';
import { instructionsTokens, itemTokens, type NewestCount, type ProviderCount, toolTokens } from './token-counts.ts';

/** `reader`: who gets the next request. */
export interface ActiveState extends WeighedFor {
  readonly history: History;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  readonly newest: NewestCount;
  /** The provider said that its counts include the reasoning of earlier turns. */
  readonly reasoningCounted: boolean;
}

/**
 * What the next request will weigh as things stand. The provider's newest count covers everything up to what the model
 * made last before it, less the reasoning that is not sent again. What came after is estimated, and so is the encrypted
 * reasoning of earlier turns, which is sent again although providers leave it out of their counts.
 */
export function activeTokens(state: ActiveState): { readonly tokens: number; readonly measure: Measure } {
  const { newest } = state;
  switch (newest.kind) {
    case 'counted':
      return activeAfterCount(state, newest);
    case 'estimated': {
      const tokens = newest.tokens + tokensSince(state.history, newest.upTo, state);
      return { tokens: Math.max(tokens, everything(state)), measure: 'estimated' };
    }
    case 'full':
      return { tokens: Math.max(newest.tokens, everything(state)), measure: 'estimated' };
  }
}

function activeAfterCount(state: ActiveState, { usage, upTo }: ProviderCount): ReturnType<typeof activeTokens> {
  const { history, reader } = state;
  // Later answers that no provider counted are estimated like all else that came after the count.
  const isNewest = weighHistory(history, state).upToModel <= upTo;
  const covered = isNewest ? history : { ...history, length: Math.min(upTo, history.length) };
  // There are servers that count the parts and leave the total at zero.
  const counted =
    Math.max(usage.total, usage.input + usage.output) - droppedReasoning({ history: covered, reader }, usage);
  const weight = weighHistory(covered, state);
  const isEarlier = !isNewest && hasBoundarySince(history, covered.length);
  const earlier = weight.earlierReasoning + (isEarlier ? weight.newReasoning : 0);
  const reasoning = state.reasoningCounted ? 0 : earlier;
  if (weight.afterModel === undefined) {
    // Nothing made by the model is left, so it is unknown what of this the count covers.
    return { tokens: Math.max(counted + reasoning, everything(state)), measure: 'estimated' };
  }
  const since = isNewest ? 0 : tokensSince(history, covered.length, state);
  const uncounted = weight.afterModel + since + reasoning;
  return { tokens: counted + uncounted, measure: uncounted === 0 ? 'exact' : 'estimated' };
}

function hasBoundarySince({ storage, length }: History, before: number): boolean {
  for (let index = before; index < length; index++) if (isBoundary(storage[index]!)) return true;
  return false;
}

/** Reasoning tokens of the newest response that are not sent again: none where its reasoning stands in history. */
export function droppedReasoning({ history, reader }: Pick<ActiveState, 'history' | 'reader'>, usage: Usage): number {
  return weighHistory(history, { reader }).thoughtKept ? 0 : Math.min(usage.reasoningOutput, usage.output);
}

function everything({ instructions, tools, history, reader }: ActiveState): number {
  return requestTokens({ instructions, tools, input: [] }) + historyTokens(history, { reader });
}

interface WeighedFor {
  /** Who is sent the history: what the reader is not sent weighs nothing. Absent: everything is sent. */
  readonly reader?: ProviderName | undefined;
}

/** What places of a history weigh by our estimate, in tokens. */
export interface HistoryWeight {
  /** What came after the last thing that the model made. Undefined when it made nothing. */
  readonly afterModel: number | undefined;
  /** How many entries there are up to the last thing that the model made; 0 when it made nothing. */
  readonly upToModel: number;
  /** Encrypted reasoning before the newest boundary. */
  readonly earlierReasoning: number;
  /** Encrypted reasoning from there on. */
  readonly newReasoning: number;
  /** What only another provider can read: it weighs nothing, and that provider's counts include it. */
  readonly hidden: number;
  /** Whether reasoning of the newest turn stands in history: in words, or encrypted after the newest boundary. */
  readonly thoughtKept: boolean;
}

interface Walked extends Omit<HistoryWeight, 'afterModel' | 'thoughtKept'> {
  readonly length: number;
  readonly encryptedKept: boolean;
  readonly wordsKept: boolean;
  /** A boundary came after what the model made last. */
  readonly isPassed: boolean;
}

const nothing: Walked = {
  length: 0,
  upToModel: 0,
  earlierReasoning: 0,
  newReasoning: 0,
  hidden: 0,
  encryptedKept: false,
  wordsKept: false,
  isPassed: false,
};

/** History grows by appending, so what is known of a storage is kept and added to: a step costs what is new to it. */
export function weighHistory(history: History, { reader }: WeighedFor = {}): HistoryWeight {
  const { upToModel, encryptedKept, wordsKept, ...walk } = walked(history, reader);
  const { earlierReasoning, newReasoning, hidden } = walk;
  const afterModel = upToModel === 0 ? undefined : tokensSince(history, upToModel, { reader });
  return { afterModel, upToModel, earlierReasoning, newReasoning, hidden, thoughtKept: encryptedKept || wordsKept };
}

/** What was added since history had so many entries. */
export function tokensSince({ storage, length }: History, before: number, { reader }: WeighedFor = {}): number {
  let tokens = 0;
  for (let index = before; index < length; index++) tokens += entryTokens(storage[index]!, reader);
  return tokens;
}

/** All of it. Apart from the rest, because to weigh a long history that was just read takes its time. */
export function historyTokens(history: History, { reader }: WeighedFor = {}): number {
  const { storage, length } = history;
  const { totals } = knownFor(reader);
  const known = totals.get(storage) ?? { length: 0, tokens: 0 };
  const goesOn = known.length <= length;
  const before = goesOn ? known : { length: 0, tokens: 0 };
  const tokens = before.tokens + tokensSince(history, before.length, { reader });
  if (goesOn) totals.set(storage, { length, tokens });
  return tokens;
}

/** What an entry weighs in a request to the reader. */
function entryTokens({ item, maker }: Entry, reader: WeighedFor['reader']): number {
  const sent = reader === undefined ? item : itemForProvider(item, maker, reader);
  return sent === undefined ? 0 : itemTokens(sent);
}

interface Known {
  readonly walks: WeakMap<readonly Entry[], Walked>;
  readonly totals: WeakMap<readonly Entry[], { readonly length: number; readonly tokens: number }>;
}

/** A process speaks to few providers. */
const knownByReader = new Map<string, Known>();

function knownFor(reader: WeighedFor['reader']): Known {
  const name = providerKey(reader);
  const known = knownByReader.get(name) ?? { walks: new WeakMap(), totals: new WeakMap() };
  knownByReader.set(name, known);
  return known;
}

function walked({ storage, length }: History, reader: WeighedFor['reader']): Walked {
  const { walks } = knownFor(reader);
  const known = walks.get(storage) ?? nothing;
  // An older value of a storage that has grown is looked at and forgotten.
  const goesOn = known.length <= length;
  let walk = goesOn ? known : nothing;
  while (walk.length < length) walk = withEntry(walk, storage[walk.length]!, reader);
  if (goesOn) walks.set(storage, walk);
  return walk;
}

function withEntry(walk: Walked, entry: Entry, reader: WeighedFor['reader']): Walked {
  const { item, maker } = entry;
  const length = walk.length + 1;
  const boundary = isBoundary(entry);
  const modelMade = isModelMade(entry);
  const isHidden = reader !== undefined && itemForProvider(item, maker, reader) === undefined;
  const encrypted = !isHidden && item.type === 'reasoning' && stringAt(item, 'encrypted_content') !== undefined;
  return {
    length,
    upToModel: modelMade ? length : walk.upToModel,
    earlierReasoning: walk.earlierReasoning + (boundary ? walk.newReasoning : 0),
    newReasoning: (boundary ? 0 : walk.newReasoning) + (encrypted ? itemTokens(item) : 0),
    hidden: walk.hidden + (isHidden ? itemTokens(item) : 0),
    encryptedKept: !boundary && (encrypted || walk.encryptedKept),
    wordsKept: modelMade ? (!isHidden && holdsThoughts(item)) || (walk.wordsKept && !walk.isPassed) : walk.wordsKept,
    isPassed: boundary || (walk.isPassed && !modelMade),
  };
}

function holdsThoughts(item: Entry['item']): boolean {
  const content = item.type === 'reasoning' ? item['content'] : undefined;
  return Array.isArray(content) && content.length > 0;
}

/** The provider said it; it is our estimate, scaled to sum to what the provider said; or our estimate alone. */
export type Measure = 'exact' | 'scaled' | 'estimated';

/** What one part of a request weighs. */
export interface Share {
  readonly part:
    | { readonly kind: 'instructions' }
    | { readonly kind: 'tool'; readonly name: string }
    /** `index` counts the items of the request's input. */
    | { readonly kind: 'entry'; readonly index: number };
  readonly tokens: number;
  readonly measure: Measure;
  /** How many of the tokens the provider had in its cache; undefined when the provider said nothing. */
  readonly cached: number | undefined;
}

/** Who takes the space of a request. The shares stand in the order of the request and always sum to the total. */
export interface RequestShares {
  readonly total: number;
  readonly measure: Measure;
  readonly shares: readonly Share[];
}

/** The parts of a request that weigh something. A `Prompt` is one. */
export type WeighedRequest = Pick<Prompt, 'instructions' | 'tools' | 'input'>;

/** `usage` is the provider's count for this very request, if it gave one. */
export function requestShares(request: WeighedRequest, usage: Usage | undefined): RequestShares {
  const parts = partsOfRequest(request);
  const estimates = parts.map(({ tokens }) => tokens);
  if (usage === undefined || usage.input === 0) {
    const shares = parts.map((part) => ({ ...part, measure: 'estimated' as const, cached: undefined }));
    return { total: sum(estimates), measure: 'estimated', shares };
  }
  const weights = apportion(estimates, usage.input);
  const cached = cachedShares(weights, usage.cachedInput);
  const shares = weights.map((tokens, index) => {
    return { part: parts[index]!.part, tokens, measure: 'scaled' as const, cached: cached[index]! };
  });
  return { total: usage.input, measure: 'exact', shares };
}

/** What a request is taken to weigh before a provider has seen it. */
export function requestTokens({ instructions, tools, input }: WeighedRequest): number {
  return instructionsTokens(instructions) + sum(tools.map(toolTokens)) + sum(input.map(itemTokens));
}

function partsOfRequest({ instructions, tools, input }: WeighedRequest): readonly Pick<Share, 'part' | 'tokens'>[] {
  return [
    { part: { kind: 'instructions' }, tokens: instructionsTokens(instructions) },
    ...tools.map((tool) => {
      const name = stringAt(tool, 'name') ?? tool.type;
      return { part: { kind: 'tool', name } as const, tokens: toolTokens(tool) };
    }),
    ...input.map((item, index) => ({ part: { kind: 'entry', index } as const, tokens: itemTokens(item) })),
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Whole numbers in the ratio of the weights that sum to the total: what rounding left over goes to the largest remainders. */
export function apportion(weights: readonly number[], total: number): readonly number[] {
  const weight = weights.reduce((sum, each) => sum + each, 0);
  // Nothing weighs anything and yet there is something to share: all get alike.
  if (weight === 0 && weights.length > 0)
    return apportion(
      weights.map(() => 1),
      total,
    );
  const wanted = weights.map((each) => (each * total) / weight);
  const shares = wanted.map(Math.floor);
  const byRemainder = wanted.map((_, index) => index);
  byRemainder.sort((a, b) => wanted[b]! - shares[b]! - (wanted[a]! - shares[a]!) || a - b);
  const left = total - shares.reduce((sum, each) => sum + each, 0);
  for (const index of byRemainder.slice(0, left)) shares[index]!++;
  return shares;
}

/** Splits cached tokens over parts in their order: a cache holds the beginning of a request. */
export function cachedShares(tokens: readonly number[], cached: number): readonly number[] {
  let left = cached;
  return tokens.map((own) => {
    const share = Math.min(own, left);
    left -= share;
    return share;
  });
}

export interface WindowUse {
  /** Tokens of the effective window. */
  readonly effective: number;
  /** Tokens that every thread spends before the user has said a word: they count neither as space nor as use. */
  readonly baseline: number;
  /** What the next request will weigh; see `activeTokens`. */
  readonly tokens: number;
}

/** How much of the window is left, as users are shown it: a whole number from 0 to 100. */
export function percentRemaining({ effective, baseline, tokens }: WindowUse): number {
  const space = effective - baseline;
  if (space <= 0) return 0;
  const used = Math.max(0, tokens - baseline);
  return Math.round((100 * Math.max(0, space - used)) / space);
}

/** Usage after a request was refused as too long: it is not counted, and the window must show as full. */
export function usageAfterOverflow(effective: number, total: Usage): { readonly total: Usage; readonly last: Usage } {
  return { total, last: { ...noUsage, total: effective } };
}
