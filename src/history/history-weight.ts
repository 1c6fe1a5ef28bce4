import { stringAt } from '../protocol/json.ts';
import { type Entry, isBoundary, isModelMade } from './entry.ts';
import type { History } from './history.ts';
import { itemTokens } from './size.ts';

/** What a history weighs by our estimate, and where in it. All but the last in tokens. */
export interface HistoryWeight {
  readonly total: number;
  /** What came after the last thing that the model made. Undefined when it made nothing. */
  readonly afterModel: number | undefined;
  /** Encrypted reasoning before the newest boundary. */
  readonly earlierReasoning: number;
  /** Encrypted reasoning from there on. */
  readonly newReasoning: number;
  /** Whether reasoning of which something is left stands after the newest boundary. */
  readonly thoughtKept: boolean;
}

const nothing: HistoryWeight = {
  total: 0,
  afterModel: undefined,
  earlierReasoning: 0,
  newReasoning: 0,
  thoughtKept: false,
};

/** History grows by appending, so the weight of a storage is kept and added to: a step costs what is new to it. */
export function weightOf({ storage, length }: History): HistoryWeight {
  const known = weights.get(storage);
  const goesOn = known !== undefined && known.length <= length;
  let weight = goesOn ? known.weight : nothing;
  for (let index = goesOn ? known.length : 0; index < length; index++) weight = withEntry(weight, storage[index]!);
  // An older value of a storage that has grown is looked at and forgotten.
  if (goesOn || length === storage.length) weights.set(storage, { length, weight });
  return weight;
}

const weights = new WeakMap<readonly Entry[], { readonly length: number; readonly weight: HistoryWeight }>();

function withEntry(weight: HistoryWeight, entry: Entry): HistoryWeight {
  const { item } = entry;
  const tokens = itemTokens(item);
  const boundary = isBoundary(entry);
  const reasoning = item.type === 'reasoning' && stringAt(item, 'encrypted_content') !== undefined ? tokens : 0;
  return {
    total: weight.total + tokens,
    afterModel: isModelMade(entry) ? 0 : weight.afterModel === undefined ? undefined : weight.afterModel + tokens,
    earlierReasoning: weight.earlierReasoning + (boundary ? weight.newReasoning : 0),
    newReasoning: (boundary ? 0 : weight.newReasoning) + reasoning,
    thoughtKept: !boundary && (weight.thoughtKept || carriesThought(item)),
  };
}

function carriesThought(item: Entry['item']): boolean {
  if (item.type !== 'reasoning') return false;
  const content = item['content'];
  return typeof item['encrypted_content'] === 'string' || (Array.isArray(content) && content.length > 0);
}
