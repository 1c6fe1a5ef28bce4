/**
 * Words of the engine where a user's turn holds them, for servers that take them as `system` at the beginning alone: a
 * fragment has a tag of its own, others get one.
 */
export function developerWords(text: string): string {
  return /^\s*<[a-z_]/i.test(text) ? text : inTag('developer', text);
}

export function inTag(tag: string, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`;
}
