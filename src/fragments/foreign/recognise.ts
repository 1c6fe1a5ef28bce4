import { type Item, isMessage } from '../../protocol/item.ts';
import { fragmentCatalog } from '../catalog.ts';
import { foreignKinds } from '../foreign-kinds.ts';

/**
 * The kind that a text is of, in a message of this role. Only for items without a recorded origin: ours carry theirs.
 * Forms of one family are recognised under the id of its first form.
 */
export function recognise(role: string, text: string): string | undefined {
  // Once for all kinds: each of them ignores the white space around a text.
  const trimmed = text.trim();
  if (role === 'user' && !userBeginnings().has(trimmed[0] ?? '')) return undefined;
  const kind = fragmentCatalog.find((kind) => (kind.role === role || kind.alsoRole === role) && kind.matches(trimmed));
  return kind?.id ?? (role === 'user' ? foreignKinds.find(({ matches }) => matches(trimmed))?.id : undefined);
}

let beginnings: ReadonlySet<string> | undefined;

/** A thread that is resumed asks for all that its user said, and nearly all of it is words. */
function userBeginnings(): ReadonlySet<string> {
  return (beginnings ??= new Set([
    ...foreignKinds.map(({ begins }) => begins),
    ...fragmentCatalog.flatMap(({ role, alsoRole, markers }) =>
      role === 'user' || alsoRole === 'user' ? (markers?.[0][0] ?? []) : [],
    ),
  ]));
}

/**
 * Whether a message from a foreign file is injected context and not a user's words. Every part must be: words and
 * pictures that stand beside an injected part are the user's.
 */
export function looksInjected(item: Item): boolean {
  if (!isMessage(item)) return false;
  const { role, content } = item;
  if (role === 'developer' || role === 'system') return true;
  if (role !== 'user' || content.length === 0) return false;
  return content.every(({ text }) => typeof text === 'string' && recognise(role, text) !== undefined);
}
