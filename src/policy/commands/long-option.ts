/** The option itself or what programs take for it: its beginning, and a value behind it. */
export function isLongOption(word: string, name: string): boolean {
  const [given = ''] = word.split('=', 1);
  return given.length > 2 && given.startsWith('--') && name.startsWith(given.slice(2));
}
