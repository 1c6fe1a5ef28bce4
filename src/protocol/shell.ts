/** A shell script as it is written: what would run, in which order. Nothing in it is expanded. */
export interface ShellScript {
  readonly body: ShellBlock;
}

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
  /** Control flow and whatever else decides when it runs. `inside`: the commands that it may run. */
  | { readonly kind: 'dynamic'; readonly inside: readonly ShellNode[] };

export type ShellOperator = '&&' | '||' | '|' | '|&';

/** A program or builtin. Without words: its assignments and redirections alone. */
export interface ShellSimpleCommand {
  readonly kind: 'command';
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
}

/** A word as it is written, with its quotes. `inside`: the commands of its substitutions. */
export interface ShellWord {
  readonly source: string;
  readonly inside: readonly ShellNode[];
}

export interface ShellRedirection {
  /** As it is written, with its descriptor: `2>&`, `>`, `<<-`. */
  readonly operator: string;
  /** Absent where the operator needs none: `2>&-`. For a heredoc the delimiter. */
  readonly target?: ShellWord;
  /** Of a heredoc. */
  readonly text?: ShellWord;
}

/** A word that a POSIX shell takes as it is, whatever is in it. */
export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command as the user could paste it into a shell: words are quoted where they must be. */
export function shellWords(argv: readonly string[]): string {
  return argv.map((word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : shellQuoted(word))).join(' ');
}

/** The variables of a process, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;
