const prompt = /^\s*<hook_prompt(?:\s[^>]*)?>(?<words>[^]*)<\/hook_prompt>\s*$/i;
const context = /^\s*<hook_context>\n?(?<words>[^]*?)\n?<\/hook_context>\s*$/i;

const characters: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** What a hook said, without the tags and escapes of the fragment that carried it; undefined when no hook did. */
export function hookWords(text: string): string | undefined {
  const asked = prompt.exec(text)?.groups?.['words'];
  if (asked !== undefined) return asked.replace(/&(?:lt|gt|amp);/g, (entity) => characters[entity] ?? entity);
  return context.exec(text)?.groups?.['words'];
}
