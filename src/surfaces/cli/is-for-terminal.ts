/** Options, or a message in quotes with options behind it, without a command: they are for the terminal surface. */
export function isForTerminal([first = '', second = '-']: readonly string[]): boolean {
  return first.startsWith('-') || (/\S\s+\S/.test(first) && second.startsWith('-'));
}
