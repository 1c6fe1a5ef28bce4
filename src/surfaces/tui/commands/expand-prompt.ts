import { splitWords } from '../../../policy/rules/split-words.ts';

/** `missing`: names of places for which nothing was given. `odd`: what was written is no list of arguments. */
export type ExpandedPrompt =
  | { readonly kind: 'expanded'; readonly text: string }
  | { readonly kind: 'missing'; readonly names: readonly string[] }
  | { readonly kind: 'odd'; readonly problem: string };

const places = /\$(?:\$|ARGUMENTS\b|[1-9]|([A-Z][A-Z\d_]*)\b)/g;

/** The names of places in a prompt that have names of their own, each once. */
export function namedPlaces(text: string): readonly string[] {
  return [...new Set([...text.matchAll(places)].flatMap(([, name]) => name ?? []))];
}

/**
 * A prompt with what the user added: `$1` to `$9` by number, `$ARGUMENTS` all of it, and `$NAME` what `NAME=value` gives.
 * `$$` is a dollar sign. A number without an argument is empty; a name without one is missing.
 */
export function expandPrompt(text: string, rest: string): ExpandedPrompt {
  const words = splitWords(rest);
  if (words === undefined) return { kind: 'odd', problem: 'A quotation mark has no end.' };
  const names = namedPlaces(text);
  const given = new Map<string, string>();
  if (names.length > 0) {
    for (const word of words) {
      const at = word.indexOf('=');
      if (at < 1) return { kind: 'odd', problem: `Write NAME=value instead of ${word}.` };
      given.set(word.slice(0, at), word.slice(at + 1));
    }
    const missing = names.filter((name) => !given.has(name));
    if (missing.length > 0) return { kind: 'missing', names: missing };
  }
  const expanded = text.replaceAll(places, (place: string, name: string | undefined) => {
    if (place === '$$') return '$';
    if (name !== undefined) return given.get(name) ?? '';
    return place === '$ARGUMENTS' ? rest : (words[Number(place.slice(1)) - 1] ?? '');
  });
  return { kind: 'expanded', text: expanded };
}
