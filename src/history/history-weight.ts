import { stringAt } from '../protocol/json.ts';
import { type Entry, isBoundary, isModelMade } from './entry.ts';
import type { History } from './history.ts';
import { itemTokens } from './size.ts';

/** What places of a history weigh by our estimate. All but the last in tokens. */
export interface HistoryWeight {
  /** What came after the last thing that the model made. Undefined when it made nothing. */
  readonly afterModel: number | undefined;
  /** Encrypted reasoning before the newest boundary. */
  readonly earlierReasoning: number;
  /** Encrypted reasoning from there on. */
  readonly newReasoning: number;
  /**
   * Whether reasoning of the newest turn that the model spoke in stands in history, and is not among `earlierReasoning`:
   * in words, or encrypted after the newest boundary.
   */
  readonly thoughtKept: boolean;
}

interface Walked extends Omit<HistoryWeight, 'afterModel' | 'thoughtKept'> {
  readonly length: number;
  /** How many entries there are up to the last thing that the model made; 0 when it made nothing. */
  readonly upToModel: number;
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
  encryptedKept: false,
  wordsKept: false,
  isPassed: false,
};

/** History grows by appending, so what is known of a storage is kept and added to: a step costs what is new to it. */
export function weightOf({ storage, length }: History): HistoryWeight {
  const { upToModel, earlierReasoning, newReasoning, encryptedKept, wordsKept } = walked(storage, length);
  const afterModel = upToModel === 0 ? undefined : tokensBetween(storage, upToModel, length);
  return { afterModel, earlierReasoning, newReasoning, thoughtKept: encryptedKept || wordsKept };
}

/** What was added since history had so many entries. */
export function tokensSince({ storage, length }: History, before: number): number {
  return tokensBetween(storage, before, length);
}

/** All of it. Apart from the rest, because to weigh a long history that was just read takes its time. */
export function historyTokens({ storage, length }: History): number {
  const known = totals.get(storage) ?? { length: 0, tokens: 0 };
  const goesOn = known.length <= length;
  const tokens = (goesOn ? known.tokens : 0) + tokensBetween(storage, goesOn ? known.length : 0, length);
  if (goesOn) totals.set(storage, { length, tokens });
  return tokens;
}

const walks = new WeakMap<readonly Entry[], Walked>();
const totals = new WeakMap<readonly Entry[], { readonly length: number; readonly tokens: number }>();

function walked(storage: readonly Entry[], length: number): Walked {
  const known = walks.get(storage) ?? nothing;
  // An older value of a storage that has grown is looked at and forgotten.
  const goesOn = known.length <= length;
  let walk = goesOn ? known : nothing;
  while (walk.length < length) walk = withEntry(walk, storage[walk.length]!);
  if (goesOn) walks.set(storage, walk);
  return walk;
}

function withEntry(walk: Walked, entry: Entry): Walked {
  const { item } = entry;
  const length = walk.length + 1;
  const boundary = isBoundary(entry);
  const modelMade = isModelMade(entry);
  const encrypted = item.type === 'reasoning' && stringAt(item, 'encrypted_content') !== undefined;
  return {
    length,
    upToModel: modelMade ? length : walk.upToModel,
    earlierReasoning: walk.earlierReasoning + (boundary ? walk.newReasoning : 0),
    newReasoning: (boundary ? 0 : walk.newReasoning) + (encrypted ? itemTokens(item) : 0),
    encryptedKept: !boundary && (encrypted || walk.encryptedKept),
    wordsKept: modelMade ? holdsThoughts(item) || (walk.wordsKept && !walk.isPassed) : walk.wordsKept,
    isPassed: boundary || (walk.isPassed && !modelMade),
  };
}

function tokensBetween(storage: readonly Entry[], start: number, end: number): number {
  let tokens = 0;
  for (let index = start; index < end; index++) tokens += itemTokens(storage[index]!.item);
  return tokens;
}

function holdsThoughts(item: Entry['item']): boolean {
  const content = item.type === 'reasoning' ? item['content'] : undefined;
  return Array.isArray(content) && content.length > 0;
}
