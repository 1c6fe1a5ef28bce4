/** What is to be kept in view beside the rules of a prompt; empty without a focus. */
export function focusLines(...wishes: readonly (string | undefined)[]): string {
  const asked = wishes.map((wish) => wish?.trim() ?? '').filter((wish) => wish !== '');
  if (asked.length === 0) return '';
  return `
# What to keep in view

The rules above hold. Within them, take care to keep what is asked for here:

${asked.join('\n\n')}
`;
}
