import { speakerTags } from '../../protocol/speaker-tags.ts';
import { invisibleClass, spaceClass } from '../../base/invisible.ts';

/**
 * In a message of several speakers, everything that the user did not write stands between two lines: a tag that names
 * the speaker, and its end. A text that holds such a tag is shown with the tag's first character escaped.
 */
export type Border = (typeof speakerTags)[number];

const isBlank = new RegExp(`^[${invisibleClass}${spaceClass}]$`, 'u');
const endsLine = /^[\n\v\f\r\u001C-\u001E\u0085\u2028\u2029]$/;
const notBlank = new RegExp(`(?=[^${invisibleClass}${spaceClass}])`, 'gu');
const notUnseen = new RegExp(`(?=[^${invisibleClass}])`, 'gu');
const goesOn = /^[\w-]$/;

interface BorderTag {
  readonly at: number;
  readonly border: Border;
}

/** Every tag opens and ends nothing. */
export function withoutTags(text: string): string {
  return escapedAt(text, tagsIn(text));
}

/**
 * A tag that is the first thing of a line opens and ends nothing, and neither does any other of its name: of a pair, both
 * are changed or none. All else that users quote stays as it is.
 */
export function withoutTagsOfLines(text: string): string {
  const tags = tagsIn(text);
  const changed = new Set(tags.filter(({ at }) => beginsLine(text, at)).map(({ border }) => border));
  return escapedAt(
    text,
    tags.filter(({ border }) => changed.has(border)),
  );
}

/**
 * The text may be long, and anybody's. So nothing is looked at twice: all that may stand between `<` and the end of a
 * name is no `<`, and no pattern here can match the same characters in two ways.
 */
function tagsIn(text: string): readonly BorderTag[] {
  const found: BorderTag[] = [];
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    const slash = nextOf(notBlank, text, at + 1);
    const border = borderAt(text, text[slash] === '/' ? nextOf(notBlank, text, slash + 1) : slash);
    if (border !== undefined) found.push({ at, border });
  }
  return found;
}

/** No two names begin with the same letter, so at most one is read further. */
function borderAt(text: string, from: number): Border | undefined {
  const first = text[from]?.toLowerCase();
  const border = speakerTags.find((each) => each[0] === first);
  if (border === undefined) return undefined;
  let at = from + 1;
  for (const letter of border.slice(1)) {
    at = nextOf(notUnseen, text, at);
    // Upper case, because an old form of "s" has no lower one.
    if (text[at]?.toUpperCase() !== letter.toUpperCase()) return undefined;
    at++;
  }
  return goesOn.test(text[at] ?? '') ? undefined : border;
}

function beginsLine(text: string, at: number): boolean {
  for (let end = at; end > 0;) {
    const before = characterBefore(text, end);
    if (endsLine.test(before)) return true;
    if (!isBlank.test(before)) return false;
    end -= before.length;
  }
  return true;
}

function characterBefore(text: string, end: number): string {
  const both = text.slice(Math.max(0, end - 2), end);
  return both.length === 2 && both.codePointAt(0)! > 0xff_ff ? both : text[end - 1]!;
}

/** Where the next character that is none of these stands, or the end of the text. */
function nextOf(pattern: RegExp, text: string, from: number): number {
  const code = text.charCodeAt(from);
  // Most texts hold little else, and a pattern takes a while to begin.
  if (code > 0x20 && code < 0x7f) return from;
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : text.length;
}

function escapedAt(text: string, tags: readonly BorderTag[]): string {
  let end = 0;
  const pieces = tags.map(({ at }) => {
    const piece = `${text.slice(end, at)}&lt;`;
    end = at + 1;
    return piece;
  });
  return pieces.join('') + text.slice(end);
}
