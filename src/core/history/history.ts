import type { Item, Role } from '../../protocol/item.ts';
import { contextMessageItem } from '../fragments/message-items.ts';
import type { Fragment } from '../fragments/text/define-fragment.ts';
import type { HistoryEntry, EntryCause, EntryOrigin } from './entry.ts';

/** The model-visible items, oldest first. Immutable values share one growing array, so appending is always cheap. */
export interface History {
  readonly length: number;
  /** Shared storage: entries at `length` and beyond belong to later values and must not be read. */
  readonly storage: HistoryEntry[];
}

export const emptyHistory = (): History => ({ length: 0, storage: [] });
export const historyOf = (entries: readonly HistoryEntry[]): History => ({
  length: entries.length,
  storage: [...entries],
});

export function appendEntry(history: History, entry: HistoryEntry): History {
  const { length } = history;
  // Another value has grown this storage, or it is the shared empty one, so copy it.
  const storage = length > 0 && history.storage.length === length ? history.storage : history.storage.slice(0, length);
  storage.push(entry);
  return { length: length + 1, storage };
}

export function historyEntries(history: History): readonly HistoryEntry[] {
  return history.storage.length === history.length ? history.storage : history.storage.slice(0, history.length);
}

type ContextFamily = { readonly id: string; readonly withdrawn?: { readonly id: string } };

export function isContextInForce(history: History, { id, withdrawn }: ContextFamily): boolean {
  const isOfFamily = (kind: string): boolean => kind === id || kind === withdrawn?.id;
  const newest = contextIn(history).findLast(({ index, kinds }) => index < history.length && kinds.some(isOfFamily));
  return newest?.kinds.findLast(isOfFamily) === id;
}

type ContextAt = { readonly index: number; readonly kinds: readonly string[] };
/** Context found so far in each storage. Storages only grow, so Capstan examines an entry once, not at each step. */
const contexts = new WeakMap<readonly HistoryEntry[], { length: number; readonly found: ContextAt[] }>();

function contextIn({ storage, length }: History): readonly ContextAt[] {
  const known = contexts.get(storage) ?? { length: 0, found: [] };
  for (; known.length < length; known.length++) {
    const { origin } = storage[known.length]!;
    if (origin.family === 'context') known.found.push({ index: known.length, kinds: origin.kinds });
  }
  contexts.set(storage, known);
  return known.found;
}

export interface ContextMessage {
  readonly role: Role;
  readonly item: (id: string) => Item;
  readonly origin: EntryOrigin;
  readonly fragments: readonly Fragment[];
}

/** Adjacent fragments of one role share a message, one part each, unless a fragment needs its own. */
export function mergeFragments(fragments: Iterable<Fragment>, cause?: EntryCause): readonly ContextMessage[] {
  const groups: Fragment[][] = [];
  for (const fragment of fragments) {
    const last = groups.at(-1)?.at(-1);
    const joins = last !== undefined && last.role === fragment.role && !last.separate && !fragment.separate;
    if (joins) groups.at(-1)?.push(fragment);
    else groups.push([fragment]);
  }
  return groups.map((group) => {
    const { role } = group[0]!;
    const kinds = group.map(({ kind }) => kind);
    const texts = group.map(({ text }) => text);
    const origin = { family: 'context', kinds, cause } as const;
    return { fragments: group, role, item: (id) => contextMessageItem(id, role, texts), origin };
  });
}
