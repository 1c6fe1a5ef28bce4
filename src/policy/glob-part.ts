/**
 * Git-style globs on absolute paths: `*` and `?` stay inside a component, `**` crosses components, `[a-z]` and `[!a-z]`
 * are classes, `{a,b}` are alternatives, a backslash takes the next character as it is. A `[` that is never closed is
 * an ordinary character.
 */
export type GlobPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'some' }
  /** `**` followed by a slash: no component, or any number of them. */
  | { readonly kind: 'folders' }
  | { readonly kind: 'anything' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] }
  | { readonly kind: 'open' }
  | { readonly kind: 'or' }
  | { readonly kind: 'close' };
