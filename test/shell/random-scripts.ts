import fc from 'fast-check';
import { quoteShellWord } from '../../src/protocol/shell.ts';

const pieces = [
  ['a', 'b', 'ab', '-x', '0', 'é', 'a b', ' ', ' ', '  ', '\t', '\n', '\\\n', '\\', '\\ ', '5\\\n>', '&\\\n'],
  [';', '&', '&&', '||', '|', '|&', ' ; ', ' && ', ' || ', ' | ', '(', ')', '{ ', '; }', '{', '}', ',', '..', '! '],
  ["'", '"', "'a b'", '"a b"', "''", '""', '$', '`', '$x', '"$x"', '${x}', "$'a'", '$"b"', "$'\\x61'", "$'\\U0000061'"],
  ['#', ' # x', '\n# y\n', '*', '?', '[', ']', '~', '^', '=', '%', '@', 'CI=1 ', 'a=b ', 'time ', '\u00a0', '\r'],
  ['>', '<', '2>', ' 2>&1 ', ' >/dev/null ', ' <a ', '>&2', '<&0', '>&', '<<<', '&>', '<>', '0<', '2>&-'],
].flat();

/** Any text that a shell might be given. Functions are left out: see `runInBash`. */
export const anyScript = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 16 })
  .map((parts) => parts.join(''))
  .filter((script) => !/\([\s\\]*\)/.test(script));

const word = fc.stringMatching(/^[a-c $'"\\*~#;|&=-]{0,5}$/).map((text) => `w${text}`);

export interface PlainCommand {
  readonly words: readonly string[];
  readonly operator: '&&' | '||' | ';' | '|' | '&';
}

/** Commands with odd words, as values: how they are written is another matter. */
export const plainCommands: fc.Arbitrary<readonly PlainCommand[]> = fc.array(
  fc.record({
    words: fc.array(word, { minLength: 1, maxLength: 4 }),
    operator: fc.constantFrom('&&' as const, '||' as const, ';' as const, '|' as const, '&' as const),
  }),
  { minLength: 1, maxLength: 4 },
);

/** One of the many ways to write them. The same numbers give the same way. */
export function written(commands: readonly PlainCommand[], choices: readonly number[]): string {
  let at = 0;
  const choose = <T>(...options: readonly T[]): T =>
    options[(choices[at++ % choices.length] ?? 0) % options.length] as T;
  const quoted = (text: string): string =>
    choose(
      () => quoteShellWord(text),
      () => `"${text.replaceAll(/[$`"\\]/g, String.raw`\$&`)}"`,
      () => text.replaceAll(/[^\w-]/g, String.raw`\$&`),
      () => text.slice(0, 1) + quoteShellWord(text.slice(1)),
      () => `${text.slice(0, 1)}""${quoteShellWord(text.slice(1))}`,
    )();
  const blank = (): string => choose(' ', '  ', '\t', ' \\\n ');
  let script = choose('', ' ', '\n', '# first\n');
  for (const [index, { words, operator }] of commands.entries()) {
    script += words.map(quoted).join(blank());
    const isLast = index === commands.length - 1;
    if (isLast && operator !== '&') break;
    if (operator === ';') script += choose(';', '\n', ' ; ', '\n\n', ' # note\n');
    else script += choose('', ' ') + operator + choose('', ' ', operator === '&' ? '' : '\n');
  }
  return script + choose('', ' ', '\n', '\n\n', ' # last', '\n# last');
}
