import type { Fragment } from '../fragments/text/define.ts';
import { contextMessage } from '../fragments/message.ts';
import { defined } from '../protocol/defined.ts';
import type { Item, Role } from '../protocol/item.ts';
import type { EntryCause, Origin } from './entry.ts';

/** A message made of fragments, before it has an id. */
export interface ContextMessage {
  readonly role: Role;
  readonly item: (id: string) => Item;
  readonly origin: Origin;
  readonly fragments: readonly Fragment[];
}

/** Neighbours of one role share a message, one part each; a fragment that wants to stand alone does. */
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
    const origin = { family: 'context', kinds, ...defined({ cause }) } as const;
    return { fragments: group, role, item: (id) => contextMessage(id, role, texts), origin };
  });
}
