export interface CommandAnalysis {
  /** The words of every simple command, in order, wrappers seen through. Undefined: something in it is known only when it runs. */
  readonly commands: readonly (readonly string[])[] | undefined;
  /** All of it is known to change nothing. */
  readonly isReadOnly: boolean;
  readonly danger?: { readonly kind: 'forced-removal' | 'destructive'; readonly words: readonly string[] };
}
