import { type Json, stringAt } from '../../protocol/json.ts';
import { inTag } from '../http/developer-words.ts';
import { type Border, withoutTags, withoutTagsOfLines } from '../http/border-tags.ts';
import { type ChatContent, contentOf, type ContentPart, joinTexts, readParts, textPart } from './content.ts';
import { isOneElement } from './one-element.ts';

/** What stands in the user's turn: words of the user, of an agent, of a tool or of Capstan. */
export interface InUsersTurn {
  /** In a message of its own. */
  readonly content: ChatContent;
  /** In a message of several speakers. */
  readonly among: () => ChatContent;
}

/** What an agent, a tool, a program or Capstan said. */
export function inBorders(border: Border, content: ChatContent): ChatContent {
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
export function withoutBorders(content: ChatContent): ChatContent {
  return mapTexts(content, withoutTags);
}

/** Words of the engine: a fragment has borders of its own, unless it goes on behind its end. */
export function engineInBorders(parts: readonly Json[]): ChatContent {
  const read = readParts(parts);
  // Nothing but a border around all of it says whose a picture is.
  if (read.some(({ type }) => type !== 'text')) return inBorders('developer', contentOf(parts));
  return joinTexts(
    read.map((part) => {
      const text = withoutTags(textOf(part));
      return textPart(isOneElement(text) ? text : inTag('developer', text));
    }),
  );
}

/** The user's words. Code that users quote stays as it is, unless a border is the first thing of a line. */
export function outsideBorders(content: ChatContent): ChatContent {
  return mapTexts(content, withoutTagsOfLines);
}

/** Texts that meet are changed as one: a tag may begin in the one and end in the other. */
function mapTexts(content: ChatContent, change: (text: string) => string): ChatContent {
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
