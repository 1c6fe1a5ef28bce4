import type { InputWriter } from '../protocol/input-writer.ts';
import type { Item } from '../protocol/item.ts';
import { providerKey, type ProviderName } from '../protocol/provider-name.ts';
import { type Entry, writerOf } from './entry.ts';
import type { History } from './history.ts';
import { missingAnswer, pairedItem } from './missing-answer.ts';
import { forReader } from './opaque-items.ts';
import { type MissingMedia, missingMedia, withoutMedia } from './without-media.ts';

export interface ProjectOptions {
  /** What the model takes in: `text`, `image`, `audio`. */
  readonly modalities?: readonly string[];
  /** Who gets them. Absent, as for requests of older versions: every provider is sent what any provider made. */
  readonly reader?: ProviderName;
}

/**
 * The items to send. Every call has an answer and every answer a call; pictures, recordings and opaque items are there
 * only for those that can read them. What is put in depends only on its item, so that a longer history projects to a
 * longer list with the same beginning, and the last projection of a storage is extended.
 */
export function project(history: History, options: ProjectOptions = {}): readonly Item[] {
  return projectWithWriters(history, options).items;
}

/** The same, and who wrote messages of the user's role, if not the user. */
export function projectWithWriters(
  history: History,
  { modalities, reader }: ProjectOptions,
): { readonly items: readonly Item[]; readonly writers: ReadonlyMap<Item, InputWriter> } {
  const { storage, length } = history;
  const missing = missingMedia(modalities);
  const known = projections.get(storage);
  const isFor = known?.missing === missing && providerKey(known.reader) === providerKey(reader);
  if (known !== undefined && isFor && known.length <= length && extend(known, history)) return valueOf(known);
  const sets = { calls: new Set<string>(), answers: new Set<string>(), open: new Set<string>() };
  const lists = { items: [], writers: new Map<Item, InputWriter>() };
  const fresh = { missing, reader, length: 0, ...lists, ...sets, leftOut: new Set<string>() };
  extend(fresh, history);
  // An older value of a storage that has grown is looked at and forgotten, unless it is the first: what follows
  // continues from it.
  if (known === undefined || length === storage.length) projections.set(storage, fresh);
  return valueOf(fresh);
}

/** The writers of a longer list are those of a shorter one and more. */
function valueOf({ items, writers }: Projection) {
  return { items: items.slice(), writers };
}

interface Projection {
  readonly missing: MissingMedia;
  readonly reader: ProviderName | undefined;
  /** How many entries have been projected. */
  length: number;
  readonly items: Item[];
  readonly writers: Map<Item, InputWriter>;
  readonly calls: Set<string>;
  readonly answers: Set<string>;
  /** Calls that stand with a stand-in for their answer. */
  readonly open: Set<string>;
  /** Answers that were left out because nothing asked for them. */
  readonly leftOut: Set<string>;
}

const projections = new WeakMap<readonly Entry[], Projection>();

/** False, and nothing done, if a new entry is the other half of one that was projected as if it had none. */
function extend(projection: Projection, { storage, length }: History): boolean {
  const { items, writers, calls, answers, open, leftOut, reader } = projection;
  const from = projection.length;
  for (let index = from; index < length; index++) {
    const paired = pairedItem(storage[index]!.item);
    if (paired !== undefined && (paired.half === 'answer' ? open : leftOut).has(paired.id)) return false;
  }
  for (let index = from; index < length; index++) {
    const paired = pairedItem(storage[index]!.item);
    if (paired !== undefined) (paired.half === 'answer' ? answers : calls).add(paired.id);
  }
  for (let index = from; index < length; index++) {
    const { item: made, maker } = storage[index]!;
    const writer = writerOf(storage[index]!);
    const item = reader === undefined ? made : forReader(made, maker, reader);
    if (item === undefined) continue;
    const paired = pairedItem(item);
    if (paired?.half === 'answer' && !calls.has(paired.id)) {
      leftOut.add(paired.id);
      continue;
    }
    const sent = withoutMedia(item, projection.missing);
    items.push(sent);
    if (writer !== undefined) writers.set(sent, writer);
    if (paired?.half === 'call' && !answers.has(paired.id)) {
      open.add(paired.id);
      items.push(missingAnswer(item));
    }
  }
  projection.length = length;
  return true;
}
