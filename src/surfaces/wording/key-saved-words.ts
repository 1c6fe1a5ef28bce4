/** A key is kept without asking the provider: it may be for another one, or for a server that is not up yet. */
export function keySavedWords(where: string): string {
  return `The key is saved in ${where}. It has not been checked: \`capstan models test\` asks the provider.`;
}
