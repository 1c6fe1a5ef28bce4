import { invisibleRegexClass, spaceRegexClass } from '../../base/invisible-characters.ts';
import { isProgramMessage } from '../../core/fragments/answers/agents-and-goals.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import { type InputAuthor, speakerTags } from '../../protocol/user-input.ts';

export type UserTurnContent = { readonly content: MessageContent; readonly among: () => MessageContent };
/** Heading above a parent agent's message. The agent's instructions say which agent that is. */
const parentHeading = '[Message from the agent that started you]';
export const strayOutputHeading = '[Output of a call that is not shown here:]';

/** A message of the user's role: the user's words unless another writer is known. */
export function userRoleContent(content: MessageContent, writer: InputAuthor | undefined): UserTurnContent {
  if (typeof content === 'string' && isProgramMessage(content))
    return unmarkedContent(wrapInBorders('developer', content));
  switch (writer) {
    case undefined:
      return { content, among: () => escapeLineBorders(content) };
    case 'program':
      return unmarkedContent(escapeBorders(content));
    case 'agent':
      return markOtherSpeaker('agent_message', joinContents(parentHeading, content));
    case 'engine':
      return unmarkedContent(wrapInBorders('developer', content));
    case 'earlier-summary':
      return unmarkedContent(wrapInBorders('earlier_summary', content));
  }
}

/** Words of an agent or a tool. Alone they get a heading and no borders, and must not look as if they had some. */
export const markOtherSpeaker = (
  border: 'agent_message' | 'tool_output',
  content: MessageContent,
): UserTurnContent => ({ content: escapeBorders(content), among: () => wrapInBorders(border, content) });

export const unmarkedContent = (content: MessageContent): UserTurnContent => ({ content, among: () => content });

export function wrapInBorders(border: Border, content: MessageContent): MessageContent {
  const inner = escapeBorders(content);
  if (typeof inner === 'string') return inTag(border, inner);
  const [first, ...others] = inner;
  const isText = first?.type === 'text';
  const opened = isText ? [textPart(`<${border}>\n${textOf(first)}`), ...others] : [textPart(`<${border}>`), ...inner];
  const last = opened.at(-1)!;
  if (last.type !== 'text') return [...opened, textPart(`</${border}>`)];
  return [...opened.slice(0, -1), textPart(`${textOf(last)}\n</${border}>`)];
}

export const escapeBorders = (content: MessageContent): MessageContent => mapTexts(content, escapeTags);

/** Engine text: a fragment has its own borders, unless text follows its end. */
export function wrapEngineContent(parts: readonly ContentPart[]): MessageContent {
  // Only a border around everything shows whose a picture is.
  if (parts.some(({ type }) => type !== 'text')) return wrapInBorders('developer', parts);
  return joinTexts(parts.map((part) => textPart(wrapEngineText(textOf(part)))));
}

export function wrapEngineText(words: string): string {
  const text = escapeTags(words);
  return isOneElement(text) ? text : inTag('developer', text);
}

/** The user's words. Quoted code stays as it is, unless a line begins with a border. */
export const escapeLineBorders = (content: MessageContent): MessageContent => mapTexts(content, withoutTagsOfLines);

/** Adjacent texts are changed as one: a tag may begin in one and end in the next. */
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

const textOf = (part: ContentPart): string => stringAt(part, 'text') ?? '';
/** Tag lines that name the speaker enclose all that the user did not write. Such a tag in a text is escaped. */
type Border = (typeof speakerTags)[number];
const isBlank = new RegExp(`^[${invisibleRegexClass}${spaceRegexClass}]$`, 'u');
const endsLine = /^[\n\v\f\r\u001C-\u001E\u0085\u2028\u2029]$/;
const notBlank = new RegExp(`(?=[^${invisibleRegexClass}${spaceRegexClass}])`, 'gu');
const notUnseen = new RegExp(`(?=[^${invisibleRegexClass}])`, 'gu');
const goesOn = /^[\w-]$/;
type BorderTag = { readonly at: number; readonly border: Border };
export const escapeTags = (text: string): string => escapedAt(text, tagsIn(text));

/** Escapes tags that begin a line, and all others of the same name: pairs change together or not at all. */
function withoutTagsOfLines(text: string): string {
  const tags = tagsIn(text);
  const changed = new Set(tags.filter(({ at }) => beginsLine(text, at)).map(({ border }) => border));
  const escaped = tags.filter(({ border }) => changed.has(border));
  return escapedAt(text, escaped);
}

/**
 * The text may be long and untrusted, so nothing is scanned twice: between `<` and the end of a name there is no `<`,
 * and no pattern here can match the same characters in two ways.
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

/** No two names begin with the same letter, so at most one is compared further. */
function borderAt(text: string, from: number): Border | undefined {
  const first = text[from]?.toLowerCase();
  const border = speakerTags.find((each) => each[0] === first);
  if (border === undefined) return undefined;
  let at = from + 1;
  for (const letter of border.slice(1)) {
    at = nextOf(notUnseen, text, at);
    // Upper case, because an old form of "s" has no lower case.
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

function nextOf(pattern: RegExp, text: string, from: number): number {
  const code = text.charCodeAt(from);
  // Fast path: most characters are plain, and a pattern is slow to start.
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

/** Engine text in a user's turn, for servers that take `system` only first. A fragment keeps its own tag. */
export const wrapDeveloperText = (text: string): string =>
  /^\s*<[a-z_]/i.test(text) ? text : inTag('developer', text);
export const inTag = (tag: string, text: string): string => `<${tag}>\n${text}\n</${tag}>`;
export type ContentPart = JsonObject & { readonly type: string };
export type MessageContent = string | readonly ContentPart[];
export const textPart = (text: string): ContentPart => ({ type: 'text', text });

export const joinTexts = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => textOf(part) || []).join('\n\n');

/** Joins two contents in order. Adjacent texts become one: many templates put no space between parts. */
export function joinContents(first: MessageContent, second: MessageContent): MessageContent {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  const [before, after] = [partsIn(first), partsIn(second)];
  const [end, beginning] = [before.at(-1), after[0]];
  if (end?.type !== 'text' || beginning?.type !== 'text') return [...before, ...after];
  return [...before.slice(0, -1), textPart(joinTexts([end, beginning])), ...after.slice(1)];
}

export const partsIn = (content: MessageContent): readonly ContentPart[] =>
  typeof content === 'string' ? [textPart(content)] : content;
const opening = /^<([a-z_][^<>]{0,99})>/i;
// Space after the slash belongs to the rest: two patterns for the same space would take quadratic time.
const ends = /<\s*\/([^<>]*)>/g;

/**
 * True if a text is one element that ends exactly where the text does, for every reader. `<note x>` may be a name of
 * two words or a name with an attribute: an end tag of either kind ends it.
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

const firstWord = (words: string): string => words.trimStart().split(/\s/, 1)[0]!;
