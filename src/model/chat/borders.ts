import { neutraliseEnd } from '../../fragments/text/markup.ts';
import { type Json, stringAt } from '../../protocol/json.ts';
import { inTag } from '../http/developer-words.ts';
import { type ChatContent, contentOf, type ContentPart, joinTexts, readParts, textPart } from './content.ts';

/**
 * In a message of several speakers, everything that the user did not write stands between two lines: a tag that names
 * the speaker, and its end. A text that holds such a tag is shown with the tag's first character escaped.
 */
type Border = (typeof borders)[number];

const borders = ['agent_message', 'tool_output', 'developer'] as const;

/** What stands in the user's turn: words of the user, of an agent, of a tool or of Capstan. */
export interface InUsersTurn {
  /** In a message of its own. */
  readonly content: ChatContent;
  /** In a message of several speakers. */
  readonly among: () => ChatContent;
}

const tag = `<(?=\\s*(?:/\\s*)?(?:${borders.join('|')})(?![\\w-]))`;
const anywhere = new RegExp(tag, 'gi');
const atLineStart = new RegExp(`^${tag}`, 'gim');

/** What an agent, a tool or Capstan said. */
export function inBorders(border: Border, content: ChatContent): ChatContent {
  if (typeof content === 'string') return inTag(border, escaped(content));
  const inner = mapTexts(content, escaped);
  const [first] = inner;
  const opened =
    first?.type === 'text'
      ? [textPart(`<${border}>\n${textOf(first)}`), ...inner.slice(1)]
      : [textPart(`<${border}>`), ...inner];
  const last = opened.at(-1)!;
  if (last.type !== 'text') return [...opened, textPart(`</${border}>`)];
  return [...opened.slice(0, -1), textPart(`${textOf(last)}\n</${border}>`)];
}

/** Words of the engine: a fragment has borders of its own, unless it goes on behind its end. */
export function engineInBorders(parts: readonly Json[]): ChatContent {
  const read = readParts(parts);
  // Nothing but a border around all of it says whose a picture is.
  if (read.some(({ type }) => type !== 'text')) return inBorders('developer', contentOf(parts));
  return joinTexts(
    read.map((part) => {
      const text = escaped(textOf(part));
      return textPart(isElement(text) ? text : inTag('developer', text));
    }),
  );
}

/** The user's words. Code that users quote stays as it is, unless a line of it begins as a border does. */
export function outsideBorders(content: ChatContent): ChatContent {
  const apart = (text: string): string => text.replace(atLineStart, '&lt;');
  return typeof content === 'string' ? apart(content) : mapTexts(content, apart);
}

function escaped(text: string): string {
  return text.replace(anywhere, '&lt;');
}

/** Whether a text is one element that ends where the text does. */
function isElement(text: string): boolean {
  const trimmed = text.trim();
  const opening = /^<([a-z_][^<>]*)>/i.exec(trimmed)?.[1] ?? '';
  const [name = ''] = opening.split(/\s/);
  // Some names have several words; others have attributes behind them.
  return [opening, name].some((each) => {
    const end = `</${each}>`;
    if (each === '' || trimmed.slice(-end.length).toLowerCase() !== end.toLowerCase()) return false;
    const body = trimmed.slice(0, -end.length);
    return neutraliseEnd(body, end) === body;
  });
}

function mapTexts(parts: readonly ContentPart[], change: (text: string) => string): readonly ContentPart[] {
  return parts.map((part) => (part.type === 'text' ? textPart(change(textOf(part))) : part));
}

function textOf(part: ContentPart): string {
  return stringAt(part, 'text') ?? '';
}
