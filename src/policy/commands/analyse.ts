export interface CommandAnalysis {
  /** The words of every simple command, in order, wrappers seen through. Undefined: something in it is known only when it runs. */
  readonly commands: readonly (readonly string[])[] | undefined;
  /**
   * The beginnings of all commands that were found, each up to its first unknown word: those of unknown scripts and
   * wrappers too, but no shell with its script. For rules that ask or forbid; rules that allow look at `commands`.
   */
  readonly seen: readonly (readonly string[])[];
  /** All of it is known to change nothing. */
  readonly isReadOnly: boolean;
  readonly danger?: { readonly kind: 'forced-removal' | 'destructive'; readonly words: readonly string[] };
}
