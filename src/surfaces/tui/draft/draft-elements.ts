import { shellQuoted } from '../../../protocol/shell.ts';
import { visibleLine } from '../../views/terminal/text.ts';
import { type Draft, type DraftElement, type DraftPayload, isShellDraft, replaceIn } from './draft.ts';

/** `[Image #2]`. The engine gives pictures the same numbers, in their order. */
export function imageLabel(number: number): string {
  return `[Image #${number}]`;
}

/** `[Pasted Content 1200 chars, 40 lines]`; a second one of the same size is told apart by a number. */
export function pasteLabel(text: string, taken: ReadonlySet<string>): string {
  const lines = text.replace(/\n$/, '').split('\n').length;
  const label = `[Pasted Content ${[...text].length} chars${lines === 1 ? '' : `, ${lines} lines`}]`;
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? label : `${label} #${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** The labels of pastes in a draft. */
export function pasteLabels({ text, elements }: Draft): ReadonlySet<string> {
  const pastes = elements.filter(({ payload }) => payload.kind === 'paste');
  return new Set(pastes.map(({ start, end }) => text.slice(start, end)));
}

/** Pictures are numbered in their order, no two pastes have one label, and a path is quoted as its draft needs it. A draft where that holds stays the same object. */
export function renumberElements(draft: Draft): Draft {
  const taken = new Set<string>();
  let images = 0;
  const isShell = isShellDraft(draft);
  const labels = draft.elements.map(({ start, end, payload }) => {
    const label = draft.text.slice(start, end);
    if (payload.kind === 'image') return imageLabel(++images);
    if (payload.kind === 'mention') return payload.path === undefined ? label : mentionLabel(payload, { isShell });
    // One that was numbered keeps its number as long as no other has it.
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

/** What a mention says. In a command for the shell, a path is one word. */
export function mentionText({ text, path }: Mention, { isShell }: { readonly isShell: boolean }): string {
  return isShell && path !== undefined ? shellPath(path) : text;
}

/** How a path stands in a draft: as it is said, with a sign for every character that hides. */
export function mentionLabel(mention: Mention, place: { readonly isShell: boolean }): string {
  return visibleLine(mentionText(mention, place));
}

/** Signs that mean nothing to a shell, wherever they stand in a word. */
const harmless = /^[\w./][\w./@%+:,-]*$/;

/** A path as one word of a command, which no program takes for an option. */
export function shellPath(path: string): string {
  const named = path.startsWith('-') ? `./${path}` : path;
  return harmless.test(named) ? named : shellQuoted(named);
}

/**
 * Whole quotations, escaped signs, and what begins neither of them, nor a comment, nor a text up to a mark, nor a place
 * where a shell reads a calculation: `((`, `$[`, `name[`, `${name:`. There it runs `$()` in spite of quotes.
 */
const outside =
  /^(?:[^'"\\`#<$([]|'[^']*'|"(?:[^"\\`$]|\$\w)*"|\\.|<(?!<)|(?<=[^\s;&|()])#|\((?!\()|(?<!\w)\[|\[(?=[^[\]]*\])|\$(?!['"[]|\(\(|\{(?![^}$]*\})|$))*$/s;

/**
 * Whether quotes around a word mean what they should behind this part of a command. Inside of other quotes they would end
 * those, and the word would be read as a part of the command. In doubt they do not.
 */
export function canQuoteBehind(before: string): boolean {
  return outside.test(before);
}

interface NewElement {
  readonly range: readonly [from: number, to: number];
  readonly label: string;
  readonly payload: DraftPayload;
}

/** Puts an element in the place of a range, apart from what stands beside it. The cursor stands behind it and a blank. */
export function insertElement(draft: Draft, { range, label, payload }: NewElement): Draft {
  const touches = draft.elements.some(({ end }) => end === range[0]);
  const apart = touches ? replaceIn(draft, range, ' ') : replaceIn(draft, range, '');
  const made = replaceIn(apart, [apart.cursor, apart.cursor], label, payload);
  if (/^\s/.test(made.text.slice(made.cursor))) return { ...made, cursor: made.cursor + 1 };
  return replaceIn(made, [made.cursor, made.cursor], ' ');
}

const imageName = /\.(?:png|jpe?g|gif|webp)$/i;

/** Whether a path has the name of a picture that models take. The engine looks at its bytes when it is sent. */
export function hasImageName(path: string): boolean {
  return imageName.test(path);
}

/** A path in a message: in quotes if it has blanks in it. */
export function pathInMessage(path: string): string {
  if (!/\s/.test(path)) return path;
  return path.includes('"') ? `'${path}'` : `"${path}"`;
}

/** A word of the draft that may become a mention: `@` and letters of a path, `$` and letters of a skill's name. */
export interface MentionToken {
  readonly sign: '@' | '$';
  /** Behind the sign. */
  readonly typed: string;
  readonly start: number;
  readonly end: number;
  /** How many words before it are the same. */
  readonly before: number;
}

/** No path that a user types is longer, and no key waits for more to be looked at. */
const longest = 1000;

/**
 * The word at the cursor, if it begins with a sign. An `@` inside a word, as in a mail address, begins nothing; a `$`
 * before a digit, a brace or another sign is the shell's.
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
  const before = text
    .slice(0, start)
    .split(/\s+/)
    .filter((each) => each === word).length;
  return { sign, typed, start, end, before };
}

/** Whether two tokens are one that the user still looks at: only what stands before it may have changed. */
export function isSameToken(one: MentionToken, other: MentionToken): boolean {
  return one.sign === other.sign && one.typed === other.typed && one.before === other.before;
}
