import { userMessage } from '../fragments/message.ts';
import type { Item } from '../protocol/item.ts';
import type { UserInput } from '../protocol/user-input.ts';

/** What a message that waits becomes in history, but for its id. */
export function waitingItem(
  message: { readonly kind: 'words'; readonly input: UserInput } | { readonly kind: 'item'; readonly item: Item },
): Item {
  return message.kind === 'words' ? userMessage('', message.input) : message.item;
}
