import { isBetween } from './text/define.ts';

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
