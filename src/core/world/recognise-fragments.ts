import { type Item, isMessage } from '../../protocol/item.ts';
import { fragmentCatalog } from './catalog.ts';

/** The kind of a text without a recorded origin, in a message of this role; forms of a family have its id. */
export function recogniseFragment(role: string, text: string): string | undefined {
  // Once for all kinds: each ignores white space around a text.
  const trimmed = text.trim();
  if (role === 'user' && !userBeginnings().has(trimmed[0] ?? '')) return undefined;
  const kind = fragmentCatalog.find((kind) => (kind.role === role || kind.alsoRole === role) && kind.matches(trimmed));
  if (kind !== undefined || role !== 'user') return kind?.id;
  return Object.entries(foreignKinds).find(([, shapes]) => shapes.some((shape) => shape.test(trimmed)))?.[0];
}

let beginnings: ReadonlySet<string> | undefined;

/** A fast check: resuming a thread tests everything that its user wrote, and nearly all of it is plain words. */
function userBeginnings(): ReadonlySet<string> {
  return (beginnings ??= new Set([
    // The character after the anchor.
    ...Object.values(foreignKinds).flatMap((shapes) => shapes.map(({ source }) => source[1]!)),
    ...fragmentCatalog.flatMap(({ role, alsoRole, markers }) =>
      role === 'user' || alsoRole === 'user' ? (markers?.[0][0] ?? []) : [],
    ),
  ]));
}

export function isInjectedContext(item: Item): boolean {
  if (!isMessage(item)) return false;
  const { role, content } = item;
  if (role === 'developer' || role === 'system') return true;
  if (role !== 'user' || content.length === 0) return false;
  return content.every(({ text }) => typeof text === 'string' && recogniseFragment(role, text) !== undefined);
}

/**
 * Context that other programs write in the user's role and that Capstan recognises in their files. Capstan itself
 * writes only the context of goals. Warnings must match as a whole, so that a user may quote one and ask about it.
 */
const foreignKinds: Readonly<Record<string, readonly RegExp[]>> = {
  'internal-context': [
    /^<codex_internal_context source="[a-z][a-z0-9_]*">[^]*<\/codex_internal_context>$/,
    /^<goal_context>[^]*<\/goal_context>$/i,
  ],
  // A value under a key that the client chose.
  'untrusted-context': [/^<(?<name>external_[^>]*)>[^]*<\/\k<name>>$/],
  'legacy-warning': [
    /^Warning: apply_patch was requested via \S+\. Use the apply_patch tool instead of exec_command\.$/,
    /^Warning: The maximum number of unified exec processes you can keep open is \d+(?: and you currently have \d+ processes open\. Reuse older processes [^\n?]*)?\.?$/,
    /^Warning: Your account was flagged for potentially high-risk cyber activity(?: and this request was routed to \S+ as a fallback\.[^\n?]*)?\.?$/,
  ],
};
