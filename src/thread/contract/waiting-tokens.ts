import { itemTokens } from '../../history/size.ts';
import { waitingItem } from '../../state/waiting.ts';
import type { Turn } from '../parts/parts.ts';

/** What the words and items that wait to enter history weigh. */
export function waitingTokens({ inbox }: Pick<Turn, 'inbox'>): number {
  return inbox.waiting.reduce((sum, mail) => sum + itemTokens(waitingItem(mail)), 0);
}
