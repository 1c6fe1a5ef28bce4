import { stringAt } from '../protocol/json.ts';
import { providerKey, type ProviderName } from '../protocol/provider-name.ts';
import { type Entry, isBoundary, isModelMade } from './entry.ts';
import type { History } from './history.ts';
import { forReader } from './opaque-items.ts';
import { itemTokens } from './size.ts';

export interface WeighedFor {
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
export function weightOf(history: History, { reader }: WeighedFor = {}): HistoryWeight {
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
  const sent = reader === undefined ? item : forReader(item, maker, reader);
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
  const isHidden = reader !== undefined && forReader(item, maker, reader) === undefined;
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
