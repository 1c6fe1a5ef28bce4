import type { Item, Role } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { UserInput } from '../../protocol/user-input.ts';
import { imageParts } from './answers/content-parts.ts';

/** All messages of the roles `user` and `developer` are made here; a test enforces it for every room. */

/** The user's input: pictures first, then the words. */
export function userMessageItem(id: string, { text, images }: Pick<UserInput, 'text' | 'images'>): Item {
  const said = text === '' ? [] : [{ type: 'input_text', text }];
  const content = [...images.flatMap((image, i) => imageParts(image, i + 1)), ...said];
  return { type: 'message', id, role: 'user', content };
}

/** Injected context, one part per fragment. */
export const contextMessageItem = (id: string, role: Role, texts: readonly string[]): Item => ({
  type: 'message',
  id,
  role,
  content: texts.map((text) => ({ type: 'input_text', text })),
});

export const messageItemOfParts = (id: string, role: Role, parts: readonly JsonObject[]): Item => ({
  type: 'message',
  id,
  role,
  content: parts,
});

/** The summary of an old checkpoint. Its file has no message for it, so the item has no id. */
export const oldSummaryMessage = (text: string): Item => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

/** A message that Capstan sends only with the request for a checkpoint. It never enters history. */
export function compactionSummaryItem(id: string, role: 'user' | 'assistant', text: string): Item {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return { type: 'message', id, role, content: [{ type, text }] };
}

export const compactionTriggerItem: Item = { type: 'compaction_trigger' };
