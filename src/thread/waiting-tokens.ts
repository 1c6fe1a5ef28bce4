import { userMessage } from '../fragments/message.ts';
import { itemTokens } from '../history/size.ts';
import type { Item } from '../protocol/item.ts';
import type { Mail } from './inbox.ts';
import type { Turn } from './parts.ts';

/** What the words and items that wait to enter history weigh. */
export function waitingTokens({ inbox }: Pick<Turn, 'inbox'>): number {
  return inbox.waiting.reduce((sum, mail) => sum + itemTokens(itemOf(mail)), 0);
}

/** What it becomes in history, but for its id. */
export function itemOf(mail: Mail): Item {
  return mail.kind === 'words' ? userMessage('', mail.input) : mail.item;
}
