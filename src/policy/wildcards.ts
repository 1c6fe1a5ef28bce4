/** A part of a pattern for one piece of text, such as a file name or the name of a variable. */
export type Wildcard =
  | { readonly kind: 'text'; readonly text: string }
  /** Any one character. */
  | { readonly kind: 'one' }
  /** Any number of characters. */
  | { readonly kind: 'some' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly CharacterRange[] };

/** From a character to a character, both included, by code point. */
export type CharacterRange = readonly [string, string];

/**
 * Whether the parts match the whole text. Takes time in proportion to the length of the text times that of the pattern,
 * whatever they are: only the last `some` is ever tried again, since a longer match of an earlier one gains nothing.
 */
export function matchesWildcards(parts: readonly Wildcard[], text: string): boolean {
  let part = 0;
  let at = 0;
  let again: { readonly part: number; at: number } | undefined;
  for (;;) {
    const wanted = parts[part];
    if (wanted?.kind === 'some') {
      part += 1;
      if (part === parts.length) return true;
      again = { part, at };
      continue;
    }
    if (wanted === undefined && at === text.length) return true;
    const next = wanted === undefined ? undefined : after(wanted, text, at);
    if (next !== undefined) {
      part += 1;
      at = next;
      continue;
    }
    if (again === undefined || again.at >= text.length) return false;
    again.at += characterLength(text, again.at);
    ({ part, at } = again);
  }
}

/** Where the text goes on after a part that matches at the place; undefined when it does not match. */
function after(part: Exclude<Wildcard, { kind: 'some' }>, text: string, at: number): number | undefined {
  if (part.kind === 'text') return text.startsWith(part.text, at) ? at + part.text.length : undefined;
  if (at >= text.length) return undefined;
  const end = at + characterLength(text, at);
  return part.kind === 'one' || isInClass(part, text.codePointAt(at) as number) ? end : undefined;
}

export function isInClass({ negated, ranges }: Extract<Wildcard, { kind: 'class' }>, character: number): boolean {
  const found = ranges.some(
    ([from, to]) => (from.codePointAt(0) as number) <= character && character <= (to.codePointAt(0) as number),
  );
  return found !== negated;
}

function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}
