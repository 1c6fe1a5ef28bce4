import { invisibleClass, spaceClass } from '../../base/invisible-characters.ts';
import { isProgramMessage } from '../../core/fragments/answers/agents-and-goals.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import { type InputWriter, speakerTags } from '../../protocol/user-input.ts';

/** What stands in the user's turn: words of the user, of an agent, of a tool or of Capstan. */
export interface UserTurnContent {
  /** In a message of its own. */
  readonly content: MessageContent;
  /** In a message of several speakers. */
  readonly among: () => MessageContent;
}

/** Above what an agent reads in the place of a user's words. Its instructions say which agent that is. */
const parentHeading = '[Message from the agent that started you]';

/** Above an answer whose call is not in the request. */
export const strayHeading = '[Output of a call that is not shown here:]';

/** A message of the user's role: the user's words, unless it is known that another wrote it. */
export function userRoleContent(content: MessageContent, writer: InputWriter | undefined): UserTurnContent {
  if (typeof content === 'string' && isProgramMessage(content)) {
    return sameInEveryMessage(inBorders('developer', content));
  }
  switch (writer) {
    case undefined:
      return { content, among: () => outsideBorders(content) };
    case 'program':
      return sameInEveryMessage(withoutBorders(content));
    case 'agent':
      return fromOtherSpeaker('agent_message', joinContents(parentHeading, content));
    case 'engine':
      return sameInEveryMessage(inBorders('developer', content));
    case 'earlier-summary':
      return sameInEveryMessage(inBorders('earlier_summary', content));
  }
}

/** What an agent or a tool said: a message of its own has a heading and no borders, and must not look as if it had. */
export function fromOtherSpeaker(border: 'agent_message' | 'tool_output', content: MessageContent): UserTurnContent {
  return { content: withoutBorders(content), among: () => inBorders(border, content) };
}

export function sameInEveryMessage(content: MessageContent): UserTurnContent {
  return { content, among: () => content };
}

/** What an agent, a tool, a program or Capstan said. */
export function inBorders(border: Border, content: MessageContent): MessageContent {
  const inner = withoutBorders(content);
  if (typeof inner === 'string') return inTag(border, inner);
  const [first] = inner;
  const opened =
    first?.type === 'text'
      ? [textPart(`<${border}>\n${textOf(first)}`), ...inner.slice(1)]
      : [textPart(`<${border}>`), ...inner];
  const last = opened.at(-1)!;
  if (last.type !== 'text') return [...opened, textPart(`</${border}>`)];
  return [...opened.slice(0, -1), textPart(`${textOf(last)}\n</${border}>`)];
}

/** What an agent, a tool, a program or Capstan said, in a message of its own or between marks of its own. */
export function withoutBorders(content: MessageContent): MessageContent {
  return mapTexts(content, withoutTags);
}

/** Words of the engine: a fragment has borders of its own, unless it goes on behind its end. */
export function engineInBorders(parts: readonly ContentPart[]): MessageContent {
  // Nothing but a border around all of it says whose a picture is.
  if (parts.some(({ type }) => type !== 'text')) return inBorders('developer', parts);
  return joinTexts(parts.map((part) => textPart(engineTextInBorders(textOf(part)))));
}

export function engineTextInBorders(words: string): string {
  const text = withoutTags(words);
  return isOneElement(text) ? text : inTag('developer', text);
}

/** The user's words. Code that users quote stays as it is, unless a border is the first thing of a line. */
export function outsideBorders(content: MessageContent): MessageContent {
  return mapTexts(content, withoutTagsOfLines);
}

/** Texts that meet are changed as one: a tag may begin in the one and end in the other. */
function mapTexts(content: MessageContent, change: (text: string) => string): MessageContent {
  if (typeof content === 'string') return change(content);
  const met: ContentPart[] = [];
  for (const part of content) {
    const before = met.at(-1);
    if (part.type === 'text' && before?.type === 'text') met[met.length - 1] = textPart(joinTexts([before, part]));
    else met.push(part);
  }
  return met.map((part) => (part.type === 'text' ? textPart(change(textOf(part))) : part));
}

function textOf(part: ContentPart): string {
  return stringAt(part, 'text') ?? '';
}

/**
 * In a message of several speakers, everything that the user did not write stands between two lines: a tag that names
 * the speaker, and its end. A text that holds such a tag is shown with the tag's first character escaped.
 */
type Border = (typeof speakerTags)[number];

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
function withoutTagsOfLines(text: string): string {
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

/**
 * Words of the engine where a user's turn holds them, for servers that take them as `system` at the beginning alone: a
 * fragment has a tag of its own, others get one.
 */
export function developerWords(text: string): string {
  return /^\s*<[a-z_]/i.test(text) ? text : inTag('developer', text);
}

export function inTag(tag: string, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`;
}

/** A part of a message that is not a plain text. */
export type ContentPart = JsonObject & { readonly type: string };

/** The content of a message: a text, or parts where there is more than text. */
export type MessageContent = string | readonly ContentPart[];

export function textPart(text: string): ContentPart {
  return { type: 'text', text };
}

/** Texts in one, with blank lines between. */
export function joinTexts(parts: readonly ContentPart[]): string {
  return parts
    .map((part) => stringAt(part, 'text') ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Two contents in one, in order. Texts that meet are one text: many templates put no space between parts. */
export function joinContents(first: MessageContent, second: MessageContent): MessageContent {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  const [before, after] = [partsIn(first), partsIn(second)];
  const [end, beginning] = [before.at(-1), after[0]];
  if (end?.type !== 'text' || beginning?.type !== 'text') return [...before, ...after];
  return [...before.slice(0, -1), textPart(joinTexts([end, beginning])), ...after.slice(1)];
}

export function partsIn(content: MessageContent): readonly ContentPart[] {
  return typeof content === 'string' ? [textPart(content)] : content;
}

const opening = /^<([a-z_][^<>]{0,99})>/i;
// Space behind the slash is part of the rest: two patterns for the same space would take the square of its length.
const ends = /<\s*\/([^<>]*)>/g;

/**
 * Whether a text is one element that ends where the text does, and for no reader before. `<note x>` may be a name of two
 * words or one with an attribute: an end of either kind ends it.
 */
export function isOneElement(text: string): boolean {
  const trimmed = text.trim();
  const opened = opening.exec(trimmed)?.[1]?.toLowerCase();
  if (opened === undefined) return false;
  const name = firstWord(opened);
  const [first] = trimmed.matchAll(ends).filter(([, ended = '']) => firstWord(ended.toLowerCase()) === name);
  if (first === undefined || first.index + first[0].length !== trimmed.length) return false;
  return [`</${opened}>`, `</${name}>`].includes(first[0].toLowerCase());
}

function firstWord(words: string): string {
  return words.trimStart().split(/\s/, 1)[0]!;
}
