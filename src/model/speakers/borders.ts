import { stringAt } from '../../protocol/json.ts';
import { type Border, withoutTags, withoutTagsOfLines } from './border-tags.ts';
import { inTag } from './developer-words.ts';
import { type ContentPart, joinTexts, type MessageContent, textPart } from './message-content.ts';
import { isOneElement } from './one-element.ts';

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
