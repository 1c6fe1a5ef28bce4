import type { Entry } from './entry.ts';

/**
 * The model-visible items, oldest first. A value: `append` gives a new one and the old one stays what it was. Values
 * share one growing array, so that appending costs the same however long the history is.
 */
export interface History {
  readonly length: number;
  /** Shared storage: entries at `length` and beyond belong to later values and must not be read. */
  readonly storage: Entry[];
}

export function emptyHistory(): History {
  return { length: 0, storage: [] };
}

export function historyOf(entries: readonly Entry[]): History {
  return { length: entries.length, storage: [...entries] };
}

export function append(history: History, entry: Entry): History {
  const { length } = history;
  // Another value has grown this storage, or it is the shared empty one: branch off.
  const storage = length > 0 && history.storage.length === length ? history.storage : history.storage.slice(0, length);
  storage.push(entry);
  return { length: length + 1, storage };
}

export function entries(history: History): readonly Entry[] {
  return history.storage.length === history.length ? history.storage : history.storage.slice(0, history.length);
}

/** Whether the newest text of these kinds says something, and does not take it back. */
export function standsIn(
  { storage, length }: History,
  { telling, withdrawing }: { readonly telling: readonly string[]; readonly withdrawing: readonly string[] },
): boolean {
  for (let index = length - 1; index >= 0; index--) {
    const { origin } = storage[index]!;
    if (origin.family !== 'context') continue;
    const newest = origin.kinds.findLast((kind) => telling.includes(kind) || withdrawing.includes(kind));
    if (newest !== undefined) return telling.includes(newest);
  }
  return false;
}
