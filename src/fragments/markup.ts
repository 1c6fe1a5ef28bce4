const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text that cannot close a tag, open one, or break out of its line: paths come from strangers. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, (character) => `&#${character.charCodeAt(0)};`);
}
