/** A shell script as written, in execution order. Nothing in it is expanded. */
export type ShellScript = { readonly body: ShellBlock };

/** Parts that run one after the other; `&`: the next does not wait for this one. */
export interface ShellBlock {
  readonly kind: 'block';
  readonly parts: readonly { readonly node: ShellNode; readonly end: ';' | '&' }[];
}

export type ShellNode =
  | ShellSimpleCommand
  | { readonly kind: 'joined'; readonly left: ShellNode; readonly operator: ShellOperator; readonly right: ShellNode }
  | { readonly kind: 'negated'; readonly node: ShellNode }
  | { readonly kind: 'subshell' | 'group'; readonly body: ShellBlock }
  | { readonly kind: 'redirected'; readonly node: ShellNode; readonly redirections: readonly ShellRedirection[] }
  | { readonly kind: 'function'; readonly name: string; readonly inside: readonly ShellNode[] }
  /** Control flow and other constructs that decide at run time. `inside`: the commands that may run. */
  | { readonly kind: 'dynamic'; readonly inside: readonly ShellNode[] };

export type ShellOperator = '&&' | '||' | '|' | '|&';

/** A program or builtin. Without words: only assignments and redirections. */
export interface ShellSimpleCommand {
  readonly kind: 'command';
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
}

/** A word as written, with its quotes. `inside`: the commands of its substitutions. */
export type ShellWord = { readonly source: string; readonly inside: readonly ShellNode[] };

export interface ShellRedirection {
  /** The spelling, with its descriptor: `2>&`, `>`, `<<-`. */
  readonly operator: string;
  /** Absent where the operator needs none: `2>&-`. For a heredoc the delimiter. */
  readonly target?: ShellWord;
  readonly text?: ShellWord;
}

export const quoteShellWord = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

export function quoteShellCommand(argv: readonly string[]): string {
  return argv.map((word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : quoteShellWord(word))).join(' ');
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;
