import { type Item, isMessage } from '../protocol/item.ts';

/**
 * Whether a message from a foreign file is injected context and not somebody's words. Only for items without a
 * recorded origin: ours carry theirs, and a user who pastes a marker stays a user.
 */
export function looksInjected(item: Item): boolean {
  if (!isMessage(item)) return false;
  if (item.role === 'developer' || item.role === 'system') return true;
  if (item.role !== 'user') return false;
  return item.content.some((part) => typeof part['text'] === 'string' && matchesMarkers(part['text']));
}

const pairs: readonly (readonly [string, string])[] = [
  ['# agents.md instructions', '</instructions>'],
  ['<environment_context>', '</environment_context>'],
  ['<turn_aborted>', '</turn_aborted>'],
  ['<user_shell_command>', '</user_shell_command>'],
  ['<subagent_notification>', '</subagent_notification>'],
  ['<skill>', '</skill>'],
  ['<goal_context>', '</goal_context>'],
  ['<recommended_plugins>', '</recommended_plugins>'],
  ['<hook_prompt', '</hook_prompt>'],
  ['<codex_internal_context source="', '</codex_internal_context>'],
];

function matchesMarkers(text: string): boolean {
  const trimmed = text.trim().toLowerCase();
  return pairs.some(([start, end]) => trimmed.startsWith(start) && trimmed.endsWith(end)) || isExternal(trimmed);
}

/** `<external_KEY>…</external_KEY>`: context that a client supplied. */
function isExternal(text: string): boolean {
  const key = /^<external_(?<key>[^>]*)>/.exec(text)?.groups?.['key'];
  return key !== undefined && text.endsWith(`</external_${key}>`);
}
