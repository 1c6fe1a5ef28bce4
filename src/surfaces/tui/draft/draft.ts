/**
 * Content of an element. `paste`: a longer text. `image`: a picture, by path or data URL. `mention`: the text that the
 * model gets for a file, folder, skill or plugin; a file or folder also has its `path`.
 */
export type DraftPayload =
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'image'; readonly source: string }
  | { readonly kind: 'mention'; readonly text: string; readonly path?: string };

/** A part of a draft that represents other content. The cursor skips it and deletion removes it as a whole. */
export type DraftElement = { readonly start: number; readonly end: number; readonly payload: DraftPayload };
export type DraftRange = readonly [from: number, to: number];
/** Text with elements at positions relative to its beginning. */
export type DraftPart = Pick<Draft, 'text' | 'elements'>;

export interface Draft {
  readonly text: string;
  readonly cursor: number;
  /** In order, and not overlapping. */
  readonly elements: readonly DraftElement[];
}

export const emptyDraft: Draft = { text: '', cursor: 0, elements: [] };
export const draftFromText = (text: string): Draft => ({ text, cursor: text.length, elements: [] });

export const movedElements = (elements: readonly DraftElement[], by: number): readonly DraftElement[] =>
  elements.map((each) => ({ ...each, start: each.start + by, end: each.end + by }));

/** Replaces a range of the draft, and removes elements that it touches. The cursor goes after the new text. */
export function replaceRange(draft: Draft, range: DraftRange, text: string, payload?: DraftPayload): Draft {
  const { elements } = draft;
  const touched = elements.filter(({ start, end }) => start < range[1] && end > range[0]);
  const from = Math.min(range[0], ...touched.map(({ start }) => start));
  const to = Math.max(range[1], ...touched.map(({ end }) => end));
  const cursor = from + text.length;
  const behind = elements.filter(({ start, end }) => start >= to && end > from);
  return {
    text: draft.text.slice(0, from) + text + draft.text.slice(to),
    cursor,
    elements: [
      ...elements.filter(({ end }) => end <= from),
      ...(payload === undefined ? [] : [{ start: from, end: cursor, payload }]),
      ...movedElements(behind, cursor - to),
    ],
  };
}

export const insertInto = (draft: Draft, text: string): Draft =>
  replaceRange(draft, [draft.cursor, draft.cursor], text);

/** The content of a range, which must not split an element. */
export function sliceDraft({ text, elements }: Draft, [from, to]: DraftRange): DraftPart {
  const inside = elements.filter(({ start, end }) => start >= from && end <= to);
  return { text: text.slice(from, to), elements: movedElements(inside, -from) };
}

export function insertPart(draft: Draft, range: DraftRange, part: DraftPart): Draft {
  const made = replaceRange(draft, range, part.text);
  const added = movedElements(part.elements, made.cursor - part.text.length);
  return { ...made, elements: [...made.elements, ...added].toSorted((one, other) => one.start - other.start) };
}

export const withCursor = (draft: Draft, cursor: number): Draft => ({ ...draft, cursor });
type MotionTarget = (draft: Draft, beside: DraftElement | undefined) => number;

/** `beside`: the element next to the cursor, which is skipped as a whole. */
const motionTargets = {
  left: ({ text, cursor }, beside) => beside?.start ?? previousGrapheme(text, cursor),
  right: ({ text, cursor }, beside) => beside?.end ?? nextGrapheme(text, cursor),
  'word-left': ({ text, cursor, elements }, beside) =>
    beside?.start ?? positionOutsideElements(elements, previousWordStart(text, cursor), 'start'),
  'word-right': ({ text, cursor, elements }, beside) =>
    beside?.end ?? positionOutsideElements(elements, nextWordEnd(text, cursor), 'end'),
  'line-start': ({ text, cursor }) => text.lastIndexOf('\n', cursor - 1) + 1,
  'line-end': ({ text, cursor }) => lineEnd(text, cursor),
  start: () => 0,
  end: ({ text }) => text.length,
} as const satisfies Readonly<Record<string, MotionTarget>>;

export type CursorMotion = keyof typeof motionTargets;

export function motionEnd(draft: Draft, motion: CursorMotion): number {
  const isBack = motion === 'left' || motion === 'word-left';
  const beside = draft.elements.find(({ start, end }) => (isBack ? end : start) === draft.cursor);
  return motionTargets[motion](draft, beside);
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The nearest position outside all elements. */
export function positionOutsideElements(elements: readonly DraftElement[], at: number, side: 'start' | 'end'): number {
  const around = elements.find(({ start, end }) => start < at && at < end);
  return around === undefined ? at : around[side];
}

let segmenter: Intl.Segmenter | undefined;
/** Created on first use: it loads slowly, and most drafts are plain. */
const graphemes = (): Intl.Segmenter => (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

// oxlint-disable-next-line no-control-regex -- plain text is what is looked for
const plainPair = /^[\u0000-\u007F]{0,2}$/;
/** Maximum reach of a cluster, to bound the search around the cursor. */
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
  return from + ([...graphemes().segment(text.slice(from, at))].at(-1)?.index ?? at - from - 1);
}

export function* graphemesOf(text: string): Generator<string> {
  // oxlint-disable-next-line no-control-regex -- the same
  if (/^[\u0000-\u007F]*$/.test(text)) yield* text;
  else for (const { segment } of graphemes().segment(text)) yield segment;
}

const separators = new Set('`~!@#$%^&*()-=+[{]}\\|;:\'",.<>/?');
/** A big word ends only at blanks. */
export type WordKind = 'small' | 'big';

export function characterClassOf(sign = ' ', word: WordKind = 'small'): 'blank' | 'separator' | 'word' {
  if (/\s/.test(sign)) return 'blank';
  return word === 'small' && separators.has(sign) ? 'separator' : 'word';
}

export function previousWordStart(text: string, at: number, word?: WordKind): number {
  let to = at;
  while (to > 0 && characterClassOf(text[to - 1], word) === 'blank') to--;
  const kind = characterClassOf(text[to - 1], word);
  while (to > 0 && characterClassOf(text[to - 1], word) === kind) to--;
  return to;
}

export function nextWordEnd(text: string, at: number, word?: WordKind): number {
  let to = at;
  while (to < text.length && characterClassOf(text[to], word) === 'blank') to++;
  const kind = characterClassOf(text[to], word);
  while (to < text.length && characterClassOf(text[to], word) === kind) to++;
  return to;
}

/** True if the text would be a command if typed: for the shell or for Capstan. */
export const isCommandText = (words: string): boolean =>
  words.startsWith('!') || parseSlashCommand(words) !== undefined;
/** A draft is a command only if its first character was typed, not part of an element. */
export const isCommandDraft = ({ text, elements }: Draft): boolean => elements[0]?.start !== 0 && isCommandText(text);
/** A shell command: its `!` was typed and is not part of an element. */
export const isShellDraft = (draft: Draft): boolean => draft.text.startsWith('!') && isCommandDraft(draft);

/** Makes the draft a message whatever it begins with: a leading blank prevents a command. */
export const escapeCommandDraft = (draft: Draft): Draft =>
  isCommandDraft(draft) ? withCursor(replaceRange(draft, [0, 0], ' '), draft.cursor + 1) : draft;

/** Parses a line as `/name rest`. Undefined if it is for the model, such as a path. */
export function parseSlashCommand(text: string): { readonly name: string; readonly rest: string } | undefined {
  const [, name, rest = ''] =
    /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text.replace(/^\/prompts:/i, '/prompts ')) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), rest: rest.trim() };
}
