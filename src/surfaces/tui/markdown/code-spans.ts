/** Runs of backticks by their length, so that the end of a span is found without a search. */
export class CodeSpans {
  readonly #places = new Map<number, number[]>();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const places = this.#places.get(run.length);
      if (places === undefined) this.#places.set(run.length, [index]);
      else places.push(index);
    }
    for (const places of this.#places.values()) places.reverse();
  }

  /** The span that begins at a run. Undefined: it has no end. Only asked for places that grow. */
  at(index: number, length: number): { readonly text: string; readonly end: number } | undefined {
    const places = this.#places.get(length) ?? [];
    while (places.length > 0 && places.at(-1)! <= index) places.pop();
    const end = places.at(-1);
    if (end === undefined) return undefined;
    const inner = this.#text.slice(index + length, end).replaceAll('\n', ' ');
    const isPadded = inner.startsWith(' ') && inner.endsWith(' ') && inner.trim() !== '';
    return { text: isPadded ? inner.slice(1, -1) : inner, end: end + length };
  }
}
