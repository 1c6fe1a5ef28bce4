import { type JsonObject, stringAt } from '../../protocol/json.ts';

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
