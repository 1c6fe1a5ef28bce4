import { type Item, isMessage } from '../../protocol/item.ts';
import { fragmentCatalog } from '../catalog.ts';
import { isBetween } from '../text/define.ts';

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

/** Context that other programs write in the user's place. Capstan recognises it in their files and never makes it. */
export interface ForeignKind {
  readonly id: string;
  /** The first character of all its texts. */
  readonly begins: string;
  matches(text: string): boolean;
}

export const foreignKinds: readonly ForeignKind[] = [
  tagged('user-shell-command', 'user_shell_command'),
  tagged('user-action', 'user_action'),
  { id: 'internal-context', begins: '<', matches: isInternalContext },
  { id: 'untrusted-context', begins: '<', matches: isExternal },
  { id: 'legacy-warning', begins: 'W', matches: isLegacyWarning },
];

function tagged(id: string, tag: string): ForeignKind {
  return { id, begins: '<', matches: (text) => isBetween(text, [`<${tag}>`, `</${tag}>`]) };
}

function isInternalContext(text: string): boolean {
  return (
    /^\s*<codex_internal_context source="[a-z][a-z0-9_]*">[\s\S]*<\/codex_internal_context>\s*$/.test(text) ||
    isBetween(text, ['<goal_context>', '</goal_context>'])
  );
}

/** A value under a key that the client chose. */
function isExternal(text: string): boolean {
  const trimmed = text.trim();
  const name = /^<(?<name>external_[^>]*)>/.exec(trimmed)?.groups?.['name'];
  return name !== undefined && trimmed.endsWith(`</${name}>`);
}

/** Whole shapes and no beginnings: a user who quotes a warning and asks about it is heard. */
const warnings: readonly RegExp[] = [
  /^Warning: apply_patch was requested via \S+\. Use the apply_patch tool instead of exec_command\.$/,
  /^Warning: The maximum number of unified exec processes you can keep open is \d+(?: and you currently have \d+ processes open\. Reuse older processes [^\n?]*)?\.?$/,
  /^Warning: Your account was flagged for potentially high-risk cyber activity(?: and this request was routed to \S+ as a fallback\.[^\n?]*)?\.?$/,
];

function isLegacyWarning(text: string): boolean {
  const trimmed = text.trim();
  return warnings.some((shape) => shape.test(trimmed));
}
