/** A word that a POSIX shell takes as it is, whatever is in it. */
export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command as the user could paste it into a shell: words are quoted where they must be. */
export function shellWords(argv: readonly string[]): string {
  return argv.map((word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : shellQuoted(word))).join(' ');
}
