import { quoteShellWord } from '../../../protocol/shell.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { insertInto, isShellDraft, replaceRange, withCursor } from './draft.ts';
import type { Draft, DraftElement, DraftPayload, DraftRange } from './draft.ts';

/** `[Image #2]`. The engine numbers pictures the same way, in order. */
export const imageLabel = (number: number): string => `[Image #${number}]`;

/** `[Pasted Content 1200 chars, 40 lines]`; a number distinguishes pastes of the same size. */
export function pasteLabel(text: string, taken: ReadonlySet<string>): string {
  const lines = text.replace(/\n$/, '').split('\n').length;
  const label = `[Pasted Content ${[...text].length} chars${lines === 1 ? '' : `, ${lines} lines`}]`;
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? label : `${label} #${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

export function pasteLabels({ text, elements }: Draft): ReadonlySet<string> {
  const pastes = elements.filter(({ payload }) => payload.kind === 'paste');
  return new Set(pastes.map(({ start, end }) => text.slice(start, end)));
}

/** Numbers pictures, makes paste labels unique, and quotes paths. Gives the same object if nothing changes. */
export function renumberElements(draft: Draft): Draft {
  const taken = new Set<string>();
  let images = 0;
  const isShell = isShellDraft(draft);
  const labels = draft.elements.map(({ start, end, payload }) => {
    const label = draft.text.slice(start, end);
    if (payload.kind === 'image') return imageLabel(++images);
    if (payload.kind === 'mention') return payload.path === undefined ? label : mentionLabel(payload, { isShell });
    // A numbered paste keeps its number unless another one has it.
    const kept = taken.has(label) ? pasteLabel(payload.text, taken) : label;
    taken.add(kept);
    return kept;
  });
  const isSame = draft.elements.every(({ start, end }, at) => draft.text.slice(start, end) === labels[at]);
  return isSame ? draft : relabelled(draft, labels);
}

function relabelled(draft: Draft, labels: readonly string[]): Draft {
  let [text, from, { cursor }] = ['', 0, draft];
  const elements: DraftElement[] = [];
  for (const [at, { start, end, payload }] of draft.elements.entries()) {
    const label = labels[at] ?? '';
    text += draft.text.slice(from, start);
    elements.push({ start: text.length, end: text.length + label.length, payload });
    if (draft.cursor >= end) cursor += label.length - (end - start);
    text += label;
    from = end;
  }
  return { text: text + draft.text.slice(from), cursor, elements };
}

type Mention = Extract<DraftPayload, { kind: 'mention' }>;

export const mentionText = ({ text, path }: Mention, { isShell }: { readonly isShell: boolean }): string =>
  isShell && path !== undefined ? quoteShellPath(path) : text;

/** Label of a path in a draft: its text, with a visible sign for every hidden character. */
const mentionLabel = (mention: Mention, place: { readonly isShell: boolean }): string =>
  visibleLine(mentionText(mention, place));

/** Characters that a shell takes literally anywhere in a word. */
const harmless = /^[\w./][\w./@%+:,-]*$/;

/** Quotes a path as one shell word that no program can take for an option. */
export function quoteShellPath(path: string): string {
  const named = path.startsWith('-') ? `./${path}` : path;
  return harmless.test(named) ? named : quoteShellWord(named);
}

/**
 * Matches whole quotations, escaped characters, and text that opens no quotation, comment, here-document or arithmetic
 * context: `((`, `$[`, `name[`, `${name:`. In arithmetic, shells run `$()` in spite of quotes.
 */
const outside =
  /^(?:[^'"\\`#<$([]|'[^']*'|"(?:[^"\\`$]|\$\w)*"|\\.|<(?!<)|(?<=[^\s;&|()])#|\((?!\()|(?<!\w)\[|\[(?=[^[\]]*\])|\$(?!['"[]|\(\(|\{(?![^}$]*\})|$))*$/s;

/**
 * True if quotes after this part of a command work as quotes. Inside other quotes they would close those, and the word
 * would be read as part of the command. In doubt false.
 */
export const canQuoteBehind = (before: string): boolean => outside.test(before);

/** Replaces a range with an element, separated from its neighbours. The cursor goes after it and a blank. */
export function insertElement(draft: Draft, range: DraftRange, label: string, payload: DraftPayload): Draft {
  const apart = replaceRange(draft, range, draft.elements.some(({ end }) => end === range[0]) ? ' ' : '');
  const made = replaceRange(apart, [apart.cursor, apart.cursor], label, payload);
  return /^\s/.test(made.text.slice(made.cursor)) ? withCursor(made, made.cursor + 1) : insertInto(made, ' ');
}

const atCursor = ({ cursor }: Draft): DraftRange => [cursor, cursor];

export const insertPicture = (draft: Draft, source: string, range = atCursor(draft)): Draft =>
  insertElement(draft, range, imageLabel(1), { kind: 'image', source });

/** Inserts a mention of a file or folder. `text`: its form for the model. */
export function insertPath(draft: Draft, path: string, text = pathInMessage(path), range = atCursor(draft)): Draft {
  const payload = { kind: 'mention', text, path } as const;
  return insertElement(draft, range, mentionLabel(payload, { isShell: isShellDraft(draft) }), payload);
}

/** True for file names of pictures that models accept. The engine checks the bytes when it is sent. */
export const hasImageName = (path: string): boolean => /\.(?:png|jpe?g|gif|webp)$/i.test(path);

export function pathInMessage(path: string): string {
  if (!/\s/.test(path)) return path;
  return path.includes('"') ? `'${path}'` : `"${path}"`;
}

/** A word that may become a mention: `@` with letters of a path, `$` with letters of a skill's name. */
export interface MentionToken {
  readonly sign: '@' | '$';
  readonly typed: string;
  readonly start: number;
  readonly end: number;
  /** Number of earlier words that are identical. */
  readonly before: number;
}

/** Bounds the search per key; users type no longer paths. */
const longest = 1000;

/**
 * The word at the cursor, if it begins with `@` or `$`. An `@` inside a word, as in a mail address, does not count, nor
 * does a `$` before a digit, a brace or another sign, which belongs to the shell.
 */
export function mentionAt({ text, cursor, elements }: Draft): MentionToken | undefined {
  const floor = Math.max(0, ...elements.filter(({ end }) => end <= cursor).map(({ end }) => end));
  const ceiling = Math.min(text.length, ...elements.filter(({ start }) => start >= cursor).map(({ start }) => start));
  let [start, end] = [cursor, cursor];
  while (start > floor && cursor - start < longest && !/\s/.test(text[start - 1] ?? '')) start--;
  while (end < ceiling && end - cursor < longest && !/\s/.test(text[end] ?? '')) end++;
  const sign = text[start];
  if (cursor === start || (sign !== '@' && sign !== '$')) return undefined;
  const word = text.slice(start, end);
  const typed = word.slice(1);
  if (sign === '$' && !/^(?:[A-Za-z][\w:-]*)?$/.test(typed)) return undefined;
  const earlier = text.slice(0, start).split(/\s+/);
  return { sign, typed, start, end, before: earlier.filter((each) => each === word).length };
}

/** True if both are the same token that the user typed: only the text before it may have changed. */
export const isSameToken = (one: MentionToken, other: MentionToken): boolean =>
  one.sign === other.sign && one.typed === other.typed && one.before === other.before;
