let segmenter: Intl.Segmenter | undefined;

/** Made on use: it takes long to load, and most drafts are plain. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter;
}

// oxlint-disable-next-line no-control-regex -- plain text is what is looked for
const plainPair = /^[\u0000-\u007F]{0,2}$/;

/** How far a cluster can reach, for a bounded look around. */
const farthest = 64;

export function nextGrapheme(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (plainPair.test(text.slice(at, at + 2))) return at + 1;
  const [first] = graphemes().segment(text.slice(at, at + farthest));
  return at + (first?.segment.length ?? 1);
}

export function previousGrapheme(text: string, at: number): number {
  if (at <= 0) return 0;
  if (plainPair.test(text.slice(Math.max(0, at - 2), at))) return at - 1;
  const from = Math.max(0, at - farthest);
  const last = [...graphemes().segment(text.slice(from, at))].at(-1);
  return from + (last?.index ?? at - from - 1);
}

/** The clusters of a text, one after the other. */
export function* graphemesOf(text: string): Generator<string> {
  // oxlint-disable-next-line no-control-regex -- the same
  if (/^[\u0000-\u007F]*$/.test(text)) {
    yield* text;
    return;
  }
  for (const { segment } of graphemes().segment(text)) yield segment;
}

const separators = new Set('`~!@#$%^&*()-=+[{]}\\|;:\'",.<>/?');

function kindOf(sign: string): 'space' | 'separator' | 'word' {
  if (/\s/.test(sign)) return 'space';
  return separators.has(sign) ? 'separator' : 'word';
}

/** The beginning of the word before a place. A run of separators is a word of its own. */
export function wordBefore(text: string, at: number): number {
  let to = at;
  while (to > 0 && kindOf(text[to - 1] ?? '') === 'space') to--;
  const kind = kindOf(text[to - 1] ?? ' ');
  while (to > 0 && kindOf(text[to - 1] ?? '') === kind) to--;
  return to;
}

/** The end of the word behind a place. */
export function wordAfter(text: string, at: number): number {
  let to = at;
  while (to < text.length && kindOf(text[to] ?? '') === 'space') to++;
  const kind = kindOf(text[to] ?? ' ');
  while (to < text.length && kindOf(text[to] ?? '') === kind) to++;
  return to;
}
