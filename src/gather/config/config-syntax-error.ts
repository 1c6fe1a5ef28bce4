/** Where and why a TOML file cannot be parsed, as the parser reports it. */
export interface TomlErrorPlace {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const widest = 100;
const before = 60;

/** The reason with file, line and column, then the line itself with a mark under the place. */
export function tomlErrorText(path: string, text: string, { line, column, message }: TomlErrorPlace): string {
  // What follows the first line is an excerpt of the parser's own.
  const reason = (message.split('\n', 1)[0] ?? '').replace(/^Invalid TOML document: /, '');
  const head = `${path}:${line}:${column}: ${reason}.`;
  const excerpt = text.split(/\r?\n/)[line - 1] ?? '';
  // The message ends up in terminals and logs: a line that seems to hold a secret is better read in the file.
  if (excerpt.trim() === '' || /key|token|secret|password|auth|bearer|credential/i.test(excerpt)) return head;
  const from = column > widest ? column - before : 0;
  const number = `${line} | `;
  // A tab counts as one character in the column, so it becomes one here.
  const shown = excerpt.slice(from, from + widest).replaceAll('\t', ' ');
  return `${head}\n${number}${shown}\n${' '.repeat(number.length + column - 1 - from)}^`;
}
