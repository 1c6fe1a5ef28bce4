/** A shell script as it is written: what would run, in which order. Nothing in it is expanded. */
export interface ReadScript {
  readonly body: ReadBlock;
}

/** Parts that run one after the other; `&`: the next does not wait for this one. */
export interface ReadBlock {
  readonly kind: 'block';
  readonly parts: readonly { readonly node: ReadNode; readonly end: ';' | '&' }[];
}

export type ReadNode =
  | ReadCommand
  | { readonly kind: 'joined'; readonly left: ReadNode; readonly operator: ReadOperator; readonly right: ReadNode }
  | { readonly kind: 'negated'; readonly node: ReadNode }
  | { readonly kind: 'subshell' | 'group'; readonly body: ReadBlock }
  | { readonly kind: 'redirected'; readonly node: ReadNode; readonly redirections: readonly ReadRedirection[] }
  | { readonly kind: 'function'; readonly name: string; readonly inside: readonly ReadNode[] }
  /** Control flow and whatever else decides when it runs. `inside`: the commands that it may run. */
  | { readonly kind: 'dynamic'; readonly inside: readonly ReadNode[] };

export type ReadOperator = '&&' | '||' | '|' | '|&';

/** A program or builtin. Without words: its assignments and redirections alone. */
export interface ReadCommand {
  readonly kind: 'command';
  readonly assignments: readonly ReadWord[];
  readonly words: readonly ReadWord[];
  readonly redirections: readonly ReadRedirection[];
}

/** A word as it is written, with its quotes. `inside`: the commands of its substitutions. */
export interface ReadWord {
  readonly source: string;
  readonly inside: readonly ReadNode[];
}

export interface ReadRedirection {
  /** As it is written, with its descriptor: `2>&`, `>`, `<<-`. */
  readonly operator: string;
  /** Absent where the operator needs none: `2>&-`. For a heredoc the delimiter. */
  readonly target?: ReadWord;
  /** Of a heredoc. */
  readonly text?: ReadWord;
}
